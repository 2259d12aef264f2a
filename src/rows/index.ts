/** Rows as tables of fields: memory, copies, bytes and types from one list. Imports units. */
export { type ByteCodec, byteCodecOf, putU64, takeU64 } from './bytes.ts';
export { crc32c } from './crc32c.ts';
export type { CounterField } from './fields.ts';
export { Framing } from './framing.ts';
export {
  type ActionCommand,
  ANSWER_NEEDS,
  DECIDERS,
  type Decider,
  FRAME,
  type GeomShape,
  type GuardAnswer,
  type GuardFrame,
  type GuardNotice,
  type GuardRequest,
  isActive,
  LINK_VERSION,
  SAFETY_STATES,
  type SafetyStateName,
  type SceneLayout,
} from './guard-frame.ts';
export { BUS, BUS_COUNTERS, type BusCounter, HARDWARE, type HardwareFault } from './hardware.ts';
export { forEachField, ProtoWriter } from './protobuf.ts';
export type { RobotState } from './robot-state.ts';
export {
  COMMANDS,
  copyRobotState,
  copyTransition,
  createRobotState,
  createTransition,
  emptyFrame,
  FRAMES,
} from './row-codecs.ts';
export {
  decodeJson,
  decodeNumbers,
  encodeJson,
  encodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  isState,
  kindOf,
  type LearnerView,
  type PacketKind,
  type PictureView,
  type ProcessesView,
  STEP_LAYOUT,
  shownObjects,
} from './telemetry.ts';
export { isIntervention, SOURCES, type Source, TRANSITION, type Transition } from './transition.ts';
