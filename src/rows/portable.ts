/** The part of this room that runs in a browser too: packets of the page, and no code made at run time. */
export { BUS, type BusCounter } from './hardware.ts';
export {
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  type LearnerView,
  type PictureView,
  type ProcessesView,
  STEP_LAYOUT,
  type StepView,
  shownObjects,
  sourceName,
  stateName,
} from './telemetry.ts';
