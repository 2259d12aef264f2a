/**
 * "Why is it not learning?" on real trainings: those that learn light no row, those broken on purpose light theirs. Here a few that take
 * a second each; `npm run evidence -- --only diagnosis` (REIN_DIAGNOSIS=all) runs them all, and holds every number that a healthy run
 * reaches against the worst that `docs/why-not-learning.md` says of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { whyBody } from '../../src/cli/bodies/why.ts';
import { BROKEN, type BrokenCase, beyondHealthy, HEALTHY, specOf, worstOf } from '../support/training-cases.ts';
import { type RigResult, train } from '../support/training-rig.ts';

const isAll = process.env['REIN_DIAGNOSIS'] === 'all';
/** Of a seed that no threshold was set on. */
const SEED = 7;
const SHORT = { kind: 'point, RLPD', other: { steps: 600 } } as const;
const SHORT_BROKEN: readonly BrokenCase[] = [
  { ...SHORT, what: 'the reward is always 0', row: 'reward-never', broken: { reward: () => 0 } },
  { ...SHORT, what: 'weights are never published', row: 'stale-weights', broken: { publishes: false } },
];

describe('why a training does not learn', { timeout: 600_000 }, () => {
  it.each(isAll ? HEALTHY : [['point, RLPD', SEED] as const])(
    'is nothing where it does: %s, seed %i',
    async (kind, seed) => {
      const result = await train({ ...specOf(kind, seed), ...(isAll ? {} : SHORT.other) });
      if (isAll) console.log(`${kind} ${seed}: ${JSON.stringify({ success: result.success, worst: worstOf(result) })}`);
      expect([...result.firstBad]).toEqual([]);
      expect(result.rows.filter(({ state }) => state === 'bad' || state === 'warn')).toEqual([]);
      expect(isAll ? beyondHealthy(result) : []).toEqual([]);
    },
  );

  it.each(isAll ? BROKEN : SHORT_BROKEN)('is said where $what: $row', async ({ row, kind, other, broken, what }) => {
    const result = await train({ ...specOf(kind, SEED, broken), ...other });
    const bad = Object.fromEntries(result.firstBad);
    if (isAll) console.log(`${what}: ${JSON.stringify({ row, atStep: bad[row] ?? null, allBad: bad })}`);
    expect(Object.keys(bad)).toContain(row);
    const { state, remedy, evidence } = result.rows.find(({ id }) => id === row)!;
    expect([state, remedy.length > 20, evidence.length > 0]).toEqual(['bad', true, true]);
    if (!isAll && row === 'stale-weights') await asksTheCommand(result, row);
  });
});

/** What was written says the same to `rein why`. */
async function asksTheCommand({ records }: RigResult, row: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-why-'));
  writeFileSync(join(folder, 'metrics.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  let text = '';
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += String(part);
    return true;
  });
  try {
    expect(await whyBody({ run: folder, format: 'json' })).toBe(1);
    const bad = (JSON.parse(text) as { id: string; state: string }[]).filter(({ state }) => state === 'bad');
    expect(bad.map(({ id }) => id)).toEqual([row]);
    text = '';
    await whyBody({ run: folder, format: 'text' });
    expect(text).toContain('bad       Weights are stale');
    expect(text).toContain('→ Look whether the learner makes updates');
  } finally {
    written.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  }
}
