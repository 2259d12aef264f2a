export { AppendFile } from './append-file.ts';
export { checkEmpty } from './empty-folder.ts';
export { Numbering } from './numbering.ts';
export { parsed } from './parsed.ts';
export { readState, writeState } from './state-file.ts';
export { storage, WriteError } from './storage.ts';
export { type LogPosition, readTransitionLog, TransitionLog, type TransitionSizes } from './transition-log.ts';
