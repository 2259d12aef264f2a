/** How a simulated run trains: which policies are judged between its episodes, which is kept, and when it is over. */
import type { ResolvedConfig } from '../config/index.ts';
import { type PolicyWeights, ReinError } from '../core/index.ts';
import { standsStill } from '../learner/options.ts';
import { type EpisodeRecording, workRates } from '../record/index.ts';
import type { LearnerConnection, SessionParts } from '../session/index.ts';
import { isJudgedByPeople } from '../tasks/index.ts';
import { type EvaluationPool, NO_TRIAL } from './evaluation-pool.ts';
import { type Judged, ModelSelection } from './model-selection.ts';
import { addRestarts, NO_RESTARTS, type Restarts } from './simulated-robot.ts';

/** Why training ended: a policy was confirmed, the steps were done, or the time was over that a person gave it. */
export type TrainingEnd = 'confirmed' | 'steps' | 'wall';

/** What training came to. */
export interface TrainingResult {
  readonly endedBy: TrainingEnd;
  readonly kept: Judged;
  /** Robots of validation that were started anew. */
  readonly restarts: Restarts;
  /** Poses of the first validation episode, before any training on the robot. */
  readonly firstRecording: EpisodeRecording | undefined;
}

/** A policy as it was at `step`, judged. */
interface Validation {
  readonly step: number;
  readonly judged: Judged;
}

/** Steps before nobody can tell how long the rest takes. */
const FIRST_ESTIMATE_STEPS = 50;

type Parts = Pick<SessionParts, 'setup' | 'policy' | 'live'>;

export class TrainingPlan {
  /** Its limit is a person's: where they gave none, what was learned ends the training. */
  readonly time: TrainingTime;
  readonly #parts: Parts;
  readonly #connection: LearnerConnection;
  readonly #task: ResolvedConfig['task'];
  readonly #selection: ModelSelection;
  readonly #signal: AbortSignal;
  #beganS: number | undefined;
  #restarts: Restarts = NO_RESTARTS;
  #validatedAt: number | undefined;
  /** A validation that goes on beside training; the next one waits for it, and writes down what came out. */
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
      stopAt: task.training.stopAtValidation,
      onProgress: (done, total) => this.#showProgress(done, total),
    });
  }

  /** Present once training is over. */
  get result(): TrainingResult | undefined {
    return this.#result;
  }

  /** The run begins to work, with its demonstrations. */
  begin(): void {
    const { learner, task } = this.#parts.setup.config;
    const still = standsStill(learner, task.training.steps);
    if (still !== undefined) this.#parts.live.log.message(still);
    this.time.begin();
  }

  /** Judges the weights in use where that is due. Gives the steps that are left, or 0 when training is over. */
  async nextEpisode(): Promise<number> {
    const { training, validation } = this.#task;
    const steps = this.#steps;
    this.#beganS ??= this.time.usedS;
    const isDue = this.#validatedAt === undefined || steps - this.#validatedAt >= validation.everySteps;
    if (isDue && (await this.#validate())) return this.#end('confirmed');
    if (steps < training.steps && !this.time.isOver) return training.steps - steps;
    if (this.#validatedAt !== steps && (await this.#validate())) return this.#end('confirmed');
    if (steps >= training.steps) return this.#end('steps');
    this.#parts.live.log.message(`training ended by its limit of time, ${training.timeLimitS} s`);
    return this.#end('wall');
  }

  beforeStep(): void {
    const { status } = this.#parts.live.log;
    status.timeLeftS = this.#timeLeftS();
  }

  /** Where the run was ended meanwhile, what was judged is written down all the same. Never rejects. */
  async close(): Promise<void> {
    await this.#finishValidation().catch(() => undefined);
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

  /** Where people judge, nobody has the time to look at each candidate in as many episodes. */
  async #newest(): Promise<Judged> {
    const bundle = await this.#connection.takeVersion(this.#parts.policy.version);
    return { bundle, successes: 0, episodes: 0, result: NO_TRIAL, restarts: NO_RESTARTS, isConfirmed: false };
  }

  /** Whether training may end here: before, a cloned policy that is good by itself is still to improve. */
  get #mayEnd(): boolean {
    const { minimumSteps, steps } = this.#task.training;
    return this.#steps >= Math.min(minimumSteps, steps);
  }

  /**
   * Judges the weights in use. True when training may stop. As long as it may not, nobody has to wait: the policy is judged beside
   * training, and what comes out is the same.
   */
  async #validate(): Promise<boolean> {
    const { policy, live } = this.#parts;
    if (isJudgedByPeople(this.#task)) return false;
    await this.#finishValidation();
    this.#signal.throwIfAborted();
    this.#validatedAt = this.#steps;
    const bundle = await this.#connection.takeVersion(policy.version);
    live.log.uses(bundle.manifest.version);
    this.#validating = this.#judge(bundle);
    // Who waits for it hears of an error; until then nobody listens.
    this.#validating.catch(() => undefined);
    if (!this.#mayEnd) return false;
    live.log.phase('validating');
    const isConfirmed = await this.#finishValidation();
    live.log.phase('training');
    return isConfirmed;
  }

  /** Waits for the validation under way, and writes it down: where the lines of a run stand does not depend on how long it took. */
  async #finishValidation(): Promise<boolean> {
    const validation = await this.#validating;
    this.#validating = undefined;
    if (validation === undefined) return false;
    const { log } = this.#parts.live;
    const { step, judged } = validation;
    const { successes, episodes, isConfirmed, bundle, result, restarts } = judged;
    this.#restarts = addRestarts(this.#restarts, restarts);
    if (restarts.count > 0) {
      const message = `${restarts.count} of ${episodes} validation episodes ended in a stop of category 1`;
      log.message(`${message}: ${restarts.reason}`);
    }
    const { version: policyVersion } = bundle.manifest;
    log.write({ kind: 'validation', policyVersion, successes, episodes, meanSteps: result.meanSteps }, step);
    return isConfirmed;
  }

  async #judge(bundle: PolicyWeights): Promise<Validation> {
    const { live } = this.#parts;
    const { status } = live.log;
    const step = this.#steps;
    const judged = await this.#selection.judge(bundle, step === 0 ? 'poses' : 'nothing');
    const { recording } = judged.result;
    if (recording !== undefined) {
      const caption = `First validation episode, before training, policy ${bundle.manifest.version}`;
      this.#firstRecording = { ...recording, caption };
    }
    const { successes, episodes } = judged;
    status.success = { successes, episodes, rates: workRates(live.work) };
    status.successHistory = [...status.successHistory, successes / episodes];
    live.log.noProgress();
    return { step, judged };
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
  /** Absent: what was learned ends the training, and the clock decides nothing. */
  readonly limitS: number | undefined;
  /** Monotonic seconds. */
  readonly nowS: () => number;
}

/** The wall time of a training, without what it waited for a person's hand, and the limit that a person may give it. */
export class TrainingTime {
  readonly #options: TrainingTimeOptions;
  #startedS: number;
  #pacedS = 0;

  constructor(options: TrainingTimeOptions) {
    this.#options = options;
    this.#startedS = options.nowS();
  }

  /** The run begins to work, with its demonstrations. */
  begin(): void {
    this.#startedS = this.#options.nowS();
  }

  /** What `training_wall_s` holds when training is over. */
  get usedS(): number {
    return this.#options.nowS() - this.#startedS - this.#pacedS;
  }

  /** Infinity without a limit. */
  get leftS(): number {
    return (this.#options.limitS ?? Number.POSITIVE_INFINITY) - this.usedS;
  }

  /** No further episode begins; what was learned is still judged. */
  get isOver(): boolean {
    return this.leftS <= 0;
  }

  /** `seconds` were waited so that a person could steer in real time; they cost nothing. */
  pause(seconds: number): void {
    this.#pacedS += seconds;
  }
}
