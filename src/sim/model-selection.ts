/**
 * Selection of the policy that a run keeps. Policies oscillate while they learn: each candidate is judged on the same validation
 * episodes, and a good one is confirmed on others by a sequential test, so that luck does not decide.
 */
import { type PolicyWeights, wilsonInterval } from '../model/index.ts';
import type { EvaluationPool, Trial, TrialResult } from './evaluation-pool.ts';
import { type Hypotheses, mostEpisodes, type Verdict, verdict } from './sequential-test.ts';
import { addRestarts, NO_RESTARTS, type Restarts } from './simulated-robot.ts';

type Series = Pick<Trial, 'from' | 'episodes' | 'record' | 'isEnough'>;

export interface SelectionOptions {
  readonly pool: Pick<EvaluationPool, 'run'>;
  readonly seed: number;
  /** Number of episodes of the first look. */
  readonly episodes: number;
  /** Hypotheses of the sequential test by which a policy may end training. */
  readonly stop: Hypotheses;
  /** Ends a judgement in progress. */
  readonly signal: AbortSignal;
  /** Called with the number of episodes judged so far, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A judged policy. */
export interface Judged {
  readonly bundle: PolicyWeights;
  readonly successes: number;
  readonly episodes: number;
  /** Result of the first look. */
  readonly result: TrialResult;
  /** Restarts of the robots of these episodes; none if the policy was judged before. */
  readonly restarts: Restarts;
  /** The first look was good enough for a confirmation, which has not been tried yet. */
  readonly isPromising: boolean;
  /** Good enough, and confirmed: training may stop. */
  readonly isConfirmed: boolean;
}

export class ModelSelection {
  readonly #options: SelectionOptions;
  #best: Judged | undefined;
  #last: Judged | undefined;

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  /** Best policy so far. */
  get best(): Judged | undefined {
    return this.#best;
  }

  /**
   * Takes the first look at `bundle`; `record` requests the poses of the first episode. Weights equal to the last ones, whatever
   * their version, would repeat the same episodes: a clone that waits for its critics is judged only once.
   */
  async look(bundle: PolicyWeights, record: 'poses' | 'nothing'): Promise<Judged> {
    const last = this.#last;
    if (last !== undefined && isSame(last.bundle.weights, bundle.weights))
      return { ...last, bundle, restarts: NO_RESTARTS };
    const { episodes, stop } = this.#options;
    const extra = record === 'poses' ? { record: 0 } : {};
    const result = await this.#run(bundle, { from: 0, episodes, ...extra }, [0, episodes]);
    const { successes, restarts } = result;
    const isPromising = successes >= stop.atMost * episodes;
    return this.#keep({ bundle, successes, episodes, restarts, result, isPromising, isConfirmed: false });
  }

  /** Decides if a promising policy is good enough to end training, on episodes outside the first look. */
  async confirm(looked: Judged): Promise<Judged> {
    const { episodes, stop } = this.#options;
    const verdictOn = (sum: TrialResult): Verdict => verdict(stop, sum.successes, sum.episodes);
    const most = mostEpisodes(stop);
    const series = {
      from: episodes,
      episodes: most,
      isEnough: (sum: TrialResult) => verdictOn(sum) !== 'open',
    };
    const second = await this.#run(looked.bundle, series, [episodes, episodes + most]);
    return this.#keep({
      ...looked,
      successes: looked.result.successes + second.successes,
      episodes: looked.result.episodes + second.episodes,
      restarts: addRestarts(looked.restarts, second.restarts),
      isPromising: false,
      isConfirmed: verdictOn(second) === 'accepted',
    });
  }

  #run(bundle: PolicyWeights, series: Series, [before, total]: readonly [number, number]): Promise<TrialResult> {
    const { pool, seed, signal, onProgress } = this.#options;
    onProgress?.(before, total);
    return pool.run({
      candidate: { kind: 'weights', bundle },
      seed,
      stream: 'validation',
      signal,
      onProgress: (sum) => onProgress?.(before + sum.episodes, total),
      ...series,
    });
  }

  #keep(judged: Judged): Judged {
    this.#last = judged;
    if (this.#best === undefined || score(judged) >= score(this.#best)) this.#best = judged;
    return judged;
  }
}

function isSame(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Lower end of the 95 % interval, so that few episodes count for less. */
function score(judged: Judged): number {
  return wilsonInterval(judged.successes, judged.episodes).low;
}
