/**
 * What tests import as fast-check (`vitest.config.ts`). `npm test` tries the same cases each time, so that a change alone can fail it: a
 * third of the number that a test gives. `npm run test:long` tries ten times that number, other cases each time; a failure prints its seed.
 */
import fc, { type Parameters } from '../../node_modules/fast-check/lib/fast-check.js';
import { IS_LONG } from './long.ts';

export * from '../../node_modules/fast-check/lib/fast-check.js';

const SEED = 1;
const TIMES = IS_LONG ? 10 : 1 / 3;
const DEFAULT_RUNS = 100;

if (!IS_LONG) fc.configureGlobal({ seed: SEED });

/** How many cases are tried of a number that a test gives. */
export const tried = (numRuns: number): number => Math.ceil(TIMES * numRuns);

export function assert<T>(property: fc.IRawProperty<T>, parameters: Parameters<T> = {}): Promise<void> | void {
  return fc.assert(property, { ...parameters, numRuns: tried(parameters.numRuns ?? DEFAULT_RUNS) });
}

// biome-ignore lint/style/noDefaultExport: it stands in for fast-check, whose default export tests import
export default { ...fc, assert };
