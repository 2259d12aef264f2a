/** How a simulated run trains: which policies are judged between its episodes, which is kept, and when it is over. */
import type { ResolvedConfig } from '../config/index.ts';
import { type PolicyWeights, ReinError } from '../core/index.ts';
import { standsStill } from '../learner/options.ts';
import { type EpisodeRecording, workRates } from '../record/index.ts';
import type { LearnerConnection, SessionParts } from '../session/index.ts';
import { isJudgedByPeople } from '../tasks/index.ts';
import { type EvaluationPool, NO_TRIAL } from './evaluation-pool.ts';
import { type Judged, ModelSelection } from './model-selection.ts';
import type { Hypotheses } from './sequential-test.ts';
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

/** Share of the steps between two validations after which one is read. Till then it has had the time of some seconds of training. */
const READ_AFTER = 0.2;
/** Steps before nobody can tell how long the rest takes. */
const FIRST_ESTIMATE_STEPS = 50;

type Parts = Pick<SessionParts, 'setup' | 'policy' | 'live'>;

/** Failures of what a policy that may end training is told from, as a multiple of its own. */
const FAILS_MORE = 6;

/** What the policy that ends training is told from: something that fails `FAILS_MORE` times as often, or that just misses the target. */
function hypothesesOf({ training: { stopAtValidation: atLeast }, target }: ResolvedConfig['task']): Hypotheses {
  const worse = Math.max(target.successRate, 1 - FAILS_MORE * (1 - atLeast));
  // Certainty is told from the target, and where that is certainty too, from the rule of thumb.
  return { atMost: worse < atLeast ? worse : Math.min(target.successRate, 0.9), atLeast };
}

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
      stop: hypothesesOf(task),
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

  /**
   * Judges the weights in use where that is due, beside training: what comes out is read a fixed number of steps later, however long it
   * took. Gives the steps that are left, or 0 when training is over.
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

  /** Where the run was ended meanwhile, what was looked at is written down all the same. Never rejects. */
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

  /** Where people judge, nobody has the time to look at each candidate in as many episodes. */
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

  /** Whether training may end here: before, a cloned policy that is good by itself is still to improve. */
  get #mayEnd(): boolean {
    const { minimumSteps, steps } = this.#task.training;
    return this.#steps >= Math.min(minimumSteps, steps);
  }

  /** Begins to look at the weights in use, beside training. */
  async #validate(): Promise<void> {
    const { policy, live } = this.#parts;
    if (isJudgedByPeople(this.#task)) return;
    this.#signal.throwIfAborted();
    this.#validatedAt = this.#steps;
    const bundle = await this.#connection.takeVersion(policy.version);
    live.log.uses(bundle.manifest.version);
    this.#validating = this.#judge(bundle);
    // Who waits for it hears of an error; until then nobody listens.
    this.#validating.catch(() => undefined);
  }

  /**
   * Waits for the validation under way, confirms it where training may end by it, and writes it down: where the lines of a run stand does
   * not depend on how long it took. True when the policy is confirmed.
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

  /** Before training may end, a promising policy is one among others. Meanwhile the robot waits. */
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
      // Weights that are the same are not looked at again, and their film is that of the first.
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
