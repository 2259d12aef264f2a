/** Training episodes on the simulated robot, with interventions, validation in between, and the choice of a policy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type PolicyWeights, ReinError, Rng, type Transition } from '../core/index.ts';
import { OnnxPolicy, type PolicyNoise } from '../policy/index.ts';
import { type EpisodeRecording, type Work, workRates } from '../record/index.ts';
import type { EpisodeResult } from '../session/index.ts';
import { createScriptedOperator, encoderFor } from '../session/index.ts';
import { OperatorDesk } from '../teleop/index.ts';
import { type Judged, ModelSelection } from './model-selection.ts';
import type { Rig } from './rig.ts';
import { TrainingTime } from './training-time.ts';
import { versionDue } from './weights-schedule.ts';

/** Why training ended: a policy was confirmed, the steps were done, or the time was over that a person gave it. */
type TrainingEnd = 'confirmed' | 'steps' | 'wall';

export interface TrainingResult {
  readonly endedBy: TrainingEnd;
  readonly kept: Judged;
  readonly steps: number;
  /** Robots of validation that were started anew. */
  readonly validationRestarts: number;
  readonly validationRestartedFor: string | undefined;
  readonly interventions: number;
  readonly interventionSteps: number;
  /** All of the training episodes, in simulated time. */
  readonly work: Work;
  /** Seconds that were waited so that a person could steer in real time. */
  readonly pacedS: number;
  /** Poses of the first validation episode, before any training on the robot. */
  readonly firstRecording: EpisodeRecording | undefined;
}

/** A policy as it was at `step`, judged. */
interface Validation {
  readonly step: number;
  readonly judged: Judged;
}

/** `startedS` is when the run began to work, seconds of `rig.log.elapsedS`: a person's limit of time counts from there. */
export async function train(rig: Rig, startedS: number): Promise<TrainingResult> {
  const training = new Training(rig, startedS);
  try {
    return await training.run();
  } finally {
    await training.close();
  }
}

class Training {
  readonly #rig: Rig;
  readonly #policy: OnnxPolicy;
  readonly #desk: OperatorDesk;
  readonly #selection: ModelSelection;
  readonly #layouts: Rng;
  readonly #exploration: PolicyNoise;
  readonly #time: TrainingTime;
  readonly #startedS: number;
  #steps = 0;
  #episodes = 0;
  #validationRestarts = 0;
  #validationRestartedFor: string | undefined;
  #interventions = 0;
  #interventionSteps = 0;
  #successes = 0;
  #trainingTicks = 0;
  #validatedAt = 0;
  /** A validation that goes on beside training; the next one waits for it, and writes down what came out. */
  #validating: Promise<Validation> | undefined;
  #nextStepMs = 0;
  #stoppedSteps = 0;
  #firstRecording: EpisodeRecording | undefined;

  constructor(rig: Rig, startedS: number) {
    const { setup, keyboard, pool, log } = rig;
    const { observationSize, actionSize, schemaHash, config } = setup;
    this.#rig = rig;
    const { runId } = rig.folder;
    this.#policy = new OnnxPolicy({ observationSize, actionSize, schemaHash, runId, ...encoderFor(setup) });
    const scripted = createScriptedOperator(setup, config.seed * 2 + 2);
    this.#desk = new OperatorDesk(keyboard === undefined ? [scripted] : [keyboard, scripted], actionSize);
    const root = new Rng(config.seed);
    this.#layouts = root.fork('layouts');
    this.#exploration = { rng: root.fork('exploration'), purpose: 'explore' };
    const { validation, training } = config.task;
    this.#time = new TrainingTime({ limitS: training.timeLimitS, startedS, nowS: () => log.elapsedS });
    this.#selection = new ModelSelection({
      pool,
      seed: config.seed,
      episodes: validation.episodes,
      stopAt: training.stopAtValidation,
      signal: rig.signal,
      onProgress: (done, total) => this.#showProgress(done, total),
    });
    this.#startedS = this.#time.usedS;
  }

  async run(): Promise<TrainingResult> {
    const { log } = this.#rig;
    log.phase('behaviour cloning');
    await this.#useDueWeights();
    log.phase('training');
    const endedBy = await this.#learn();
    await this.#finishValidation();
    const kept = this.#selection.best;
    if (kept === undefined) throw new ReinError('policy', 'No policy was judged.');
    const { successes, episodes, bundle } = kept;
    log.message(`policy ${bundle.manifest.version} is kept: ${successes} of ${episodes} validation episodes`);
    return {
      endedBy,
      kept,
      steps: this.#steps,
      validationRestarts: this.#validationRestarts,
      validationRestartedFor: this.#validationRestartedFor,
      interventions: this.#interventions,
      interventionSteps: this.#interventionSteps,
      work: this.#work,
      pacedS: this.#time.pacedS,
      firstRecording: this.#firstRecording,
    };
  }

  async #learn(): Promise<TrainingEnd> {
    const { log, setup } = this.#rig;
    const { training, validation } = setup.config.task;
    let isConfirmed = await this.#validate();
    while (!isConfirmed && this.#steps < training.steps && !this.#time.isOver) {
      await this.#episode();
      if (this.#steps - this.#validatedAt >= validation.everySteps) isConfirmed = await this.#validate();
    }
    if (!isConfirmed && this.#steps > this.#validatedAt) isConfirmed = await this.#validate();
    if (isConfirmed) return 'confirmed';
    if (this.#steps >= training.steps) return 'steps';
    log.message(`training ended by its limit of time, ${training.timeLimitS} s`);
    return 'wall';
  }

  async close(): Promise<void> {
    // Where the run was ended meanwhile, what was judged is written down all the same.
    await this.#finishValidation().catch(() => undefined);
    await this.#policy.close();
  }

  async #episode(): Promise<void> {
    const { setup, log, robot } = this.#rig;
    const ticksBefore = robot.link.latest.ticks;
    const result = await robot.runner.run({
      layout: setup.task.drawLayout(this.#layouts),
      policy: this.#policy,
      noise: this.#exploration,
      operator: this.#desk,
      purpose: 'training',
      maxSteps: setup.config.task.training.steps - this.#steps,
      beforeStep: () => this.#beforeStep(),
      onStep: (transition) => this.#afterStep(transition),
    });
    this.#count(result);
    const { ticks } = robot.link.latest;
    log.episode('training', this.#episodes++, result, ticks / setup.config.robot.controlHz);
    if (result.abortedBy !== undefined) {
      log.message(`episode ${this.#episodes} ended early: ${result.abortedBy}`);
    }
    log.restarted(await robot.goOn());
    this.#trainingTicks += robot.link.latest.ticks - ticksBefore;
  }

  async #beforeStep(): Promise<void> {
    const { signal, keyboard } = this.#rig;
    signal.throwIfAborted();
    await this.#waitWhileStopped();
    await this.#useDueWeights();
    // A hand needs real time; without one, time is as fast as the machine.
    if (keyboard?.state.isInControl) {
      const waitMs = Math.max(0, this.#nextStepMs - performance.now());
      this.#time.pause(waitMs / 1e3);
      await sleep(waitMs);
      this.#nextStepMs = Math.max(this.#nextStepMs, performance.now()) + 1e3 / this.#rig.setup.config.task.policyHz;
    }
  }

  /** After a second of a stop the arm rests, and more of it is nothing to learn from: simulated time stands still. */
  async #waitWhileStopped(): Promise<void> {
    const { signal, keyboard, setup } = this.#rig;
    if (keyboard === undefined || !keyboard.state.isStopped) {
      this.#stoppedSteps = 0;
      return;
    }
    if (++this.#stoppedSteps <= setup.config.task.policyHz) return;
    while (keyboard.state.isStopped) {
      if (keyboard.state.isLost) {
        throw new ReinError('environment', 'The terminal went away while its operator had the arm stopped.');
      }
      const startMs = performance.now();
      await sleep(50);
      this.#time.pause((performance.now() - startMs) / 1e3);
      signal.throwIfAborted();
    }
  }

  #afterStep(transition: Transition): void {
    const { connection, log, robot, keyboard } = this.#rig;
    connection.record(transition);
    log.basePolicy(transition, robot.runner.basePlace);
    this.#steps++;
    log.status.envSteps = this.#steps;
    log.status.timeLeftS = this.#timeLeftS();
    log.filter(robot.link.latest, transition.marginMin);
    log.step(transition, connection, keyboard?.state.isStopped === true ? 'stopped' : 'moving');
  }

  /** Waits for the weights of this step, where they are other ones, and swaps them in. */
  async #useDueWeights(): Promise<void> {
    const { setup, connection } = this.#rig;
    const due = versionDue(setup.config.learner, this.#steps);
    if (due === this.#policy.version) return;
    const bundle = await connection.takeVersion(due);
    const swapped = await this.#policy.swap(bundle);
    if (!swapped.ok) throw swapped.error;
  }

  /** Whether training may end here: before, a cloned policy that is good by itself is still to improve. */
  get #mayEnd(): boolean {
    const { minimumSteps, steps } = this.#rig.setup.config.task.training;
    return this.#steps >= Math.min(minimumSteps, steps);
  }

  /**
   * Judges the weights in use. True when training may stop. As long as it may not, nobody has to wait: the policy is judged beside
   * training, and what comes out is the same.
   */
  async #validate(): Promise<boolean> {
    const { connection, log, signal } = this.#rig;
    await this.#finishValidation();
    signal.throwIfAborted();
    this.#validatedAt = this.#steps;
    const bundle = await connection.takeVersion(this.#policy.version);
    log.uses(bundle.manifest.version);
    this.#validating = this.#judge(bundle);
    // Who waits for it hears of an error; until then nobody listens.
    this.#validating.catch(() => undefined);
    if (!this.#mayEnd) return false;
    log.phase('validating');
    const isConfirmed = await this.#finishValidation();
    log.phase('training');
    return isConfirmed;
  }

  /** Waits for the validation under way, and writes it down: where the lines of a run stand does not depend on how long it took. */
  async #finishValidation(): Promise<boolean> {
    const validation = await this.#validating;
    this.#validating = undefined;
    if (validation === undefined) return false;
    const { step, judged } = validation;
    const { successes, episodes, isConfirmed, bundle, result, restarts, restartedFor } = judged;
    this.#validationRestarts += restarts;
    this.#validationRestartedFor = restartedFor ?? this.#validationRestartedFor;
    if (restarts > 0)
      this.#rig.log.message(
        `${restarts} of ${episodes} validation episodes ended in a stop of category 1: ${restartedFor}`,
      );
    const { version: policyVersion } = bundle.manifest;
    this.#rig.log.write({ kind: 'validation', policyVersion, successes, episodes, meanSteps: result.meanSteps }, step);
    return isConfirmed;
  }

  async #judge(bundle: PolicyWeights): Promise<Validation> {
    const { log } = this.#rig;
    const step = this.#steps;
    const judged = await this.#selection.judge(bundle, step === 0 ? 'poses' : 'nothing');
    const { recording } = judged.result;
    if (recording !== undefined) {
      const caption = `First validation episode, before training, policy ${bundle.manifest.version}`;
      this.#firstRecording = { ...recording, caption };
    }
    const { successes, episodes } = judged;
    log.status.success = { successes, episodes, rates: workRates(this.#work) };
    log.status.successHistory = [...log.status.successHistory, successes / episodes];
    log.noProgress();
    return { step, judged };
  }

  #showProgress(done: number, total: number): void {
    const { log } = this.#rig;
    log.progress(done, total, 'episodes', log.status.phase === 'validating' ? undefined : 'validating');
  }

  #count(result: EpisodeResult): void {
    this.#interventions += result.interventions;
    this.#interventionSteps += result.interventionSteps;
    if (result.success && result.abortedBy === undefined) this.#successes++;
  }

  get #work(): Work {
    const { controlHz } = this.#rig.setup.config.robot;
    const [successes, steps, helpedSteps] = [this.#successes, this.#steps, this.#interventionSteps];
    return { successes, steps, helpedSteps, robotS: this.#trainingTicks / controlHz };
  }

  #timeLeftS(): number | null {
    if (this.#steps < 50) return null;
    const { training } = this.#rig.setup.config.task;
    const rate = this.#steps / (this.#time.usedS - this.#startedS);
    return Math.max(0, Math.min(this.#time.leftS, (training.steps - this.#steps) / rate));
  }
}
