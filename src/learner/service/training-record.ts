/** Report of a training: a status line, and metrics with losses, rates, and critic values compared with returns. */
import { clockText, counted, Ema } from '../../model/index.ts';
import { type MetricRecord, RUN_FILES, RunMetrics, type UnstampedRecord } from '../../record/index.ts';
import { isIntervention, type Transition } from '../../rows/index.ts';
import type { Agent, UpdateMetrics } from '../agent/agent.ts';
import { type EpisodeReturns, RealisedReturns } from '../agent/calibration.ts';
import { DemonstrationProbe } from '../agent/demonstration-values.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { UpdateContract } from '../replay/utd.ts';
import { type Counts, missingOf } from './awaited.ts';

/** Training calls between two lines of metrics. */
const CALLS_PER_METRIC = 25;
/** Training calls, and pre-training updates, between two evaluations of demonstrations: less than a thousandth of the time. */
const CALLS_PER_VALUES = 200;
const UPDATES_PER_PRETRAINING_METRIC = 100;
/** Maximum number of episodes waiting for comparison with the critics: more than a learner ever lags in lock-step. */
const MAX_FINISHED = 64;
/** Number of episodes over which success is reported. */
const OUTCOMES = 20;

/** Values that the pages plot of each record, for algorithms that do not report them. */
const NOTHING = { criticLoss: null, actorLoss: null, temperature: null, entropy: null, qMean: null };

const NO_VALUES = { demonstrationQ: null, demonstrationReturn: null };

export interface TrainingRecordOptions {
  /** The metrics file. */
  readonly path: string;
  readonly contract: UpdateContract;
  readonly config: LearnerConfig;
  /** Step limit of an episode. */
  readonly maxSteps: number;
  readonly onFault: (message: string) => void;
  /** Called with each record written. */
  readonly onRecord?: (record: MetricRecord) => void;
}

export class TrainingRecord {
  readonly #metrics: RunMetrics;
  readonly #contract: UpdateContract;
  readonly #returns: RealisedReturns;
  readonly #probe: DemonstrationProbe;
  readonly #onFault: (message: string) => void;
  readonly #onRecord: (record: MetricRecord) => void;
  readonly #startedMs: number = performance.now();
  readonly #rate: Ema = new Ema(0.1);
  /** Finished episodes not yet compared with the critics, with the number of online transitions at their ends. */
  #finished: { readonly returns: EpisodeReturns; readonly online: number }[] = [];
  #calls = 0;
  #pretraining: { readonly phase: string; readonly updates: number } = { phase: '', updates: 0 };
  #criticLoss: number | undefined;
  readonly #maxSteps: number;
  /** Outcomes of the last episodes without interventions that ran to their own end, oldest first. */
  readonly #outcomes: boolean[] = [];
  /** Robots with an intervention in their current episode. */
  readonly #helped = new Set<string>();

  constructor({ path, contract, config, maxSteps, onFault, onRecord = () => undefined }: TrainingRecordOptions) {
    this.#maxSteps = maxSteps;
    this.#metrics = new RunMetrics({ path, events: RUN_FILES.learnerEvents, onDegraded: onFault });
    this.#contract = contract;
    this.#returns = new RealisedReturns(config);
    this.#probe = new DemonstrationProbe(config);
    this.#onFault = onFault;
    this.#onRecord = onRecord;
  }

  /** Critic updates per second while training, 0 before the first. */
  get updatesPerS(): number {
    return this.#rate.value || 0;
  }

  /** Seconds since this record was started. */
  get elapsedS(): number {
    return (performance.now() - this.#startedMs) / 1e3;
  }

  /** Critic loss last written; `undefined` before, and for algorithms without critics. */
  get criticLoss(): number | undefined {
    return this.#criticLoss;
  }

  /** Successes of the last episodes without interventions; excludes those cut before the task decided. */
  get success(): { readonly successes: number; readonly episodes: number } {
    return { successes: this.#outcomes.filter(Boolean).length, episodes: this.#outcomes.length };
  }

  /** Takes an accepted transition, before or during training; those of demonstrations are kept. */
  demonstration(transition: Transition, robotId: string): void {
    this.#probe.take(transition, robotId);
  }

  /** Records a call of pre-training, up to update number `update` of its phase. Training awaits this. */
  async pretrained(agent: Agent, phase: 'cloning' | 'offline', update: number, loss: number): Promise<void> {
    const { updates } = this.#pretraining;
    if (this.#pretraining.phase === phase && update - updates < UPDATES_PER_PRETRAINING_METRIC) return;
    this.#pretraining = { phase, updates: update };
    const values = phase === 'offline' ? await this.#probe.ask(agent) : undefined;
    this.#write({ kind: 'pretraining', phase, update, loss, ...(values ?? NO_VALUES) }, 0);
  }

  /** Records an accepted online transition: the `online`-th. */
  transition(transition: Transition, robotId: string, online: number): void {
    this.#judge(transition, robotId);
    const returns = this.#returns.collect(transition, robotId);
    if (returns !== undefined && this.#finished.length < MAX_FINISHED) this.#finished.push({ returns, online });
  }

  /** Records a training call that saw the first `online` transitions; `refused`: total number of discarded calls. */
  update(metrics: UpdateMetrics, online: number, refused: number): void {
    this.#rate.add((1e3 * this.#contract.updatesPerCall) / metrics.callMs);
    if (metrics.isRefused) this.#onFault(`Update ${metrics.updates} was not finite and was thrown away.`);
    if (this.#calls++ % CALLS_PER_METRIC !== 0) return;
    const { updates: update, values } = metrics;
    const utd = update / Math.max(1, online - this.#contract.warmupSteps);
    const losses = { ...NOTHING, ...values, update, refused };
    this.#criticLoss = losses.criticLoss ?? undefined;
    this.#write({ kind: 'update', ...losses, updatesPerS: this.updatesPerS, utd }, online);
  }

  /**
   * Compares the critics with the episodes that ended within the first `online` transitions, those that the last call saw: the
   * record does not depend on later arrivals. Periodically also with demonstrations. Must not overlap with an update.
   */
  async calibrate(agent: Agent, online: number): Promise<void> {
    if (this.#calls % CALLS_PER_VALUES === 1) {
      const values = await this.#probe.ask(agent);
      if (values !== undefined) this.#write({ kind: 'values', update: agent.updates, ...values }, online);
    }
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
    this.#write({ kind: 'calibration', pairs }, online);
  }

  async close(): Promise<void> {
    await this.#metrics.close();
  }

  /** Counts only episodes decided by the task, an operator or the step limit: an interrupted one is no evidence of the policy. */
  #judge({ source, terminated, truncated, reward, step }: Transition, robotId: string): void {
    if (isIntervention(source)) this.#helped.add(robotId);
    if (!terminated && !truncated) return;
    const isDecided = terminated || step + 1 >= this.#maxSteps;
    if (!this.#helped.delete(robotId) && isDecided) this.#outcomes.push(terminated && reward > 0);
    if (this.#outcomes.length > OUTCOMES) this.#outcomes.shift();
  }

  #write(record: UnstampedRecord, envStep: number): void {
    const stamped = { ...record, tS: this.elapsedS, envStep } as MetricRecord;
    this.#metrics.write(stamped);
    this.#onRecord(stamped);
  }
}

/** Data of the status line. */
export interface LearnerState {
  /** Names of connected robots. */
  readonly robots: readonly string[];
  readonly counts: Counts;
  readonly updates: number;
  /** Training calls whose result was not finite and was discarded. */
  readonly refused: number;
  /** Absent before training has begun. */
  readonly updatesPerS: number | undefined;
  /** Seconds since the start. */
  readonly elapsedS: number;
  /** Updates per environment step: achieved, and as configured. */
  readonly utd: number;
  readonly utdTarget: number;
  /** Critic loss last written; absent if there is none yet. */
  readonly criticLoss: number | undefined;
  /** Successes of the last episodes without interventions that ran to their own end. */
  readonly success: { readonly successes: number; readonly episodes: number };
  /** Number of demonstrations still missing; 0 if none. */
  readonly awaitedDemonstrations: number;
  /** Data that a learner with a checkpoint waits for; absent if it does not wait. */
  readonly waitsFor: Counts | undefined;
  /** Version of the policy published last. */
  readonly version: number;
}

/** Formats the status line. */
export function statusLine(state: LearnerState): string {
  const { robots, counts, updates, refused, updatesPerS, waitsFor, version, utd, utdTarget, criticLoss, success } =
    state;
  const who = robots.length === 0 ? 'no robot' : robots.join(', ');
  const parts = [
    `${clockText(state.elapsedS)} ${who}: ${counted(counts.demonstrations, 'demonstration step')}`,
    counted(counts.online, 'step'),
    counted(updates, 'update'),
    ...(updatesPerS === undefined
      ? []
      : [`UTD ${utd.toFixed(2)} of ${utdTarget}`, `${updatesPerS.toFixed(0)} updates/s`]),
    ...(criticLoss === undefined ? [] : [`critic loss ${criticLoss.toPrecision(2)}`]),
    ...(success.episodes === 0
      ? []
      : [`${success.successes} of the last ${success.episodes} episodes without help succeeded`]),
    ...(refused === 0 ? [] : [`calls that were not finite: ${refused}`]),
    ...(waitsFor === undefined ? [] : [waiting(counts, waitsFor)]),
    `policy ${version}`,
  ];
  const line = parts.join(', ');
  if (state.awaitedDemonstrations === 0) return line;
  return `${line}; waiting for ${counted(state.awaitedDemonstrations, 'demonstration')}: a robot gives them with --operator scripted, or you do with --operator keyboard`;
}

function waiting(counts: Counts, wanted: Counts): string {
  const all = wanted.online + wanted.demonstrations;
  return `waiting for ${missingOf(wanted, counts)} of ${all} transitions of the checkpoint`;
}
