import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyWeights } from '../core/index.ts';
import type { Trial, TrialResult } from './evaluation-pool.ts';
import { ModelSelection } from './model-selection.ts';

/** A candidate that fails in the episodes whose index is in `failures`; only `version` is looked at. */
function candidate(version: number, failures: Iterable<number> = []): Candidate {
  const weights = Float32Array.of(version);
  return { bundle: { manifest: { version }, weights } as PolicyWeights, failures: new Set(failures) };
}

interface Candidate {
  readonly bundle: PolicyWeights;
  readonly failures: ReadonlySet<number>;
}

/** Judges candidates by their lists, and counts as a pool does. */
function createSelection(candidates: readonly Candidate[], options: { episodes?: number; stopAt?: number } = {}) {
  const trials: Trial[] = [];
  const { signal } = new AbortController();
  const run = async (trial: Trial): Promise<TrialResult> => {
    trials.push(trial);
    if (trial.candidate.kind !== 'weights') throw new TypeError('weights were to be judged');
    const { bundle } = trial.candidate;
    const { failures } = candidates.find((one) => one.bundle === bundle)!;
    const sum = {
      episodes: 0,
      successes: 0,
      meanSteps: 30,
      ticks: 0,
      changedTicks: 0,
      violations: 0,
      restarts: { count: 0 },
    };
    for (let index = trial.from; index < trial.from + trial.episodes; index++) {
      sum.episodes++;
      if (!failures.has(index)) sum.successes++;
      if (sum.episodes - sum.successes > (trial.maxFailures ?? Number.POSITIVE_INFINITY)) break;
    }
    return sum;
  };
  const selection = new ModelSelection({
    pool: { run },
    seed: 5,
    episodes: options.episodes ?? 100,
    stopAt: options.stopAt ?? 0.99,
    signal,
  });
  return { selection, trials, signal };
}

const first = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('the choice of a policy', () => {
  it('judges every candidate on the same episodes, under the same seed, and can be ended', async () => {
    const both = [candidate(1, first(5)), candidate(2, first(3))];
    const { selection, trials, signal } = createSelection(both);
    await selection.judge(both[0]!.bundle, 'poses');
    await selection.judge(both[1]!.bundle, 'nothing');
    expect(trials).toEqual([
      expect.objectContaining({ seed: 5, stream: 'validation', from: 0, episodes: 100, record: 0, signal }),
      expect.objectContaining({ seed: 5, stream: 'validation', from: 0, episodes: 100, signal }),
    ]);
    expect(trials[1]).not.toHaveProperty('record');
  });

  it('judges the same weights under another version once', async () => {
    const clone = candidate(1, first(5));
    const again = { manifest: { version: 35 }, weights: clone.bundle.weights } as PolicyWeights;
    const { selection, trials } = createSelection([clone]);
    const judged = await selection.judge(clone.bundle, 'nothing');
    expect(await selection.judge(again, 'nothing')).toEqual({ ...judged, bundle: again });
    expect(trials).toHaveLength(1);
  });

  it('confirms a good first look on three times as many other episodes', async () => {
    const good = candidate(1, [7]);
    const { selection, trials } = createSelection([good]);
    const judged = await selection.judge(good.bundle, 'nothing');
    expect(trials.map(({ from, episodes }) => [from, episodes])).toEqual([
      [0, 100],
      [100, 300],
    ]);
    expect(judged).toMatchObject({ successes: 399, episodes: 400, isConfirmed: true });
    expect(judged.result.episodes).toBe(100);
  });

  it('is not taken in by a lucky first look', async () => {
    const lucky = candidate(1, first(40, 150));
    const { selection } = createSelection([lucky]);
    const judged = await selection.judge(lucky.bundle, 'nothing');
    expect(judged.isConfirmed).toBe(false);
    // Given up at the fifth failure: four in 400 are allowed.
    expect(judged).toMatchObject({ episodes: 155, successes: 150 });
  });

  it('gives up a hopeless candidate at once', async () => {
    const hopeless = candidate(1, first(100));
    const { selection, trials } = createSelection([hopeless]);
    expect(await selection.judge(hopeless.bundle, 'nothing')).toMatchObject({ episodes: 16, isConfirmed: false });
    expect(trials).toHaveLength(1);
  });

  it('confirms exactly what reaches the asked rate over both looks, whatever the rounding', () => {
    const rates = fc.constantFrom(0.9, 0.95, 0.97, 0.985, 0.99, 0.9925, 0.995);
    return fc.assert(
      fc.asyncProperty(rates, fc.integer({ min: 1, max: 50 }), fc.nat(), async (stopAt, tens, draw) => {
        const episodes = 2 * tens;
        const allowed = (Math.round((1 - stopAt) * 10_000) * 4 * episodes) / 10_000;
        const failures = Math.floor(allowed) + (draw % 3) - 1;
        fc.pre(failures >= 0 && failures <= 3 * episodes);
        const late = candidate(1, first(failures, episodes));
        const { selection } = createSelection([late], { episodes, stopAt });
        const judged = await selection.judge(late.bundle, 'nothing');
        expect(judged.isConfirmed).toBe(failures <= allowed);
      }),
    );
  });

  it('prefers more evidence to a slightly better rate', async () => {
    // 230 of 235, given up before it was confirmed, against 98 of 100.
    const proven = candidate(1, first(5, 230));
    const lucky = candidate(2, first(2));
    const { selection } = createSelection([proven, lucky]);
    await selection.judge(proven.bundle, 'nothing');
    await selection.judge(lucky.bundle, 'nothing');
    expect(selection.best?.bundle.manifest.version).toBe(1);
  });

  it('keeps the best of all, not the last, and the newer of equals', async () => {
    const candidates = [
      candidate(1, first(14)),
      candidate(2, first(4)),
      candidate(3, first(9)),
      candidate(4, first(4)),
    ];
    const { selection } = createSelection(candidates);
    expect(selection.best).toBeUndefined();
    const kept: (number | undefined)[] = [];
    for (const { bundle } of candidates) {
      await selection.judge(bundle, 'nothing');
      kept.push(selection.best?.bundle.manifest.version);
    }
    expect(kept).toEqual([1, 2, 2, 4]);
  });

  it('keeps something even where nothing is any good', async () => {
    const candidates = [candidate(1, first(100)), candidate(2, first(100))];
    const { selection } = createSelection(candidates);
    for (const { bundle } of candidates) await selection.judge(bundle, 'nothing');
    expect(selection.best?.bundle.manifest.version).toBe(2);
  });
});
