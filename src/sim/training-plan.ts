/** Training schedule of a simulated run: validation between episodes, selection of the policy, and end of training. */
import type { ResolvedConfig } from '../config/index.ts';
import { standsStill } from '../learner/options.ts';
import { type PolicyWeights, ReinError } from '../model/index.ts';
import { type EpisodeRecording, workRates } from '../record/index.ts';
import type { LearnerConnection, SessionParts } from '../session/index.ts';
import { isJudgedByPeople } from '../tasks/index.ts';
import { type EvaluationPool, NO_TRIAL } from './evaluation-pool.ts';
import { type Judged, ModelSelection } from './model-selection.ts';
import type { Hypotheses } from './sequential-test.ts';
import { addRestarts, NO_RESTARTS, type Restarts } from './simulated-robot.ts';

/** Reason for the end of training: a policy was confirmed, the steps were done, or the user's time limit was reached. */
export type TrainingEnd = 'confirmed' | 'steps' | 'wall';

/** Result of the training. */
export interface TrainingResult {
  readonly endedBy: TrainingEnd;
  readonly kept: Judged;
  /** Restarts of validation robots. */
  readonly restarts: Restarts;
  /** Poses of the first validation episode, before any training on the robot. */
  readonly firstRecording: EpisodeRecording | undefined;
}

/** A policy as it was at `step`, judged. */
interface Validation {
  readonly step: number;
  readonly judged: Judged;
}

/** Fraction of the validation interval after which a validation is read; by then it has had some seconds of training time. */
const READ_AFTER = 0.2;
/** Steps before which the remaining time cannot be estimated. */
const FIRST_ESTIMATE_STEPS = 50;

type Parts = Pick<SessionParts, 'setup' | 'policy' | 'live'>;

/** Failure rate of the alternative hypothesis, as a multiple of that of a policy that may end training. */
const FAILS_MORE = 6;

/** Alternative to the policy that ends training: one that fails `FAILS_MORE` times as often, or that just misses the target. */
function hypothesesOf({ training: { stopAtValidation: atLeast }, target }: ResolvedConfig['task']): Hypotheses {
  const worse = Math.max(target.successRate, 1 - FAILS_MORE * (1 - atLeast));
  // Without a gap, as at a rate of 1, the alternative is the target, at most 0.9.
  return { atMost: worse < atLeast ? worse : Math.min(target.successRate, 0.9), atLeast };
}

export class TrainingPlan {
  /** Its limit is the user's; without one, learning alone ends the training. */
  readonly time: TrainingTime;
  readonly #parts: Parts;
  readonly #connection: LearnerConnection;
  readonly #task: ResolvedConfig['task'];
  readonly #selection: ModelSelection;
  readonly #signal: AbortSignal;
  #beganS: number | undefined;
  #restarts: Restarts = NO_RESTARTS;
  #validatedAt: number | undefined;
  /** A validation that runs beside training; the next one waits for it and records its result. */
  #validating: Promise<Validation> | undefined;
  #firstRecording: EpisodeRecording | undefined;
  #result: TrainingResult | undefined;

  constructor(parts: Parts, connection: LearnerConnection, pool: EvaluationPool, signal: AbortSignal) {
    const { setup, live } = parts;
    const { task, seed } = setup.config;
    this.#parts = parts;
    this.#connection = connection;
    this.#task = task;
    this.#signal = signal;
    this.time = new TrainingTime({ limitS: task.training.timeLimitS, nowS: () => live.log.elapsedS });
    this.#selection = new ModelSelection({
      pool,
      seed,
      signal,
      episodes: task.validation.episodes,
      stop: hypothesesOf(task),
      onProgress: (done, total) => this.#showProgress(done, total),
    });
  }

  /** Present once training is over. */
  get result(): TrainingResult | undefined {
    return this.#result;
  }

  /** Called when the run begins to work, with its demonstrations. */
  begin(): void {
    const { learner, task } = this.#parts.setup.config;
    const still = standsStill(learner, task.training.steps);
    if (still !== undefined) this.#parts.live.log.message(still);
    this.time.begin();
  }

  /**
   * Judges the current weights if due, beside training; the result is read a fixed number of steps later, however long it
   * took. Returns the remaining steps, or 0 once training is over.
   */
  async nextEpisode(): Promise<number> {
    const { training, validation } = this.#task;
    const steps = this.#steps;
    this.#beganS ??= this.time.usedS;
    const sinceLook = steps - (this.#validatedAt ?? Number.NEGATIVE_INFINITY);
    if (sinceLook >= READ_AFTER * validation.everySteps && (await this.#finishValidation()))
      return this.#end('confirmed');
    if (sinceLook >= validation.everySteps) await this.#validate();
    if (steps < training.steps && !this.time.isOver) return training.steps - steps;
    if (this.#validatedAt !== steps) {
      if (await this.#finishValidation()) return this.#end('confirmed');
      await this.#validate();
    }
    if (await this.#finishValidation()) return this.#end('confirmed');
    if (steps >= training.steps) return this.#end('steps');
    this.#parts.live.log.message(`training ended by its limit of time, ${training.timeLimitS} s`);
    return this.#end('wall');
  }

  beforeStep(): void {
    const { status } = this.#parts.live.log;
    status.timeLeftS = this.#timeLeftS();
  }

  /** Records a pending validation even if the run was ended meanwhile. Never rejects. */
  async close(): Promise<void> {
    const looked = await this.#validating?.catch(() => undefined);
    this.#validating = undefined;
    if (looked !== undefined) this.#write(looked);
  }

  get #steps(): number {
    return this.#parts.live.log.status.envSteps;
  }

  async #end(endedBy: TrainingEnd): Promise<0> {
    await this.#finishValidation();
    const kept = isJudgedByPeople(this.#task) ? await this.#newest() : this.#selection.best;
    if (kept === undefined) throw new ReinError('policy', 'No policy was judged.');
    const { successes, episodes, bundle } = kept;
    const { version } = bundle.manifest;
    const why =
      episodes === 0 ? 'it is the newest, none was validated' : `${successes} of ${episodes} validation episodes`;
    this.#parts.live.log.message(`policy ${version} is kept: ${why}`);
    this.#result = { endedBy, kept, restarts: this.#restarts, firstRecording: this.#firstRecording };
    return 0;
  }

  /** Newest policy: people cannot judge every candidate in as many episodes. */
  async #newest(): Promise<Judged> {
    const bundle = await this.#connection.takeVersion(this.#parts.policy.version);
    return {
      bundle,
      successes: 0,
      episodes: 0,
      result: NO_TRIAL,
      restarts: NO_RESTARTS,
      isPromising: false,
      isConfirmed: false,
    };
  }

  /** True if training may end here: earlier, a cloned policy that is good by itself still has to improve. */
  get #mayEnd(): boolean {
    const { minimumSteps, steps } = this.#task.training;
    return this.#steps >= Math.min(minimumSteps, steps);
  }

  /** Starts judging the current weights, beside training. */
  async #validate(): Promise<void> {
    const { policy, live } = this.#parts;
    if (isJudgedByPeople(this.#task)) return;
    this.#signal.throwIfAborted();
    this.#validatedAt = this.#steps;
    const bundle = await this.#connection.takeVersion(policy.version);
    live.log.uses(bundle.manifest.version);
    this.#validating = this.#judge(bundle);
    // An error is reported to the caller that awaits the validation; until then it must not count as unhandled.
    this.#validating.catch(() => undefined);
  }

  /**
   * Waits for the pending validation, confirms it if training may end by it, and records it: the position of its line in the run's
   * files does not depend on how long it took. Returns true if the policy is confirmed.
   */
  async #finishValidation(): Promise<boolean> {
    const looked = await this.#validating;
    this.#validating = undefined;
    if (looked === undefined) return false;
    const validation = await this.#confirmed(looked);
    this.#write(validation);
    return validation.judged.isConfirmed;
  }

  #write({ step, judged }: Validation): void {
    const { log } = this.#parts.live;
    this.#show(judged);
    const { successes, episodes, bundle, result, restarts } = judged;
    this.#restarts = addRestarts(this.#restarts, restarts);
    if (restarts.count > 0) {
      const message = `${restarts.count} of ${episodes} validation episodes ended in a stop of category 1`;
      log.message(`${message}: ${restarts.reason}`);
    }
    const { version: policyVersion } = bundle.manifest;
    log.write({ kind: 'validation', policyVersion, successes, episodes, meanSteps: result.meanSteps }, step);
  }

  /** Confirms a promising policy once training may end; the robot waits meanwhile. */
  async #confirmed({ step, judged }: Validation): Promise<Validation> {
    if (!judged.isPromising || !this.#mayEnd) return { step, judged };
    const { log } = this.#parts.live;
    log.phase('validating');
    const confirmed = await this.#selection.confirm(judged);
    log.phase('training');
    return { step, judged: confirmed };
  }

  async #judge(bundle: PolicyWeights): Promise<Validation> {
    const step = this.#steps;
    const judged = await this.#selection.look(bundle, step === 0 ? 'poses' : 'nothing');
    const { recording } = judged.result;
    if (recording !== undefined) {
      const caption = `First validation episode, before training, policy ${bundle.manifest.version}`;
      // Equal weights are not judged again, and keep the first recording.
      this.#firstRecording ??= { ...recording, caption };
    }
    return { step, judged };
  }

  #show({ successes, episodes }: Judged): void {
    const { live } = this.#parts;
    const { status } = live.log;
    status.success = { successes, episodes, rates: workRates(live.work) };
    status.successHistory = [...status.successHistory, successes / episodes];
    live.log.noProgress();
  }

  #showProgress(done: number, total: number): void {
    const { log } = this.#parts.live;
    log.progress(done, total, 'episodes', log.status.phase === 'validating' ? undefined : 'validating');
  }

  #timeLeftS(): number | null {
    const steps = this.#steps;
    if (steps < FIRST_ESTIMATE_STEPS || this.#beganS === undefined) return null;
    const rate = steps / (this.time.usedS - this.#beganS);
    return Math.max(0, Math.min(this.time.leftS, (this.#task.training.steps - steps) / rate));
  }
}

export interface TrainingTimeOptions {
  /** Absent: learning alone ends the training, and the clock decides nothing. */
  readonly limitS: number | undefined;
  /** Monotonic seconds. */
  readonly nowS: () => number;
}

/** Wall time of a training, excluding real-time delays for operators, with the user's time limit. */
export class TrainingTime {
  readonly #options: TrainingTimeOptions;
  #startedS: number;
  #pacedS = 0;

  constructor(options: TrainingTimeOptions) {
    this.#options = options;
    this.#startedS = options.nowS();
  }

  /** Called when the run begins to work, with its demonstrations. */
  begin(): void {
    this.#startedS = this.#options.nowS();
  }

  /** `training_wall_s`, once training is over. */
  get usedS(): number {
    return this.#options.nowS() - this.#startedS - this.#pacedS;
  }

  /** Infinity without a limit. */
  get leftS(): number {
    return (this.#options.limitS ?? Number.POSITIVE_INFINITY) - this.usedS;
  }

  /** True if no further episode begins; what was learned is still judged. */
  get isOver(): boolean {
    return this.leftS <= 0;
  }

  /** Excludes `seconds` of delay that let an operator act in real time. */
  pause(seconds: number): void {
    this.#pacedS += seconds;
  }
}
