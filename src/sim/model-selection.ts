/**
 * Which of the policies of a run is kept. Policies oscillate while they learn: each candidate is judged on the same
 * validation episodes, and one that does well is confirmed on others, so that luck does not choose.
 */
import { type PolicyWeights, wilsonInterval } from '../core/index.ts';
import type { EvaluationPool, TrialResult } from './evaluation-pool.ts';
import { addRestarts, NO_RESTARTS, type Restarts } from './simulated-robot.ts';

export interface SelectionOptions {
  readonly pool: Pick<EvaluationPool, 'run'>;
  readonly seed: number;
  /** Episodes of the first look. */
  readonly episodes: number;
  /** Success rate, over first look and confirmation, from which on training may stop. */
  readonly stopAt: number;
  /** Ends a judgement that is under way. */
  readonly signal: AbortSignal;
  /** Told of the episodes judged so far of those under way. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A judged policy. */
export interface Judged {
  readonly bundle: PolicyWeights;
  readonly successes: number;
  readonly episodes: number;
  /** Of the first look. */
  readonly result: TrialResult;
  /** Of the robots of these episodes; none where they were judged before. */
  readonly restarts: Restarts;
  /** Good enough, and confirmed: training may stop. */
  readonly isConfirmed: boolean;
}

/** Episodes of the confirmation, as a multiple of those of the first look. */
const CONFIRMATION = 3;
/** Share of failures beyond which a first look is given up: 85 % is nowhere near any target. */
const HOPELESS = 0.15;

export class ModelSelection {
  readonly #options: SelectionOptions;
  #best: Judged | undefined;
  #last: Judged | undefined;

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  /** The policy to keep so far. */
  get best(): Judged | undefined {
    return this.#best;
  }

  /**
   * Judges `bundle`; `record` asks for the poses of the first episode. The same weights as last, under whatever version, do the same in
   * the same episodes: a clone that waits for its critics is judged once.
   */
  async judge(bundle: PolicyWeights, record: 'poses' | 'nothing'): Promise<Judged> {
    const last = this.#last;
    if (last !== undefined && isSame(last.bundle.weights, bundle.weights))
      return { ...last, bundle, restarts: NO_RESTARTS };
    const { pool, seed, episodes, stopAt, signal } = this.#options;
    const trial = { candidate: { kind: 'weights', bundle } as const, seed, stream: 'validation', signal };
    const { onProgress } = this.#options;
    onProgress?.(0, episodes);
    const first = await pool.run({
      ...trial,
      onProgress: (sum) => onProgress?.(sum.episodes, episodes),
      from: 0,
      episodes,
      maxFailures: Math.floor(HOPELESS * episodes),
      ...(record === 'poses' ? { record: 0 } : {}),
    });
    const isPromising = first.episodes === episodes && first.successes >= stopAt * episodes;
    const more = CONFIRMATION * episodes;
    // 1 − 0.9925 is a little less than 0.0075, which must not cost the third of three failures in 400.
    const allowed = Math.floor((1 - stopAt) * (episodes + more) + 1e-9);
    const failures = first.episodes - first.successes;
    const second = isPromising
      ? await pool.run({
          ...trial,
          from: episodes,
          episodes: more,
          maxFailures: allowed - failures,
          onProgress: (sum) => onProgress?.(episodes + sum.episodes, episodes + more),
        })
      : undefined;
    const judged = {
      bundle,
      successes: first.successes + (second?.successes ?? 0),
      episodes: first.episodes + (second?.episodes ?? 0),
      restarts: addRestarts(first.restarts, second?.restarts ?? NO_RESTARTS),
      result: first,
      isConfirmed: second !== undefined && second.episodes === more && failures + more - second.successes <= allowed,
    };
    this.#last = judged;
    if (this.#best === undefined || score(judged) >= score(this.#best)) this.#best = judged;
    return judged;
  }
}

function isSame(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Lower end of the 95 % interval: few episodes count for less. */
function score(judged: Judged): number {
  return wilsonInterval(judged.successes, judged.episodes).low;
}
