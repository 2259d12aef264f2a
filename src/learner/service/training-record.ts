/** What a learner writes down of its training: losses, rates, and what the critics expected beside what came. */
import { Ema, isIntervention, type Transition } from '../../core/index.ts';
import { MetricsWriter } from '../../record/index.ts';
import type { Agent, UpdateMetrics } from '../agent/agent.ts';
import { type EpisodeReturns, RealisedReturns } from '../agent/calibration.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { UpdateContract } from '../replay/utd.ts';

/** Training calls between two lines of metrics. */
const CALLS_PER_METRIC = 25;
/** Episodes that may wait to be held against the critics: more than a learner is ever behind in lock-step. */
const MAX_FINISHED = 64;
/** Episodes over which success is reported. */
const OUTCOMES = 20;

/** What the pages draw of each record, where an algorithm does not report it. */
const NOTHING = { criticLoss: null, actorLoss: null, temperature: null, entropy: null, qMean: null };

/** Critic updates per transition that pays for updates. */
export function achievedUtd(updates: number, online: number, contract: UpdateContract): number {
  return updates / Math.max(1, online - contract.warmupSteps);
}

export class TrainingRecord {
  readonly #metrics: MetricsWriter;
  readonly #contract: UpdateContract;
  readonly #returns: RealisedReturns;
  readonly #onFault: (sentence: string) => void;
  readonly #startedMs: number = performance.now();
  readonly #rate: Ema = new Ema(0.1);
  /** Finished episodes whose returns have not been held against the critics yet, with the online transitions until their ends. */
  #finished: { readonly returns: EpisodeReturns; readonly online: number }[] = [];
  #calls = 0;
  #criticLoss: number | undefined;
  readonly #maxSteps: number;
  /** Outcomes of the last episodes that nobody helped in and that ran to their own end, oldest first. */
  readonly #outcomes: boolean[] = [];
  /** Robots whose present episode somebody helped in. */
  readonly #helped = new Set<string>();

  /** `maxSteps`: an episode's time limit. */
  constructor(
    path: string,
    contract: UpdateContract,
    config: LearnerConfig,
    maxSteps: number,
    onFault: (sentence: string) => void,
  ) {
    this.#maxSteps = maxSteps;
    this.#metrics = new MetricsWriter(path, { onDegraded: onFault });
    this.#contract = contract;
    this.#returns = new RealisedReturns(config);
    this.#onFault = onFault;
  }

  /** Critic updates per second while training, 0 before the first. */
  get updatesPerS(): number {
    return this.#rate.value || 0;
  }

  /** Seconds since this record was begun. */
  get elapsedS(): number {
    return (performance.now() - this.#startedMs) / 1e3;
  }

  /** As it was written last; `undefined` before, and for algorithms without critics. */
  get criticLoss(): number | undefined {
    return this.#criticLoss;
  }

  /** Of the last episodes without help; those that were cut before the task decided are not among them. */
  get success(): { readonly successes: number; readonly episodes: number } {
    return { successes: this.#outcomes.filter(Boolean).length, episodes: this.#outcomes.length };
  }

  /** An online transition was taken: the `online`-th. */
  transition(transition: Transition, robotId: string, online: number): void {
    this.#judge(transition, robotId);
    const returns = this.#returns.collect(transition, robotId);
    if (returns !== undefined && this.#finished.length < MAX_FINISHED) this.#finished.push({ returns, online });
  }

  /** A training call was done that saw the first `online` transitions; `refused` in all were thrown away so far. */
  update(metrics: UpdateMetrics, online: number, refused: number): void {
    this.#rate.add((1e3 * this.#contract.updatesPerCall) / metrics.callMs);
    if (metrics.isRefused) this.#onFault(`Update ${metrics.updates} was not finite and was thrown away.`);
    if (this.#calls++ % CALLS_PER_METRIC !== 0) return;
    const { updates: update, values } = metrics;
    const utd = achievedUtd(update, online, this.#contract);
    const losses = { ...NOTHING, ...values, update, refused };
    this.#criticLoss = losses.criticLoss ?? undefined;
    this.#metrics.write({ kind: 'update', ...this.#stamp(online), ...losses, updatesPerS: this.updatesPerS, utd });
  }

  /**
   * Holds the critics against the episodes that ended within the first `online` transitions, those that the last call saw: what is
   * written does not depend on what has arrived since. Must not overlap with an update.
   */
  async calibrate(agent: Agent, online: number): Promise<void> {
    const finished = this.#finished.filter((episode) => episode.online <= online);
    if (finished.length === 0) return;
    this.#finished = this.#finished.slice(finished.length);
    // Behaviour cloning has no critics.
    if (agent.algorithm.value === undefined) return;
    const pairs: [number, number][] = [];
    for (const { returns: episode } of finished) {
      const { observations, actions, returns } = episode;
      const values = await agent.criticValues(observations, actions);
      for (const [i, realised] of returns.entries()) pairs.push([values[i]!, realised]);
    }
    this.#metrics.write({ kind: 'calibration', ...this.#stamp(online), pairs });
  }

  async close(): Promise<void> {
    await this.#metrics.close();
  }

  /** Only what the task, a person or the time limit decided is counted: a cut says nothing of the policy. */
  #judge({ source, terminated, truncated, reward, step }: Transition, robotId: string): void {
    if (isIntervention(source)) this.#helped.add(robotId);
    if (!terminated && !truncated) return;
    const isDecided = terminated || step + 1 >= this.#maxSteps;
    if (!this.#helped.delete(robotId) && isDecided) this.#outcomes.push(terminated && reward > 0);
    if (this.#outcomes.length > OUTCOMES) this.#outcomes.shift();
  }

  #stamp(envStep: number): { tS: number; envStep: number } {
    return { tS: (performance.now() - this.#startedMs) / 1e3, envStep };
  }
}
