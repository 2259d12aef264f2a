/**
 * "Why is it not learning?" on described tasks through `rein sim`, as strangers write them: right, and with the mistakes that are made.
 * Here one of a few seconds; `npm run evidence -- --only diagnosis` (REIN_DIAGNOSIS=all) runs them all. Needs `dist/`.
 */
import { describe, expect, it } from 'vitest';
import { trainDescribed } from '../support/described-training.ts';
import { beyondHealthy, DESCRIBED_BROKEN, DESCRIBED_HEALTHY, worstOf } from '../support/training-cases.ts';

const isAll = process.env['REIN_DIAGNOSIS'] === 'all';
const SEED = 1;
const QUICK = DESCRIBED_BROKEN.filter(({ row }) => row === 'reward-suspicious');

describe('why a described task is not learned', { timeout: 600_000 }, () => {
  it.runIf(isAll).each(DESCRIBED_HEALTHY)('is nothing where it is: %s', async (what, spec) => {
    const result = await trainDescribed({ ...spec, seed: SEED });
    console.log(`${what}: ${JSON.stringify({ success: result.success, worst: worstOf(result) })}`);
    expect([...result.firstBad]).toEqual([]);
    expect(result.rows.filter(({ state }) => state === 'bad' || state === 'warn')).toEqual([]);
    expect(result.success).toBeGreaterThan(0.5);
    expect(beyondHealthy(result)).toEqual([]);
  });

  it.each(isAll ? DESCRIBED_BROKEN : QUICK)('is said where $what: $row', async ({ what, row, ...spec }) => {
    const { firstBad, rows } = await trainDescribed({ learner: { utd: 1 }, ...spec, seed: SEED });
    const bad = Object.fromEntries(firstBad);
    if (isAll) console.log(`${what}: ${JSON.stringify({ row, atStep: bad[row] ?? null, allBad: bad })}`);
    expect(Object.keys(bad)).toContain(row);
    expect(rows.find(({ id }) => id === row)).toMatchObject({ state: 'bad', evidence: expect.anything() });
  });
});
