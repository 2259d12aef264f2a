export { AppendFile, storage } from './append-file.ts';
export { Numbering } from './numbering.ts';
export { readState, writeState, writeWhole } from './state-file.ts';
export { type LogPosition, readTransitionLog, TransitionLog, type TransitionSizes } from './transition-log.ts';
