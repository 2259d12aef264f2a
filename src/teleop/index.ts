export { type Authority, arbitrate, type Claims } from './arbiter.ts';
export { type KeyboardOptions, type KeyboardState, KeyboardTeleop } from './keyboard.ts';
export { type DeskState, OperatorDesk } from './operator-desk.ts';
export { PegInserter, type PegInserterOptions, ScriptedOperator, type TakeOverRule } from './scripted/index.ts';
export type { TeleopCommand, TeleopSource } from './teleop-source.ts';
