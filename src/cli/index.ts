export type { OperatorKind } from './commands.ts';
