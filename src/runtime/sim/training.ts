/** Training episodes on the simulated robot, with interventions, validation in between, and the choice of a policy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReinError, Rng, type Transition } from '../../core/index.ts';
import { OnnxPolicy } from '../../policy/index.ts';
import { OperatorDesk } from '../../teleop/index.ts';
import type { EpisodeResult } from '../node/index.ts';
import type { EpisodeRecording } from '../record/index.ts';
import { createScriptedOperator } from '../setup.ts';
import { type Judged, ModelSelection } from './model-selection.ts';
import type { Rig } from './rig.ts';
import { versionDue } from './weights-schedule.ts';

export interface TrainingResult {
  readonly kept: Judged;
  readonly steps: number;
  readonly interventions: number;
  readonly interventionSteps: number;
  /** Seconds that were waited so that a person could steer in real time. */
  readonly pacedS: number;
  /** Poses of the first validation episode, before any training on the robot. */
  readonly firstRecording: EpisodeRecording | undefined;
}

export async function train(rig: Rig): Promise<TrainingResult> {
  const training = new Training(rig);
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
  readonly #exploration: Rng;
  readonly #startedS: number;
  #steps = 0;
  #episodes = 0;
  #interventions = 0;
  #interventionSteps = 0;
  #validatedAt = 0;
  #nextStepMs = 0;
  #pacedMs = 0;
  #firstRecording: EpisodeRecording | undefined;

  constructor(rig: Rig) {
    const { setup, keyboard, pool } = rig;
    const { observationSize, actionSize, schemaHash, config } = setup;
    this.#rig = rig;
    this.#policy = new OnnxPolicy({ observationSize, actionSize, schemaHash, runId: rig.folder.runId });
    const scripted = createScriptedOperator(setup, config.seed * 2 + 2);
    this.#desk = new OperatorDesk(keyboard === undefined ? [scripted] : [keyboard, scripted], actionSize);
    const root = new Rng(config.seed);
    this.#layouts = root.fork('layouts');
    this.#exploration = root.fork('exploration');
    const { validation, training } = config.task;
    this.#selection = new ModelSelection({
      pool,
      seed: config.seed,
      episodes: validation.episodes,
      stopAt: training.stopAtValidation,
      signal: rig.signal,
    });
    this.#startedS = rig.log.elapsedS;
  }

  async run(): Promise<TrainingResult> {
    const { log, setup } = this.#rig;
    const { training, validation } = setup.config.task;
    log.phase('behaviour cloning');
    await this.#useDueWeights();
    log.phase('training');
    let isConfirmed = await this.#validate();
    while (!isConfirmed && this.#steps < training.steps && this.#wallLeftS() > 0) {
      await this.#episode();
      if (this.#steps - this.#validatedAt >= validation.everySteps) isConfirmed = await this.#validate();
    }
    if (!isConfirmed && this.#steps > this.#validatedAt) await this.#validate();
    const kept = this.#selection.best;
    if (kept === undefined) throw new ReinError('policy', 'No policy was judged.');
    const { successes, episodes, bundle } = kept;
    log.message(`policy ${bundle.manifest.version} is kept: ${successes} of ${episodes} validation episodes`);
    return {
      kept,
      steps: this.#steps,
      interventions: this.#interventions,
      interventionSteps: this.#interventionSteps,
      pacedS: this.#pacedMs / 1e3,
      firstRecording: this.#firstRecording,
    };
  }

  async close(): Promise<void> {
    await this.#policy.close();
  }

  async #episode(): Promise<void> {
    const { setup, log, robot } = this.#rig;
    const result = await robot.runner.run({
      layout: setup.task.drawLayout(this.#layouts),
      policy: this.#policy,
      explore: this.#exploration,
      operator: this.#desk,
      purpose: 'training',
      maxSteps: setup.config.task.training.steps - this.#steps,
      beforeStep: () => this.#beforeStep(),
      onStep: (transition) => this.#afterStep(transition),
    });
    this.#count(result);
    log.episode('training', this.#episodes++, result);
    if (result.abortedBy !== undefined) {
      log.message(`episode ${this.#episodes} ended early: ${result.abortedBy}`);
      await this.#recover();
    }
  }

  async #beforeStep(): Promise<void> {
    const { signal, keyboard } = this.#rig;
    signal.throwIfAborted();
    await this.#useDueWeights();
    // A hand needs real time; without one, time is as fast as the machine.
    if (keyboard?.state.isInControl) {
      const waitMs = Math.max(0, this.#nextStepMs - performance.now());
      this.#pacedMs += waitMs;
      await sleep(waitMs);
      this.#nextStepMs = Math.max(this.#nextStepMs, performance.now()) + 1e3 / this.#rig.setup.config.task.policyHz;
    }
  }

  #afterStep(transition: Transition): void {
    const { connection, log, robot, keyboard } = this.#rig;
    connection.record(transition);
    this.#steps++;
    log.status.envSteps = this.#steps;
    log.status.timeLeftS = this.#timeLeftS();
    const { ticks, changedTicks, violations, overruns } = robot.link.latest;
    log.filter(ticks, changedTicks, violations, overruns);
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

  /** Judges the weights in use. True when training may stop: a cloned policy that is good by itself is still to improve. */
  async #validate(): Promise<boolean> {
    const { connection, log, signal } = this.#rig;
    signal.throwIfAborted();
    this.#validatedAt = this.#steps;
    const bundle = await connection.takeVersion(this.#policy.version);
    log.phase('validating');
    const isFirst = this.#firstRecording === undefined;
    const judged = await this.#selection.judge(bundle, isFirst ? 'poses' : 'nothing');
    const { version } = bundle.manifest;
    const { recording } = judged.result;
    if (recording !== undefined) {
      this.#firstRecording = { ...recording, caption: `First evaluation episode, policy ${version}` };
    }
    const { successes, episodes } = judged;
    log.status.success = { successes, episodes };
    log.status.successHistory = [...log.status.successHistory, successes / episodes];
    const { meanSteps } = judged.result;
    log.write({ kind: 'validation', policyVersion: version, successes, episodes, meanSteps });
    log.phase('training');
    const { minimumSteps, steps } = this.#rig.setup.config.task.training;
    return judged.isConfirmed && this.#steps >= Math.min(minimumSteps, steps);
  }

  #count(result: EpisodeResult): void {
    this.#interventions += result.interventions;
    this.#interventionSteps += result.interventionSteps;
  }

  /** After a stop: an operator would look and acknowledge; here the scene is simulated, and the next episode resets it. */
  async #recover(): Promise<void> {
    const { link } = this.#rig.robot;
    for (let i = 0; i < 100 && link.latest.state === 'stopping'; i++) await link.advance(1);
    await link.request({ kind: 'acknowledge' });
    await link.advance(1);
  }

  #wallLeftS(): number {
    return this.#rig.setup.config.task.training.wallBudgetS - this.#workedS();
  }

  /** Seconds of training, without those in which it waited for a person's hand. */
  #workedS(): number {
    return this.#rig.log.elapsedS - this.#startedS - this.#pacedMs / 1e3;
  }

  #timeLeftS(): number | null {
    if (this.#steps < 50) return null;
    const { training } = this.#rig.setup.config.task;
    const rate = this.#steps / this.#workedS();
    return Math.max(0, Math.min(this.#wallLeftS(), (training.steps - this.#steps) / rate));
  }
}
