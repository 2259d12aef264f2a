/** What a learner reports of its training: a line for people, and metrics: losses, rates, and what the critics expected beside what came. */
import { clockText, counted, Ema, isIntervention, type Transition } from '../../core/index.ts';
import { type MetricRecord, RUN_FILES, RunMetrics, type UnstampedRecord } from '../../record/index.ts';
import type { Agent, UpdateMetrics } from '../agent/agent.ts';
import { type EpisodeReturns, RealisedReturns } from '../agent/calibration.ts';
import { DemonstrationProbe } from '../agent/demonstration-values.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { UpdateContract } from '../replay/utd.ts';
import { type Counts, missingOf } from './awaited.ts';

/** Training calls between two lines of metrics. */
const CALLS_PER_METRIC = 25;
/** Training calls, and updates of pre-training, between two looks at the values of demonstrations: under a thousandth of the time. */
const CALLS_PER_VALUES = 200;
const UPDATES_PER_PRETRAINING_METRIC = 100;
/** Episodes that may wait to be held against the critics: more than a learner is ever behind in lock-step. */
const MAX_FINISHED = 64;
/** Episodes over which success is reported. */
const OUTCOMES = 20;

/** What the pages draw of each record, where an algorithm does not report it. */
const NOTHING = { criticLoss: null, actorLoss: null, temperature: null, entropy: null, qMean: null };

const NO_VALUES = { demonstrationQ: null, demonstrationReturn: null };

export interface TrainingRecordOptions {
  /** The metrics file. */
  readonly path: string;
  readonly contract: UpdateContract;
  readonly config: LearnerConfig;
  /** An episode's time limit. */
  readonly maxSteps: number;
  readonly onFault: (message: string) => void;
  /** Told of each record that is written. */
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
  /** Finished episodes whose returns have not been held against the critics yet, with the online transitions until their ends. */
  #finished: { readonly returns: EpisodeReturns; readonly online: number }[] = [];
  #calls = 0;
  #pretraining: { readonly phase: string; readonly updates: number } = { phase: '', updates: 0 };
  #criticLoss: number | undefined;
  readonly #maxSteps: number;
  /** Outcomes of the last episodes that nobody helped in and that ran to their own end, oldest first. */
  readonly #outcomes: boolean[] = [];
  /** Robots whose present episode somebody helped in. */
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

  /** A transition was taken, before training began or since: those of demonstrations are kept in mind. */
  demonstration(transition: Transition, robotId: string): void {
    this.#probe.take(transition, robotId);
  }

  /** A call of pre-training was done, the `update`-th update of its phase. Its training waits for this. */
  async pretrained(agent: Agent, phase: 'cloning' | 'offline', update: number, loss: number): Promise<void> {
    const { updates } = this.#pretraining;
    if (this.#pretraining.phase === phase && update - updates < UPDATES_PER_PRETRAINING_METRIC) return;
    this.#pretraining = { phase, updates: update };
    const values = phase === 'offline' ? await this.#probe.ask(agent) : undefined;
    this.#write({ kind: 'pretraining', phase, update, loss, ...(values ?? NO_VALUES) }, 0);
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
    const utd = update / Math.max(1, online - this.#contract.warmupSteps);
    const losses = { ...NOTHING, ...values, update, refused };
    this.#criticLoss = losses.criticLoss ?? undefined;
    this.#write({ kind: 'update', ...losses, updatesPerS: this.updatesPerS, utd }, online);
  }

  /**
   * Holds the critics against the episodes that ended within the first `online` transitions, those that the last call saw: what is
   * written does not depend on what has arrived since. Now and then against demonstrations too. Must not overlap with an update.
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

  /** Only what the task, a person or the time limit decided is counted: a cut is no evidence of the policy. */
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

/** How a learner is doing. */
export interface LearnerState {
  /** Names of those that are connected. */
  readonly robots: readonly string[];
  readonly counts: Counts;
  readonly updates: number;
  /** Training calls whose result was not finite and was thrown away. */
  readonly refused: number;
  /** Absent before the training has begun. */
  readonly updatesPerS: number | undefined;
  /** Seconds since it was started. */
  readonly elapsedS: number;
  /** Updates per environment step: achieved, and as configured. */
  readonly utd: number;
  readonly utdTarget: number;
  /** Of the critic, as written last; absent where there is none yet. */
  readonly criticLoss: number | undefined;
  /** Of the last episodes without help that its robots brought to their own end. */
  readonly success: { readonly successes: number; readonly episodes: number };
  /** Demonstrations that nobody has given yet; 0 where none are missing. */
  readonly awaitedDemonstrations: number;
  /** What a learner with a checkpoint waits for before it goes on; absent where it does not wait. */
  readonly waitsFor: Counts | undefined;
  /** Of the policy that was published last. */
  readonly version: number;
}

/** One line. */
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
