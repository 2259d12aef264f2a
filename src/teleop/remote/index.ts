export {
  JOY_PADS,
  type JoyButton,
  type JoyButtons,
  type JoyMapping,
  type JoyPad,
  type JoyPadName,
  type JoyStick,
  mappingOf,
} from './joy-pads.ts';
export { type JoyMessage, JoyTeleop, type JoyTeleopOptions } from './joy-teleop.ts';
export { DEFAULT_LEASE_S, LONGEST_LEASE_S } from './remote-hand.ts';
export type { TeleopEvent } from './teleop-event.ts';
export { type TwistMessage, TwistTeleop, type TwistTeleopOptions } from './twist-teleop.ts';
