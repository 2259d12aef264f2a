/** Exports for command bodies that live in `packages/`. */
import { fileURLToPath } from 'node:url';

export { INTERRUPTED, interruptibly } from './bodies/interrupt.ts';
export { complain, sayer } from './bodies/terminal.ts';
export { EMULATED_ROBOTS, type EmulateOptions } from './emulate.ts';
export type { SweepOptions } from './sweep.ts';
export type { TrainOptions } from './train.ts';

/** The program `rein`, for a command that starts other commands. The sources and `dist/` are equally deep. */
export const PROGRAM = fileURLToPath(new URL('../../bin/rein.js', import.meta.url));
