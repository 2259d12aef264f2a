/** The agent: networks, optimiser and random generators of one training. */
import {
  type ActionRange,
  countNumbers,
  ReinError,
  Rng,
  type RngState,
  totalObservationSize,
} from '../../model/index.ts';
import { EngineThread } from '../compute/engine-thread.ts';
import { LocalEngine } from '../compute/local-engine.ts';
import type { TrainingEngine } from '../compute/training-engine.ts';
import type { ObservationEncoder } from '../imports/observation-encoder.ts';
import { loadAlgorithm } from '../options/algorithms.ts';
import { checkLearnerConfig, type LearnerConfig, updatesPerCall } from '../options/learner-config.ts';
import type { Replay } from '../replay/replay.ts';
import type { Algorithm } from '../update/algorithm.ts';
import { ENCODER, encoderSpec, STATISTICS } from '../update/network-inputs.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { initialState, stateParts } from '../update/state.ts';
import { observationStatistics } from './observation-statistics.ts';
import { PhaseDriver } from './phase-driver.ts';
import { buildEncoder, buildPolicy, type PolicyTensors, policyParts, policyWeights } from './policy-graph.ts';
import { type PretrainingOptions, type PretrainingReport, pretrain } from './pretraining.ts';

/** Specification of an agent: its learner spec, seed and engine. */
export interface AgentSpec extends LearnerSpec {
  readonly seed: number;
  /**
   * Thread of the training calls: this one, which they block, or a worker thread (needs the built program). The results are
   * bit-identical.
   */
  readonly engine?: 'local' | 'thread';
  /** True if a process that controls a robot runs on this machine: then no thread spins, and one core is left to it. Default: false. */
  readonly hasRobot?: boolean;
}

/** Report of one training call. */
export interface UpdateMetrics {
  /** Critic updates done or refused so far. */
  readonly updates: number;
  /** Means over the critic updates of the call, and the values reported by its actor update, by name: see the algorithm. */
  readonly values: Readonly<Record<string, number>>;
  /** True if the result was not finite: the state from before this call was kept. */
  readonly isRefused: boolean;
  /** Wall time of the call, ms. */
  readonly callMs: number;
}

/** Everything needed to resume an agent, except replay. */
export interface AgentSnapshot {
  readonly algorithm: string;
  readonly observationSize: number;
  readonly actionSize: number;
  readonly updates: number;
  readonly refusedCalls: number;
  readonly rng: Readonly<Record<RandomPurpose, RngState>>;
  /** All parameters, targets and moments in the order of `stateParts`. */
  readonly state: Float32Array;
}

/**
 * Called after each call of a pre-training with the updates of its phase so far, and the loss, NaN if the call was refused. The
 * training awaits the returned promise; `criticValues` may be called meanwhile.
 */
export type OnPretrained = (updates: number, loss: number) => void | Promise<void>;

type PhaseOptions = Omit<PretrainingOptions, 'algorithm' | 'random' | 'onCall'> & {
  readonly onCall: OnPretrained | undefined;
};

/** Purposes of random numbers; each has a generator of its own, whose state is in the checkpoint. */
export const RANDOM_PURPOSES = ['batch', 'noise', 'subset', 'cloning'] as const;
/** One of `RANDOM_PURPOSES`. */
export type RandomPurpose = (typeof RANDOM_PURPOSES)[number];

/** Builds and loads the networks, freshly initialised from `seed`. Throws `RangeError` for an invalid configuration. */
export async function createAgent({ seed, engine: place, hasRobot = false, ...spec }: AgentSpec): Promise<Agent> {
  checkLearnerConfig(spec.config);
  const algorithm = await loadAlgorithm(spec.config);
  const unfit = algorithm.unfit?.(spec);
  if (unfit !== undefined) throw new RangeError(`learner configuration: ${unfit}`);
  const engine = place === 'thread' ? new EngineThread(spec, hasRobot) : new LocalEngine(algorithm, spec, hasRobot);
  const root = new Rng(seed);
  try {
    await engine.write(initialState(algorithm, spec, root.fork('networks')));
    const update = await PhaseDriver.open(engine, 'update', updatesPerCall(spec.config));
    return new Agent(algorithm, engine, update, root);
  } catch (error) {
    // An orphaned thread would keep the process alive.
    await engine.close();
    throw error;
  }
}

/**
 * A learner. All calls must be awaited one at a time.
 *
 * @example
 * const agent = await createAgent({ parts: { stateSize: 84 }, actionSize: 4, config: DEFAULT_LEARNER_CONFIG, seed: 1 });
 * await agent.pretrain(replay);
 * const metrics = await agent.update(replay, contract.visibleTo(agent.updates + 1));
 */
export class Agent {
  readonly algorithm: Algorithm;
  readonly spec: LearnerSpec;
  readonly config: LearnerConfig;
  /** Number of values in the whole state, as in a checkpoint. */
  readonly stateSize: number;
  readonly #engine: TrainingEngine;
  readonly #update: PhaseDriver;
  readonly #random: Record<RandomPurpose, Rng>;
  #calls = 0;
  #refusedCalls = 0;
  #pretrained = 0;

  /** Use `createAgent`. */
  constructor(algorithm: Algorithm, engine: TrainingEngine, update: PhaseDriver, root: Rng) {
    this.algorithm = algorithm;
    this.spec = engine.spec;
    this.config = engine.spec.config;
    this.stateSize = countNumbers(stateParts(algorithm, engine.spec));
    this.#engine = engine;
    this.#update = update;
    this.#random = fromPurposes((purpose) => root.fork(purpose));
  }

  /** Critic updates done so far, including refused ones: the count of the update contract. */
  get updates(): number {
    return this.#calls * updatesPerCall(this.config);
  }

  /** Pre-training updates of this process so far, including refused ones; not part of `updates`. */
  get pretrained(): number {
    return this.#pretrained;
  }

  /** Calls, including pre-training, whose result was not finite and was discarded. */
  get refusedCalls(): number {
    return this.#refusedCalls;
  }

  /**
   * Behaviour cloning of the actor on the demonstrations in `replay`, for `config.bcInitSteps` updates. Rejects with `ReinError` if
   * no result was finite, leaving the networks as before; or with the reason of `signal` between two calls, after which the agent
   * is unusable.
   */
  async pretrain(replay: Replay, signal?: AbortSignal, onCall?: OnPretrained): Promise<PretrainingReport> {
    await this.#normaliseFrom(replay, 0);
    return this.#pretrain({
      phase: 'cloning',
      replay,
      loss: 'cloningLoss',
      steps: this.config.bcInitSteps,
      signal,
      onCall,
    });
  }

  /**
   * Performs `updates` critic updates on the demonstrations in `replay`, before there is a robot, if the algorithm has such training
   * (WSRL); each `utd` of them end with one actor update. Not counted in `updates`. Reports the critics' loss. Rejects as
   * `pretrain` does.
   */
  async pretrainOffline(
    replay: Replay,
    updates: number,
    signal?: AbortSignal,
    onCall?: OnPretrained,
  ): Promise<PretrainingReport> {
    await this.#normaliseFrom(replay, 0);
    return this.#pretrain({
      phase: 'offline',
      replay,
      loss: 'criticLoss',
      steps: updates,
      updatesPerCall: updatesPerCall(this.config),
      signal,
      onCall,
    });
  }

  async #pretrain({ onCall: told, ...options }: PhaseOptions): Promise<PretrainingReport> {
    const rng = this.#random.cloning;
    const random = { batch: rng, noise: rng, subset: rng };
    let done = 0;
    const onCall = (updates: number, loss: number): void | Promise<void> => {
      this.#pretrained += updates;
      done += updates;
      return told?.(done, loss);
    };
    const report = await pretrain(this.#engine, { algorithm: this.algorithm, random, onCall, ...options });
    this.#refusedCalls += report.refused;
    return report;
  }

  /**
   * Writes to `out` [A] a warm-up action for `observation` [O], for the steps before there is a useful policy: a run starts with
   * them to have something to learn from.
   */
  warmUpAction(observation: Float32Array, out: Float32Array, rng: Rng): void {
    const { warmUp } = this.algorithm;
    if (warmUp !== undefined) warmUp(this.spec, observation, out, rng);
    else for (let i = 0; i < out.length; i++) out[i] = rng.uniformIn(-1, 1);
  }

  /**
   * Performs the critic updates of one call and one actor update, on the rows visible once `visibleCount` online transitions
   * count. A result that is not finite is refused and counted; the state stays as it was. `nextVisibleCount`: the same for the
   * next call, if it is certain: its batches are drawn meanwhile.
   */
  async update(replay: Replay, visibleCount: number, nextVisibleCount?: number): Promise<UpdateMetrics> {
    const startMs = performance.now();
    if (this.#calls === 0) await this.#normaliseFrom(replay, visibleCount);
    const { demoFraction } = this.config;
    const draw = { replay, visibleCount, demoFraction, call: this.#calls, random: this.#random };
    const next =
      nextVisibleCount === undefined ? undefined : { ...draw, visibleCount: nextVisibleCount, call: this.#calls + 1 };
    const { values, isSound } = await this.#update.run(draw, next);
    this.#calls++;
    if (!isSound) this.#refusedCalls++;
    return { updates: this.updates, values, isRefused: !isSound, callMs: performance.now() - startMs };
  }

  /**
   * [n] values Q(s, a) of `actions` [n, A] at `observations` [n, O]: mean over the ensemble. Has no effect on training. The first
   * call loads a graph. Rejects with `RangeError` if the sizes do not match.
   */
  criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array> {
    return this.#engine.criticValues(observations, actions);
  }

  /** A copy of the policy's weights. */
  async actorWeights(): Promise<PolicyTensors> {
    const parts = new Map<string, Float32Array>();
    for (const { part } of policyParts(this.algorithm, this.spec)) parts.set(part, await this.#engine.read(part));
    return policyWeights(this.algorithm, this.spec, (name) => parts.get(name)!);
  }

  /**
   * The policy as a model whose weights are inputs, named as in `actorWeights`. With a frozen `encoder`, its input is the task's
   * observation, and a node stands for the encoder, whose file robots have.
   */
  policyGraph(encoder?: ObservationEncoder): Uint8Array {
    return buildPolicy(this.algorithm, this.spec, { encoder });
  }

  /**
   * The policy as a self-contained model file, with the frozen `encoder` inside; with `ranges` [A] it also gives the action in
   * their units. Rejects with `RangeError` if the number of ranges differs from the action's size.
   */
  async exportPolicy(
    metadata: Readonly<Record<string, string>> = {},
    encoder?: ObservationEncoder,
    ranges?: readonly ActionRange[],
  ): Promise<Uint8Array> {
    const { actionSize } = this.spec;
    if (ranges !== undefined && ranges.length !== actionSize) {
      throw new RangeError(`${ranges.length} ranges are given for an action of ${actionSize} numbers`);
    }
    const weights = (await this.actorWeights()).data;
    const content = { weights, encoder, metadata, ...(ranges === undefined ? {} : { ranges }) };
    const model = buildPolicy(this.algorithm, this.spec, content);
    return encoder?.inline(model) ?? model;
  }

  /**
   * The convolutions of the trained encoder as a model that other trainings can use as a frozen encoder: `pixels`
   * [1, channels, height, width] → `features`; `undefined` if there are none.
   */
  async exportEncoder(): Promise<Uint8Array | undefined> {
    const sizes = encoderSpec(this.spec);
    if (sizes === undefined || sizes.channels.length === 0) return undefined;
    return buildEncoder(sizes, await this.#engine.read(ENCODER));
  }

  /** A copy of everything from which training continues. */
  async snapshot(): Promise<AgentSnapshot> {
    // Draws made ahead are repeated, by this agent and by the one that continues from the snapshot.
    this.#update.rewind(this.#random);
    return {
      algorithm: this.algorithm.name,
      observationSize: totalObservationSize(this.spec.parts),
      actionSize: this.spec.actionSize,
      updates: this.updates,
      refusedCalls: this.#refusedCalls,
      rng: fromPurposes((purpose) => this.#random[purpose].state()),
      state: await this.#engine.read(),
    };
  }

  /**
   * Continues from `snapshot`: with the same replay, the next updates are bit-identical. Rejects with `ReinError` if it does not
   * fit.
   */
  async restore(snapshot: AgentSnapshot): Promise<void> {
    checkFit(snapshot, this.algorithm, this.config);
    await this.#engine.write(snapshot.state);
    this.#update.rewind(this.#random);
    this.#calls = snapshot.updates / updatesPerCall(this.config);
    this.#refusedCalls = snapshot.refusedCalls;
    for (const purpose of RANDOM_PURPOSES) this.#random[purpose].setState(snapshot.rng[purpose]);
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  /** Freezes the normalisation statistics of observations, once: on the data present before the first update. */
  async #normaliseFrom(replay: Replay, visibleCount: number): Promise<void> {
    if (!this.config.normaliseObservations) return;
    const mean = await this.#engine.read(STATISTICS.mean);
    if (mean.some((value) => value !== 0)) return;
    const scale = await this.#engine.read(STATISTICS.scale);
    observationStatistics(this.spec.parts, replay, visibleCount, mean, scale);
    await this.#engine.write(mean, STATISTICS.mean);
    await this.#engine.write(scale, STATISTICS.scale);
  }
}

function checkFit(snapshot: AgentSnapshot, algorithm: Algorithm, config: LearnerConfig): void {
  if (snapshot.algorithm !== algorithm.name) {
    throw new ReinError(
      'checkpoint',
      `The checkpoint was trained by ${snapshot.algorithm}, this configuration says ${algorithm.name}.`,
      { remedy: `Continue with algorithm: ${snapshot.algorithm}, or begin a new run.` },
    );
  }
  const perCall = updatesPerCall(config);
  if (snapshot.updates % perCall === 0) return;
  throw new ReinError('checkpoint', `${snapshot.updates} updates are not whole calls of ${perCall} updates.`, {
    remedy: 'Continue with the utd and updatesPerCall that the checkpoint was written with.',
  });
}

function fromPurposes<T>(make: (purpose: RandomPurpose) => T): Record<RandomPurpose, T> {
  return Object.fromEntries(RANDOM_PURPOSES.map((purpose) => [purpose, make(purpose)])) as Record<RandomPurpose, T>;
}
