/**
 * One run of (environment, learner, seed): collects a step, trains what the step pays for, evaluates now and then. One
 * process, in lock-step, so that the result depends on the spec alone. Killed at any moment, it goes on from its last
 * checkpoint and gives the same losses, curve and weights bit for bit: checkpoints are taken between episodes, and what came
 * after one is cut off its files and done again.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTransition, mean, Rng, replaceFileSync, sha256Hex, type Transition } from '../../core/index.ts';
import { createReplay, type Replay, UpdateContract } from '../../learner/index.ts';
import { updatesPerCall } from '../../learner/options.ts';
import { completed, demonstrations as shownBy } from '../environments/demonstrations.ts';
import { Numbering } from '../files/numbering.ts';
import { readState, writeState } from '../files/state-file.ts';
import { storage } from '../files/storage.ts';
import { readTransitionLog } from '../files/transition-log.ts';
import { closedAfter } from './closing.ts';
import { evaluatePolicy } from './evaluation.ts';
import { LearnedMeans } from './learned.ts';
import { holdsTrial, readTrialSpec, TRIAL_FILES, type TrialSpec, writeTrialSpec } from './spec.ts';
import { checkSnapshotFits, startFrom } from './trial-agent.ts';
import {
  AT_THE_START,
  type CurvePoint,
  readCurve,
  readResult,
  TrialFiles,
  type TrialResult,
  writeResult,
} from './trial-files.ts';
import { locked, resumable } from './trial-lock.ts';
import { TrialParts } from './trial-parts.ts';
import { checkSameEncoder, type TrialState } from './trial-state.ts';

/** Wall time between two checkpoints, at least, s: as much as a kill costs. */
const CHECKPOINT_EVERY_S = 20;

export interface TrialHooks {
  /** Told once all is there that the trial needs, and before anything of it is done. */
  readonly onBegin?: () => void;
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
 * Runs the trial of `spec` in `folder`, which is made, or goes on with it where that holds it already. Rejects with `ReinError`
 * where that cannot be done; a start that is refused leaves nothing behind.
 */
export async function startTrial(folder: string, spec: TrialSpec, hooks: TrialHooks = {}): Promise<TrialResult> {
  if (holdsTrial(folder, spec)) return runTrial(folder, hooks);
  const result = await withParts(spec, undefined, hooks, (parts) => {
    storage(folder, () => mkdirSync(folder, { recursive: true }));
    return locked(folder, async () => {
      if (!writeTrialSpec(folder, spec)) return undefined;
      return resumable(folder, () => Trial.run(folder, spec, hooks, parts, undefined));
    });
  });
  // Another process has begun the same one while the parts were opened: its steps are not to be done again.
  return result ?? runTrial(folder, hooks);
}

/**
 * Runs the trial in `folder`, from the start or from its last checkpoint, to its end. A finished one gives its result again.
 * Rejects with `ReinError` where that cannot be done, or another process works in the folder.
 */
export async function runTrial(folder: string, hooks: TrialHooks = {}): Promise<TrialResult> {
  const spec = readTrialSpec(folder);
  const work = async (): Promise<TrialResult> => {
    const done = readResult(folder);
    if (done !== undefined) return done;
    const found = readState(join(folder, TRIAL_FILES.checkpoints), (sentence) => hooks.onFault?.(sentence));
    const state = found as TrialState | undefined;
    return withParts(spec, state, hooks, (parts) => Trial.run(folder, spec, hooks, parts, state));
  };
  return resumable(folder, () => locked(folder, work));
}

/** `work` with everything that the trial works with; where it has no `state` yet, with the networks that it is to begin with. */
async function withParts<T>(
  spec: TrialSpec,
  state: TrialState | undefined,
  hooks: TrialHooks,
  work: (parts: TrialParts) => Promise<T>,
): Promise<T> {
  return closedAfter(async (closes) => {
    const parts = await TrialParts.open(spec);
    closes.push(() => parts.close());
    const { from } = spec;
    if (state === undefined && from !== null) {
      await startFrom(parts.agent, from, (sentence) => hooks.onFault?.(sentence), parts.eyes);
    }
    return work(parts);
  });
}

class Trial {
  readonly #folder: string;
  readonly #spec: TrialSpec;
  readonly #hooks: TrialHooks;
  readonly #parts: TrialParts;
  readonly #contract: UpdateContract;
  readonly #action: Float32Array;
  readonly #startedMs: number = performance.now();
  #replay: Replay;
  #files!: TrialFiles;
  #environmentRng: Rng;
  #actionRng: Rng;
  #learned = new LearnedMeans();
  readonly #numbering = new Numbering();
  #step = 0;
  #episode = 0;
  #secondsBefore = 0;
  /** Updates that were done before the first step, by a training that this one continues. */
  #updatesBefore = 0;
  #checkpointMs = 0;
  #last: CurvePoint | undefined;

  private constructor(folder: string, spec: TrialSpec, hooks: TrialHooks, parts: TrialParts) {
    this.#folder = folder;
    this.#spec = spec;
    this.#hooks = hooks;
    this.#parts = parts;
    this.#contract = new UpdateContract(spec.learner.utd, spec.learner.warmupSteps, updatesPerCall(spec.learner));
    this.#action = new Float32Array(this.#sizes.actionSize);
    this.#replay = createReplay(this.#parts.agent);
    const root = new Rng(spec.seed);
    this.#environmentRng = root.fork('environment');
    this.#actionRng = root.fork('actions');
  }

  /** From `state`, or from the start where there is none, to its end. `parts` stay the caller's. */
  static async run(
    folder: string,
    spec: TrialSpec,
    hooks: TrialHooks,
    parts: TrialParts,
    state: TrialState | undefined,
  ): Promise<TrialResult> {
    const trial = new Trial(folder, spec, hooks, parts);
    hooks.onBegin?.();
    try {
      if (state === undefined) await trial.#begin();
      else await trial.#restore(state);
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
    const { observation, actionSize } = this.#parts.training.environment;
    return { observationSize: observation.length, actionSize };
  }

  get #seconds(): number {
    return this.#secondsBefore + (performance.now() - this.#startedMs) / 1e3;
  }

  /** Demonstrations, pre-training and the first point of the curve. */
  async #begin(): Promise<void> {
    const { demonstrations, seed, learner } = this.#spec;
    const { training, agent, actor, expert } = this.#parts;
    const { signal } = this.#hooks;
    this.#files = new TrialFiles(this.#folder, this.#sizes, AT_THE_START);
    if (demonstrations !== null && expert !== undefined) {
      const rng = new Rng(seed).fork('demonstrations');
      for (const shown of shownBy(training.environment, expert, demonstrations, rng)) {
        await this.#take(shown);
      }
      const report = await agent.pretrain(this.#replay, signal);
      this.#files.event('pretrained', { seconds: this.#seconds, ...report });
      if (agent.algorithm.offline !== undefined) {
        const offline = await agent.pretrainOffline(this.#replay, learner.wsrl.offlineUpdates, signal);
        this.#files.event('pretrained offline', { seconds: this.#seconds, ...offline });
      }
    }
    if (demonstrations?.areKept === false) this.#replay = createReplay(this.#parts.agent);
    this.#updatesBefore = agent.updates;
    await actor.follow(agent);
    this.#files.event('begun', { seconds: this.#seconds, learner: learner.algorithm });
    await this.#evaluate();
    await this.#checkpoint();
  }

  async #runEpisode(): Promise<void> {
    const { training, overseer } = this.#parts;
    const { environment } = training;
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
      await this.#parts.actor.act(observation, this.#action, this.#actionRng, true);
      return;
    }
    const seen = this.#parts.eyes === undefined ? observation : await this.#parts.eyes.see(observation);
    this.#parts.agent.warmUpAction(seen, this.#action, this.#actionRng);
  }

  /** Whether the person who watches steers this step; then the action is theirs. */
  #isOverruled(): boolean {
    const { overseer } = this.#spec;
    return overseer !== null && this.#step < overseer.untilStep && this.#parts.overseer!.oversee(this.#action);
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
    if (this.#parts.eyes === undefined) return this.#replay.add(transition);
    const { transition: seen, frames } = await this.#parts.eyes.take(transition);
    return this.#replay.add(seen, { frames });
  }

  /** All training calls that the transitions so far pay for. */
  async #learn(): Promise<void> {
    const perCall = updatesPerCall(this.#spec.learner);
    const allowed = this.#contract.updatesAllowed(this.#replay.counts().online);
    let done = this.#parts.agent.updates - this.#updatesBefore;
    if (done + perCall > allowed) return;
    for (; done + perCall <= allowed; done = this.#parts.agent.updates - this.#updatesBefore) {
      this.#learned.add(await this.#parts.agent.update(this.#replay, this.#contract.visibleTo(done + 1)));
    }
    await this.#parts.actor.follow(this.#parts.agent);
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
      updates: this.#parts.agent.updates - this.#updatesBefore,
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
      agent: await this.#parts.agent.snapshot(),
      ...(this.#parts.eyes === undefined ? {} : { encoderDigest: this.#parts.eyes.digest }),
    };
    writeState(join(this.#folder, TRIAL_FILES.checkpoints), this.#step, state);
    this.#checkpointMs = performance.now();
  }

  async #restore(state: TrialState): Promise<void> {
    this.#checkEncoder(state.encoderDigest);
    await checkSnapshotFits(this.#parts.agent, state.agent, this.#folder);
    this.#files = new TrialFiles(this.#folder, this.#sizes, state.files);
    await this.#parts.agent.restore(state.agent);
    await this.#parts.actor.follow(this.#parts.agent);
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
    checkSameEncoder(this.#folder, theirs, this.#parts.eyes && { file, digest: this.#parts.eyes.digest });
  }

  async #finish(): Promise<TrialResult> {
    await this.#checkpoint();
    const { state, refusedCalls } = await this.#parts.agent.snapshot();
    const policyPath = join(this.#folder, TRIAL_FILES.policy);
    const policy = await this.#parts.agent.exportPolicy({}, this.#parts.eyes);
    storage(policyPath, () => replaceFileSync(policyPath, policy));
    const dropped = Object.values(this.#replay.counts().dropped).reduce((sum, count) => sum + count, 0);
    if (this.#last === undefined) throw new Error('a trial ends with an evaluation');
    const result: TrialResult = {
      steps: this.#step,
      episodes: this.#episode,
      updates: this.#parts.agent.updates - this.#updatesBefore,
      refusedCalls,
      droppedTransitions: dropped,
      stateDigest: sha256Hex(state),
      seconds: this.#seconds,
      environment: this.#spec.environment.name,
      seed: this.#spec.seed,
      last: this.#last,
    };
    writeResult(this.#folder, result);
    return result;
  }
}
