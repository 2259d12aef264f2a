export { type Authority, arbitrate, type Claims } from './arbiter.ts';
export { Clutch } from './clutch.ts';
export { type Key, KeyParser } from './key-parser.ts';
export { type KeyboardHeard, type KeyboardOptions, type KeyboardState, KeyboardTeleop } from './keyboard.ts';
export { type DeskState, OperatorDesk } from './operator-desk.ts';
export { DEMONSTRATION_PATIENCE, demonstrationPrompt, PersonDemonstrator } from './person-demonstrator.ts';
export { RawTerminal, type TerminalInput } from './raw-terminal.ts';
export {
  DEFAULT_LEASE_S,
  JOY_PADS,
  type JoyMapping,
  type JoyMessage,
  type JoyPadName,
  JoyTeleop,
  type JoyTeleopOptions,
  LONGEST_LEASE_S,
  mappingOf,
  type TeleopEvent,
  type TwistMessage,
  TwistTeleop,
  type TwistTeleopOptions,
} from './remote/index.ts';
export { PegInserter, type PegInserterOptions, ScriptedOperator, type TakeOverRule } from './scripted/index.ts';
export type { OperatorEcho, SourcePose, TeleopCommand, TeleopSource } from './teleop-source.ts';
