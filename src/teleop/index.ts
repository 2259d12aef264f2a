/** Operators: keyboard, joystick, twists, scripts, and who holds the robot. */
export { Clutch } from './clutch.ts';
export { KeyParser } from './key-parser.ts';
export { KeyboardTeleop } from './keyboard.ts';
export { OperatorArbiter } from './operator-arbiter.ts';
export { DEMONSTRATION_PATIENCE, demonstrationPrompt, PersonDemonstrator } from './person-demonstrator.ts';
export { type OperatorContext, type OperatorPlugin, openOperator } from './plugin.ts';
export { RawTerminal, type TerminalInput } from './raw-terminal.ts';
export { JOY_PADS, type JoyPadName, mappingOf } from './remote/joy-pads.ts';
export { JoyTeleop } from './remote/joy-teleop.ts';
export type { TeleopEvent } from './remote/remote-operator.ts';
export { TwistTeleop } from './remote/twist-teleop.ts';
export { PegInserter } from './scripted/peg-inserter.ts';
export { ScriptedOperator } from './scripted/scripted-operator.ts';
export type { OperatorEcho, OperatorHeard, TeleopCommand, TeleopSource } from './teleop-source.ts';
