import { describe, expect, it } from 'vitest';
import type { PolicyWeights } from '../model/index.ts';
import type { Trial, TrialResult } from './evaluation-pool.ts';
import { ModelSelection } from './model-selection.ts';
import type { Hypotheses } from './sequential-test.ts';

/** Candidate that fails in the episodes whose index is in `failures`; only its `version` is used. */
function candidate(version: number, failures: Iterable<number> = []): Candidate {
  const weights = Float32Array.of(version);
  return { bundle: { manifest: { version }, weights } as PolicyWeights, failures: new Set(failures) };
}

interface Candidate {
  readonly bundle: PolicyWeights;
  readonly failures: ReadonlySet<number>;
}

/** Judges candidates by their lists, and counts like a pool. */
function createSelection(candidates: readonly Candidate[], stop: Hypotheses = { atMost: 0.97, atLeast: 0.995 }) {
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
      if (trial.isEnough?.(sum) === true) break;
    }
    return sum;
  };
  const selection = new ModelSelection({
    pool: { run },
    seed: 5,
    episodes: 100,
    stop,
    signal,
  });
  return { selection, trials, signal };
}

const first = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('the choice of a policy', () => {
  it('judges every candidate on the same episodes, under the same seed, and can be ended', async () => {
    const both = [candidate(1, first(5)), candidate(2, first(3))];
    const { selection, trials, signal } = createSelection(both);
    await selection.look(both[0]!.bundle, 'poses');
    await selection.look(both[1]!.bundle, 'nothing');
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
    const judged = await selection.look(clone.bundle, 'nothing');
    expect(await selection.look(again, 'nothing')).toEqual({ ...judged, bundle: again });
    expect(trials).toHaveLength(1);
  });

  it('confirms a good first look on other episodes, as few as tell it from what is not good enough', async () => {
    const good = candidate(1, [7]);
    const { selection, trials } = createSelection([good]);
    const looked = await selection.look(good.bundle, 'nothing');
    expect(looked).toMatchObject({ successes: 99, episodes: 100, isPromising: true, isConfirmed: false });
    const judged = await selection.confirm(looked);
    expect(trials.map(({ from }) => from)).toEqual([0, 100]);
    expect(judged).toMatchObject({ successes: 99 + 116, episodes: 216, isPromising: false, isConfirmed: true });
    expect(judged.result.episodes).toBe(100);
  });

  it('is not taken in by a lucky first look', async () => {
    const lucky = candidate(1, first(40, 110));
    const { selection } = createSelection([lucky]);
    const judged = await selection.confirm(await selection.look(lucky.bundle, 'nothing'));
    // Ten successes, then two failures: enough.
    expect(judged).toMatchObject({ successes: 110, episodes: 112, isConfirmed: false });
  });

  it('looks through the first episodes whatever comes: how bad a policy is, is worth knowing', async () => {
    const hopeless = candidate(1, first(100));
    const { selection } = createSelection([hopeless]);
    expect(await selection.look(hopeless.bundle, 'nothing')).toMatchObject({ episodes: 100, isPromising: false });
  });

  it('prefers more evidence to a slightly better rate', async () => {
    // 230 of 232, refused, against 98 of 100.
    const proven = candidate(1, first(5, 170));
    const lucky = candidate(2, first(2));
    const { selection } = createSelection([proven, lucky]);
    await selection.confirm(await selection.look(proven.bundle, 'nothing'));
    await selection.look(lucky.bundle, 'nothing');
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
      await selection.look(bundle, 'nothing');
      kept.push(selection.best?.bundle.manifest.version);
    }
    expect(kept).toEqual([1, 2, 2, 4]);
  });

  it('keeps something even where nothing is any good', async () => {
    const candidates = [candidate(1, first(100)), candidate(2, first(100))];
    const { selection } = createSelection(candidates);
    for (const { bundle } of candidates) await selection.look(bundle, 'nothing');
    expect(selection.best?.bundle.manifest.version).toBe(2);
  });
});
