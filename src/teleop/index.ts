export type { TeleopCommand, TeleopSource } from './teleop-source.ts';
