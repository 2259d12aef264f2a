/**
 * One run of (environment, learner, seed): collects a step, trains as much as the step pays for, evaluates now and then. One
 * process, in lock-step, so that the result depends on the spec alone. Killed at any moment, it continues from its last
 * checkpoint and gives the same losses, curve and weights bit for bit: checkpoints are taken between episodes, and anything
 * after one is cut off its files and done again.
 */
import { join } from 'node:path';
import {
  acquireLock,
  closedAfter,
  makeFolder,
  replaceFileSync,
  storage,
  WriteError,
} from '../../../../src/host/index.ts';
import {
  type CheckpointKind,
  readCheckpoint,
  type TrainingState,
  writeCheckpoint,
} from '../../../../src/learner/index.ts';
import { interventionRule } from '../../../../src/learner/options.ts';
import { mean, Rng, type RngState } from '../../../../src/model/index.ts';
import { NETWORKS, readTrialSpec, startFrom, TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import { readRelabelling } from '../../../../src/record/index.ts';
import { createTransition, type Transition } from '../../../../src/rows/index.ts';
import { completed, demonstrations as shownBy } from '../environments/demonstrations.ts';
import { Numbering, readTransitionLog } from '../files/transition-log.ts';
import { evaluatePolicy, LearnedMeans, type LearnedState } from './evaluation.ts';
import { holdsTrial, writeTrialSpec } from './spec.ts';
import {
  AT_THE_START,
  type CurvePoint,
  type FilePositions,
  readCurve,
  readResult,
  TrialFiles,
  type TrialResult,
  writeResult,
} from './trial-files.ts';
import { TrialParts } from './trial-parts.ts';

/** Minimum wall time between two checkpoints, s: the most that a kill costs. */
const CHECKPOINT_EVERY_S = 20;

/** State that a resumed trial needs beside its files. */
interface TrialCheckpoint extends TrainingState {
  readonly formatVersion: 1;
  readonly step: number;
  readonly episode: number;
  readonly seconds: number;
  readonly updatesBefore: number;
  readonly environmentRng: RngState;
  readonly actionRng: RngState;
  readonly learned: LearnedState;
  readonly files: FilePositions;
}

const CHECKPOINTS: CheckpointKind<TrialCheckpoint> = {
  unit: NETWORKS.unit,
  isComplete: ({ formatVersion, files }) => formatVersion === 1 && files !== undefined,
};

export interface TrialHooks {
  /** Called once everything that the trial needs is open, before any work is done. */
  readonly onBegin?: () => void;
  /** Called after each evaluation. */
  readonly onPoint?: (point: CurvePoint, spec: TrialSpec, seconds: number) => void;
  /** Called for a damaged checkpoint, and for transitions that were not accepted. */
  readonly onFault?: (message: string) => void;
  /** Ends the trial between two steps, or between two training calls before them: rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Overridden in tests, s. */
  readonly checkpointEveryS?: number;
}

/**
 * Runs the trial of `spec` in `folder`, which is created, or continues it if the folder already holds it. Rejects with `ReinError`
 * if that is impossible; a refused start leaves nothing behind.
 */
export async function startTrial(folder: string, spec: TrialSpec, hooks: TrialHooks = {}): Promise<TrialResult> {
  if (holdsTrial(folder, spec)) return runTrial(folder, hooks);
  const result = await withParts(spec, undefined, hooks, (parts) => {
    storage(folder, () => makeFolder(folder));
    return locked(folder, async () => {
      if (!writeTrialSpec(folder, spec)) return undefined;
      return resumable(folder, () => Trial.run(folder, spec, hooks, parts, undefined));
    });
  });
  // Another process has begun the same trial while the parts were opened: its steps must not be repeated.
  return result ?? runTrial(folder, hooks);
}

/**
 * Runs the trial in `folder`, from the start or from its last checkpoint, to its end. A finished one returns its result again.
 * Rejects with `ReinError` if that is impossible, or another process works in the folder.
 */
export async function runTrial(folder: string, hooks: TrialHooks = {}): Promise<TrialResult> {
  const spec = readTrialSpec(folder);
  const work = async (): Promise<TrialResult> => {
    const done = readResult(folder);
    if (done !== undefined) return done;
    const directory = join(folder, TRIAL_FILES.checkpoints);
    const found = await readCheckpoint(directory, CHECKPOINTS, (message) => hooks.onFault?.(message));
    const interventions = interventionRule(readRelabelling(folder).rule, spec.learner.interventions);
    return withParts({ ...spec, learner: { ...spec.learner, interventions } }, found, hooks, (parts) =>
      Trial.run(folder, spec, hooks, parts, found),
    );
  };
  return resumable(folder, () => locked(folder, work));
}

type Found = Awaited<ReturnType<typeof readCheckpoint<TrialCheckpoint>>>;

/** Calls `work` with the opened parts of the trial; if nothing was `found`, with its initial networks loaded. */
async function withParts<T>(
  spec: TrialSpec,
  found: Found,
  hooks: TrialHooks,
  work: (parts: TrialParts) => Promise<T>,
): Promise<T> {
  return closedAfter(async (closes) => {
    const parts = await TrialParts.open(spec);
    closes.push(() => parts.close());
    const { from } = spec;
    if (found === undefined && from !== null) {
      await startFrom(parts.training, from, (message) => hooks.onFault?.(message));
    }
    return work(parts);
  });
}

/** Calls `work` while this process holds `folder`, which must exist. Rejects with `ReinError` if another process works in it. */
async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, TRIAL_FILES.lock);
  const lock = acquireLock(path, `the trial's folder ${folder}`);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Calls `work` on the trial in `folder`. A write error meanwhile also states how to continue the trial. */
async function resumable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    const next = `go on with rein train --resume ${folder}: only what came after the last checkpoint is done again`;
    throw error.followedBy(next);
  }
}

class Trial {
  readonly #folder: string;
  readonly #spec: TrialSpec;
  readonly #hooks: TrialHooks;
  readonly #parts: TrialParts;
  readonly #action: Float32Array;
  readonly #startedMs: number = performance.now();
  #files!: TrialFiles;
  #environmentRng: Rng;
  #actionRng: Rng;
  #learned = new LearnedMeans();
  readonly #numbering = new Numbering();
  #step = 0;
  #episode = 0;
  #secondsBefore = 0;
  #checkpointMs = 0;
  #last: CurvePoint | undefined;

  private constructor(folder: string, spec: TrialSpec, hooks: TrialHooks, parts: TrialParts) {
    this.#folder = folder;
    this.#spec = spec;
    this.#hooks = hooks;
    this.#parts = parts;
    this.#action = new Float32Array(this.#sizes.actionSize);
    const root = new Rng(spec.seed);
    this.#environmentRng = root.fork('environment');
    this.#actionRng = root.fork('actions');
  }

  /** Runs from the checkpoint `found`, or from the start without one, to the end. `parts` stay the caller's. */
  static async run(
    folder: string,
    spec: TrialSpec,
    hooks: TrialHooks,
    parts: TrialParts,
    found: Found,
  ): Promise<TrialResult> {
    const trial = new Trial(folder, spec, hooks, parts);
    hooks.onBegin?.();
    try {
      if (found === undefined) await trial.#begin();
      else await trial.#restore(found);
      return await trial.#run();
    } finally {
      trial.#files?.close();
    }
  }

  async #run(): Promise<TrialResult> {
    this.#checkpointMs = performance.now();
    while (this.#step < this.#spec.steps) {
      await this.#runEpisode();
      const everyMs = 1e3 * (this.#hooks.checkpointEveryS ?? CHECKPOINT_EVERY_S);
      if (performance.now() - this.#checkpointMs >= everyMs) await this.#checkpoint();
    }
    return this.#finish();
  }

  get #sizes(): { readonly observationSize: number; readonly actionSize: number } {
    const { observation, actionSize } = this.#parts.own.environment;
    return { observationSize: observation.length, actionSize };
  }

  get #seconds(): number {
    return this.#secondsBefore + (performance.now() - this.#startedMs) / 1e3;
  }

  /** Does demonstrations, pre-training and the first point of the curve. */
  async #begin(): Promise<void> {
    const { demonstrations, seed, learner } = this.#spec;
    const { own, training, actor, expert } = this.#parts;
    const { agent } = training;
    this.#files = new TrialFiles(this.#folder, this.#spec, this.#sizes, AT_THE_START);
    if (demonstrations !== null && expert !== undefined) {
      const rng = new Rng(seed).fork('demonstrations');
      for (const shown of shownBy(own.environment, expert, demonstrations, rng)) await this.#take(shown);
      const names = { cloning: 'pretrained', offline: 'pretrained offline' };
      await training.pretrain((phase, report) => {
        if (phase === 'offline' && agent.algorithm.offline === undefined) return;
        this.#files.event(names[phase], { seconds: this.#seconds, ...report });
      }, this.#hooks.signal);
    }
    if (demonstrations?.areKept === false) training.forget();
    await actor.follow(agent);
    this.#files.event('begun', { seconds: this.#seconds, learner: learner.algorithm });
    await this.#evaluate();
    await this.#checkpoint();
  }

  async #runEpisode(): Promise<void> {
    const { own, overseer } = this.#parts;
    const { environment } = own;
    const { evaluation, steps } = this.#spec;
    environment.reset(this.#environmentRng);
    overseer?.begin(this.#environmentRng);
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
      await this.#parts.actor.decide(observation, { rng: this.#actionRng, purpose: 'explore' }, this.#action);
      return;
    }
    const { encoder, agent } = this.#parts.training;
    const seen = encoder === undefined ? observation : await encoder.see(observation);
    agent.warmUpAction(seen, this.#action, this.#actionRng);
  }

  /** True if the overseer steers this step, and has written the action. */
  #isOverruled(): boolean {
    const { overseer } = this.#spec;
    return overseer !== null && this.#step < overseer.untilStep && this.#parts.overseer!.oversee(this.#action);
  }

  async #take(transition: Transition): Promise<void> {
    this.#numbering.stamp(transition);
    this.#files.log.append(transition);
    const { outcome } = await this.#parts.training.take(transition);
    if (outcome !== 'accepted')
      this.#hooks.onFault?.(`A transition was not learned from: ${outcome} (step ${this.#step}).`);
  }

  /** Makes all training calls that the transitions so far pay for. */
  async #learn(): Promise<void> {
    const { training, actor } = this.#parts;
    let call = await training.update();
    if (call === undefined) return;
    for (; call !== undefined; call = await training.update()) this.#learned.add(call);
    await actor.follow(training.agent);
  }

  async #evaluate(): Promise<void> {
    const { episodes, seed } = this.#spec.evaluation;
    const startedMs = performance.now();
    const { returns, costs, lengths, successes } = await evaluatePolicy(
      this.#parts.evaluation.environment,
      this.#parts.actor,
      episodes,
      seed,
    );
    const { refused, means } = this.#learned.take();
    const point: CurvePoint = {
      step: this.#step,
      updates: this.#parts.training.updates,
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
    const { training } = this.#parts;
    const checkpoint: TrialCheckpoint = {
      formatVersion: 1,
      step: this.#step,
      episode: this.#episode,
      seconds: this.#seconds,
      updatesBefore: training.updatesBefore,
      environmentRng: this.#environmentRng.state(),
      actionRng: this.#actionRng.state(),
      learned: this.#learned.state(),
      files: this.#files.sync(),
      ...(await training.state()),
    };
    await writeCheckpoint(join(this.#folder, TRIAL_FILES.checkpoints), CHECKPOINTS, this.#step, checkpoint);
    this.#checkpointMs = performance.now();
  }

  async #restore({ path, checkpoint }: NonNullable<Found>): Promise<void> {
    const { training, actor } = this.#parts;
    await training.restore(path, checkpoint, checkpoint.updatesBefore);
    this.#files = new TrialFiles(this.#folder, this.#spec, this.#sizes, checkpoint.files);
    await actor.follow(training.agent);
    const isKept = this.#spec.demonstrations?.areKept !== false;
    const relabelled = readRelabelling(this.#folder);
    for (const transition of readTransitionLog(this.#folder, this.#sizes, checkpoint.files.log.transitions)) {
      this.#numbering.follow(transition);
      const isDropped = relabelled.apply(transition);
      if (isKept || transition.source !== 'demo') await training.take(transition, undefined, isDropped);
    }
    this.#environmentRng = new Rng(checkpoint.environmentRng);
    this.#actionRng = new Rng(checkpoint.actionRng);
    this.#learned = new LearnedMeans(checkpoint.learned);
    this.#step = checkpoint.step;
    this.#episode = checkpoint.episode;
    this.#secondsBefore = checkpoint.seconds;
    this.#last = readCurve(this.#folder).at(-1);
    this.#files.event('resumed', { step: this.#step, seconds: this.#seconds });
  }

  async #finish(): Promise<TrialResult> {
    await this.#checkpoint();
    const { training } = this.#parts;
    const policyPath = join(this.#folder, TRIAL_FILES.policy);
    const policy = await training.exportPolicy();
    storage(policyPath, () => replaceFileSync(policyPath, policy));
    const dropped = Object.values(training.replay.counts().dropped).reduce((sum, count) => sum + count, 0);
    if (this.#last === undefined) throw new Error('a trial ends with an evaluation');
    const result: TrialResult = {
      steps: this.#step,
      episodes: this.#episode,
      updates: training.updates,
      refusedCalls: training.agent.refusedCalls,
      droppedTransitions: dropped,
      stateDigest: await training.stateDigest(),
      seconds: this.#seconds,
      environment: this.#spec.environment.name,
      seed: this.#spec.seed,
      last: this.#last,
    };
    writeResult(this.#folder, result);
    return result;
  }
}
