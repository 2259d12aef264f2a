/**
 * One run of (environment, learner, seed): collects a step, trains what the step pays for, evaluates now and then. One
 * process, in lock-step, so that the result depends on the spec alone. Killed at any moment, it goes on from its last
 * checkpoint and gives the same losses, curve and weights bit for bit: checkpoints are taken between episodes, and what came
 * after one is cut off its files and done again.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createTransition, Rng, type Transition, totalObservationSize } from '../../../core/index.ts';
import type { Overseer } from '../../../drivers/mujoco/gym/index.ts';
import {
  type Agent,
  createReplay,
  type ObservationEncoder,
  openObservationEncoder,
  type Replay,
  UpdateContract,
  updatesPerCall,
} from '../../../learner/index.ts';
import { acquireLock, type DirectoryLock } from '../../../learner/link/index.ts';
import {
  completed,
  createStudyEnvironment,
  type StudyEnvironment,
  demonstrations as shownBy,
} from '../environments/index.ts';
import { Numbering, readState, readTransitionLog, storage, writeState, writeWhole } from '../files/index.ts';
import { type Actor, openActor } from './actor.ts';
import { evaluatePolicy } from './evaluation.ts';
import { LearnedMeans } from './learned.ts';
import { readTrialSpec, TRIAL_FILES, type TrialSpec } from './spec.ts';
import { checkSnapshotFits, openTrialAgent, startFrom } from './trial-agent.ts';
import {
  AT_THE_START,
  type CurvePoint,
  readCurve,
  readResult,
  TrialFiles,
  type TrialResult,
  writeResult,
} from './trial-files.ts';
import { checkSameEncoder, type TrialState } from './trial-state.ts';

/** Wall time between two checkpoints, at least, s: as much as a kill costs. */
const CHECKPOINT_EVERY_S = 20;

export interface TrialHooks {
  /** Told after each evaluation. */
  readonly onPoint?: (point: CurvePoint, spec: TrialSpec, seconds: number) => void;
  /** Told of a checkpoint that is damaged, and of transitions that were not taken. */
  readonly onFault?: (sentence: string) => void;
  /** Ends the trial between two steps or two calls of the training before them: rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Replaced in tests, s. */
  readonly checkpointEveryS?: number;
}

/**
 * Runs the trial in `folder`, from the start or from its last checkpoint, to its end. A finished one gives its result again.
 * Rejects with `ReinError` where that cannot be done, or another process works in the folder.
 */
export async function runTrial(folder: string, hooks: TrialHooks = {}): Promise<TrialResult> {
  const spec = readTrialSpec(folder);
  const lock = lockOf(folder);
  try {
    const done = readResult(folder);
    if (done !== undefined) return done;
    const trial = await Trial.open(folder, spec, hooks);
    try {
      return await trial.run();
    } finally {
      await trial.close();
    }
  } finally {
    lock.release();
  }
}

class Trial {
  readonly #folder: string;
  readonly #spec: TrialSpec;
  readonly #hooks: TrialHooks;
  readonly #training: StudyEnvironment;
  readonly #evaluation: StudyEnvironment;
  readonly #eyes: ObservationEncoder | undefined;
  readonly #agent: Agent;
  readonly #actor: Actor;
  readonly #contract: UpdateContract;
  readonly #action: Float32Array;
  readonly #startedMs: number = performance.now();
  #replay: Replay;
  #files!: TrialFiles;
  #environmentRng: Rng;
  #actionRng: Rng;
  #learned = new LearnedMeans();
  readonly #numbering = new Numbering();
  #overseer: Overseer | undefined;
  #step = 0;
  #episode = 0;
  #secondsBefore = 0;
  /** Updates that were done before the first step, by a training that this one continues. */
  #updatesBefore = 0;
  #checkpointMs = 0;
  #last: CurvePoint | undefined;

  private constructor(
    folder: string,
    spec: TrialSpec,
    hooks: TrialHooks,
    environments: readonly [StudyEnvironment, StudyEnvironment],
    eyes: ObservationEncoder | undefined,
    agent: Agent,
    actor: Actor,
  ) {
    this.#folder = folder;
    this.#spec = spec;
    this.#hooks = hooks;
    [this.#training, this.#evaluation] = environments;
    this.#eyes = eyes;
    this.#agent = agent;
    this.#actor = actor;
    this.#contract = new UpdateContract(spec.learner.utd, spec.learner.warmupSteps, updatesPerCall(spec.learner));
    this.#action = new Float32Array(this.#sizes.actionSize);
    this.#replay = this.#newReplay();
    if (spec.overseer !== null) this.#overseer = this.#training.overseer(spec.overseer.options);
    const root = new Rng(spec.seed);
    this.#environmentRng = root.fork('environment');
    this.#actionRng = root.fork('actions');
  }

  /** Opens everything, and continues from the newest checkpoint where there is one. */
  static async open(folder: string, spec: TrialSpec, hooks: TrialHooks): Promise<Trial> {
    const { name, options } = spec.environment;
    const training = await createStudyEnvironment(name, options, spec.base);
    const evaluation = await createStudyEnvironment(name, options, spec.base);
    const eyes = await openObservationEncoder(spec.learner.encoder, training.environment.parts);
    const agent = await openTrialAgent(spec, training.environment, eyes);
    const actor = await openActor(agent, eyes);
    const trial = new Trial(folder, spec, hooks, [training, evaluation], eyes, agent, actor);
    try {
      const state = readState(join(folder, TRIAL_FILES.checkpoints), (sentence) => hooks.onFault?.(sentence));
      if (state === undefined) await trial.#begin();
      else await trial.#restore(state as TrialState);
      return trial;
    } catch (error) {
      await trial.close();
      throw error;
    }
  }

  async run(): Promise<TrialResult> {
    this.#checkpointMs = performance.now();
    while (this.#step < this.#spec.steps) {
      await this.#runEpisode();
      const everyMs = 1e3 * (this.#hooks.checkpointEveryS ?? CHECKPOINT_EVERY_S);
      if (performance.now() - this.#checkpointMs >= everyMs) await this.#checkpoint();
    }
    return this.#finish();
  }

  async close(): Promise<void> {
    this.#files?.close();
    this.#training.environment.close();
    this.#evaluation.environment.close();
    await this.#actor.close();
    await this.#agent.close();
    await this.#eyes?.close();
  }

  get #sizes(): { readonly observationSize: number; readonly actionSize: number } {
    const { observation, actionSize } = this.#training.environment;
    return { observationSize: observation.length, actionSize };
  }

  get #seconds(): number {
    return this.#secondsBefore + (performance.now() - this.#startedMs) / 1e3;
  }

  /** Demonstrations, pre-training and the first point of the curve. */
  async #begin(): Promise<void> {
    const { demonstrations, from, seed, learner } = this.#spec;
    const { signal } = this.#hooks;
    this.#files = new TrialFiles(this.#folder, this.#sizes, AT_THE_START);
    if (from !== null) await startFrom(this.#agent, from, (sentence) => this.#hooks.onFault?.(sentence));
    if (demonstrations !== null) {
      const rng = new Rng(seed).fork('demonstrations');
      const expert = this.#training.expert(demonstrations.skill);
      for (const shown of shownBy(this.#training.environment, expert, demonstrations, rng)) {
        await this.#take(shown);
      }
      const report = await this.#agent.pretrain(this.#replay, signal);
      this.#files.event('pretrained', { seconds: this.#seconds, ...report });
      if (this.#agent.algorithm.offline !== undefined) {
        const offline = await this.#agent.pretrainOffline(this.#replay, learner.wsrl.offlineUpdates, signal);
        this.#files.event('pretrained offline', { seconds: this.#seconds, ...offline });
      }
    }
    if (demonstrations?.areKept === false) this.#replay = this.#newReplay();
    this.#updatesBefore = this.#agent.updates;
    await this.#actor.follow(this.#agent);
    this.#files.event('begun', { seconds: this.#seconds, learner: learner.algorithm });
    await this.#evaluate();
    await this.#checkpoint();
  }

  async #runEpisode(): Promise<void> {
    const { environment } = this.#training;
    const { evaluation, steps } = this.#spec;
    environment.reset(this.#environmentRng);
    this.#overseer?.begin(this.#environmentRng);
    let isOver = false;
    for (let step = 0; !isOver; step++) {
      this.#hooks.signal?.throwIfAborted();
      const t = createTransition(this.#sizes.observationSize, this.#sizes.actionSize);
      t.observation.set(environment.observation);
      t.step = step;
      await this.#decide(environment.observation);
      t.policyAction.set(this.#action);
      if (this.#isOverruled()) {
        t.source = 'scripted_correct';
        t.humanAction.set(this.#action);
      }
      environment.step(this.#action);
      completed(t, environment);
      t.truncated ||= !t.terminated && this.#step + 1 === steps;
      await this.#take(t);
      this.#step++;
      await this.#learn();
      if (this.#step % evaluation.everySteps === 0 || this.#step === steps) await this.#evaluate();
      isOver = t.terminated || t.truncated;
    }
    this.#episode++;
  }

  async #decide(observation: Float32Array): Promise<void> {
    if (this.#step >= this.#spec.randomSteps) {
      await this.#actor.act(observation, this.#action, this.#actionRng, true);
      return;
    }
    const seen = this.#eyes === undefined ? observation : await this.#eyes.see(observation);
    this.#agent.warmUpAction(seen, this.#action, this.#actionRng);
  }

  /** Whether the person who watches steers this step; then the action is theirs. */
  #isOverruled(): boolean {
    const { overseer } = this.#spec;
    return overseer !== null && this.#step < overseer.untilStep && this.#overseer!.oversee(this.#action);
  }

  async #take(transition: Transition): Promise<void> {
    this.#numbering.stamp(transition);
    this.#files.log.append(transition);
    const outcome = await this.#remember(transition);
    if (outcome !== 'accepted')
      this.#hooks.onFault?.(`A transition was not learned from: ${outcome} (step ${this.#step}).`);
  }

  /** Adds to replay what the learner sees of `transition`. */
  async #remember(transition: Transition): Promise<ReturnType<Replay['add']>> {
    if (this.#eyes === undefined) return this.#replay.add(transition);
    const { transition: seen, frames } = await this.#eyes.take(transition);
    return this.#replay.add(seen, { frames });
  }

  /** All training calls that the transitions so far pay for. */
  async #learn(): Promise<void> {
    const perCall = updatesPerCall(this.#spec.learner);
    const allowed = this.#contract.updatesAllowed(this.#replay.counts().online);
    let done = this.#agent.updates - this.#updatesBefore;
    if (done + perCall > allowed) return;
    for (; done + perCall <= allowed; done = this.#agent.updates - this.#updatesBefore) {
      this.#learned.add(await this.#agent.update(this.#replay, this.#contract.visibleTo(done + 1)));
    }
    await this.#actor.follow(this.#agent);
  }

  async #evaluate(): Promise<void> {
    const { episodes, seed } = this.#spec.evaluation;
    const startedMs = performance.now();
    const { returns, costs, lengths, successes } = await evaluatePolicy(
      this.#evaluation.environment,
      this.#actor,
      episodes,
      seed,
    );
    const { refused, means } = this.#learned.take();
    const point: CurvePoint = {
      step: this.#step,
      updates: this.#agent.updates - this.#updatesBefore,
      episodes,
      returns,
      cost: mean(costs),
      length: mean(lengths),
      successes,
      metrics: refused === 0 ? means : { ...means, refused },
    };
    this.#last = point;
    this.#files.point(point);
    const evaluationS = (performance.now() - startedMs) / 1e3;
    this.#files.event('evaluated', { step: this.#step, seconds: this.#seconds, evaluationS });
    this.#hooks.onPoint?.(point, this.#spec, this.#seconds);
  }

  async #checkpoint(): Promise<void> {
    const state: TrialState = {
      formatVersion: 1,
      step: this.#step,
      episode: this.#episode,
      seconds: this.#seconds,
      updatesBefore: this.#updatesBefore,
      environmentRng: this.#environmentRng.state(),
      actionRng: this.#actionRng.state(),
      learned: this.#learned.state(),
      files: this.#files.sync(),
      agent: await this.#agent.snapshot(),
      ...(this.#eyes === undefined ? {} : { encoderDigest: this.#eyes.digest }),
    };
    writeState(join(this.#folder, TRIAL_FILES.checkpoints), this.#step, state);
    this.#checkpointMs = performance.now();
  }

  async #restore(state: TrialState): Promise<void> {
    this.#checkEncoder(state.encoderDigest);
    await checkSnapshotFits(this.#agent, state.agent, this.#folder);
    this.#files = new TrialFiles(this.#folder, this.#sizes, state.files);
    await this.#agent.restore(state.agent);
    await this.#actor.follow(this.#agent);
    const isKept = this.#spec.demonstrations?.areKept !== false;
    const path = join(this.#folder, TRIAL_FILES.transitions);
    for (const transition of readTransitionLog(path, this.#sizes, state.files.log.bytes)) {
      this.#numbering.stamp(transition);
      if (isKept || transition.source !== 'demo') await this.#remember(transition);
    }
    this.#environmentRng = new Rng(state.environmentRng);
    this.#actionRng = new Rng(state.actionRng);
    this.#learned = new LearnedMeans(state.learned);
    this.#step = state.step;
    this.#episode = state.episode;
    this.#secondsBefore = state.seconds;
    this.#updatesBefore = state.updatesBefore;
    this.#last = readCurve(this.#folder).at(-1);
    this.#files.event('resumed', { step: this.#step, seconds: this.#seconds });
  }

  #checkEncoder(digest: string | undefined): void {
    const file = this.#spec.learner.encoder.frozen?.file;
    const theirs = digest === undefined ? undefined : { file, digest };
    checkSameEncoder(this.#folder, theirs, this.#eyes && { file, digest: this.#eyes.digest });
  }

  async #finish(): Promise<TrialResult> {
    await this.#checkpoint();
    const { state, refusedCalls } = await this.#agent.snapshot();
    const policyPath = join(this.#folder, TRIAL_FILES.policy);
    const policy = await this.#agent.exportPolicy({}, this.#eyes);
    storage(policyPath, () => writeWhole(policyPath, policy));
    const dropped = Object.values(this.#replay.counts().dropped).reduce((sum, count) => sum + count, 0);
    if (this.#last === undefined) throw new Error('a trial ends with an evaluation');
    const result: TrialResult = {
      steps: this.#step,
      episodes: this.#episode,
      updates: this.#agent.updates - this.#updatesBefore,
      refusedUpdates: refusedCalls,
      droppedTransitions: dropped,
      stateDigest: createHash('sha256')
        .update(new Uint8Array(state.buffer, state.byteOffset, state.byteLength))
        .digest('hex'),
      seconds: this.#seconds,
      environment: this.#spec.environment.name,
      seed: this.#spec.seed,
      last: this.#last,
    };
    writeResult(this.#folder, result);
    return result;
  }

  #newReplay(): Replay {
    const { actionSize } = this.#sizes;
    const { parts } = this.#eyes ?? this.#training.environment;
    return createReplay({
      observationSize: totalObservationSize(parts),
      parts,
      actionSize,
      config: this.#spec.learner,
    });
  }
}

function lockOf(folder: string): DirectoryLock {
  const path = join(folder, TRIAL_FILES.lock);
  return storage(path, () => acquireLock(path, `the trial's folder ${folder}`));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
