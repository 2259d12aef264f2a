/** fast-check with ten times the random cases: what `npm run test:long` gives property tests in its place (`vitest.config.ts`). */
import fc, { type Parameters } from '../../node_modules/fast-check/lib/fast-check.js';

export * from '../../node_modules/fast-check/lib/fast-check.js';

const TIMES = 10;
const DEFAULT_RUNS = 100;

export function assert<T>(property: fc.IRawProperty<T>, parameters: Parameters<T> = {}): Promise<void> | void {
  return fc.assert(property, { ...parameters, numRuns: TIMES * (parameters.numRuns ?? DEFAULT_RUNS) });
}

// biome-ignore lint/style/noDefaultExport: it stands in for fast-check, whose default export tests import
export default { ...fc, assert };
