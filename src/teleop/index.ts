/** Operators: keyboard, joystick, twists, scripts, and the arbitration of control among them. */
export { Clutch } from './clutch.ts';
export { isRanged, withRange } from './devices/evdev-layout.ts';
export { EvdevPadParser } from './devices/evdev-pad.ts';
export { HidPort } from './devices/hid-port.ts';
export { DeviceFile, type InputPort } from './devices/input-port.ts';
export { JoydevParser } from './devices/joydev.ts';
export { KEY_CODES } from './devices/key-events.ts';
export { type LeaderArm, type LeaderMotors, LeaderTeleop } from './devices/leader-teleop.ts';
export {
  type DeviceRoots,
  findInputDevice,
  type InputDevice,
  listInputDevices,
  readRemedy,
} from './devices/list-devices.ts';
export { LocalPad } from './devices/local-pad.ts';
export { MotionFrame, movesTool } from './devices/motion-frame.ts';
export {
  type MotionOptions,
  type OperatorConfig,
  operatorSchema,
  pedalKeysOf,
  plainOperator,
} from './devices/operator-options.ts';
export { Pedal, type PedalRole } from './devices/pedal.ts';
export { SpaceMouseParser, spaceMouseMapping } from './devices/space-mouse.ts';
export { KeyParser } from './key-parser.ts';
export { KeyboardTeleop } from './keyboard.ts';
export { OperatorArbiter } from './operator-arbiter.ts';
export { DEMONSTRATION_PATIENCE, demonstrationPrompt, PersonDemonstrator } from './person-demonstrator.ts';
export { type OperatorContext, type OperatorPlugin, openOperator } from './plugin.ts';
export { RawTerminal, type TerminalInput } from './raw-terminal.ts';
export { type BrowserInput, BrowserTeleop } from './remote/browser-teleop.ts';
export { JOY_PAD_NAMES, JOY_PADS, type JoyPadName, mappingOf, padLegend } from './remote/joy-pads.ts';
export { JoyTeleop } from './remote/joy-teleop.ts';
export type { TeleopEvent } from './remote/remote-operator.ts';
export { TwistTeleop } from './remote/twist-teleop.ts';
export { Rewind } from './rewind.ts';
export { PegInserter } from './scripted/peg-inserter.ts';
export { PlaceMover } from './scripted/place-mover.ts';
export { PlacePicker } from './scripted/place-picker.ts';
export { ScriptedOperator } from './scripted/scripted-operator.ts';
export type { OperatorEcho, OperatorHeard, TeleopCommand, TeleopSource } from './teleop-source.ts';
