/** The agent: networks, optimiser and random numbers of one training, behind a few verbs. */
import { type ObservationParts, ReinError, Rng, type RngState, totalObservationSize } from '../../core/index.ts';
import { ALGORITHM } from '../algorithms/index.ts';
import { PingPongState } from '../engine/index.ts';
import { initialise } from '../networks/index.ts';
import {
  type Algorithm,
  checkLearnerConfig,
  type LearnerConfig,
  type LearnerSpec,
  STATISTICS,
  stateParts,
  updatesPerCall,
} from '../program/index.ts';
import type { Replay } from '../replay/index.ts';
import { CriticValues } from './critic-values.ts';
import { observationStatistics } from './observation-statistics.ts';
import { PhaseRunner } from './phase-runner.ts';
import { buildPolicy, type NamedWeights, policyWeights } from './policy-graph.ts';
import { type PretrainingReport, pretrain } from './pretraining.ts';

export interface AgentSpec {
  readonly observationSize: number;
  /** What the observation is made of; absent: all of it is seen by everybody. */
  readonly parts?: ObservationParts;
  readonly actionSize: number;
  readonly config: LearnerConfig;
  readonly seed: number;
}

/** What one training call reports. */
export interface UpdateMetrics {
  /** Critic updates done or refused so far. */
  readonly updates: number;
  /** Means over the call's critic updates, and what its actor update reported, by name: see the algorithm. */
  readonly values: Readonly<Record<string, number>>;
  /** The result was not finite: the state was kept as it was before this call. */
  readonly isRefused: boolean;
  /** Wall time of the call, ms. */
  readonly callMs: number;
}

/** Everything that a resumed agent needs, apart from replay. */
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

export const RANDOM_PURPOSES = ['batch', 'noise', 'subset', 'cloning'] as const;
export type RandomPurpose = (typeof RANDOM_PURPOSES)[number];

/** Builds and loads the networks, freshly initialised from `seed`. Throws `RangeError` for a wrong configuration. */
export async function createAgent(spec: AgentSpec): Promise<Agent> {
  checkLearnerConfig(spec.config);
  const learner = learnerSpec(spec);
  const algorithm = ALGORITHM[spec.config.algorithm];
  const unfit = algorithm.unfit?.(learner);
  if (unfit !== undefined) throw new RangeError(`learner configuration: ${unfit}`);
  const runner = await PhaseRunner.create(algorithm, learner, algorithm.update, updatesPerCall(spec.config));
  return new Agent(algorithm, learner, spec.seed, runner);
}

/** The policy with `weights`, as `Agent.actorWeights` gives them, as a model file that stands alone. */
export function buildPolicyFile(
  spec: Omit<AgentSpec, 'seed'>,
  weights: Float32Array,
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  return buildPolicy(ALGORITHM[spec.config.algorithm], learnerSpec(spec), weights, metadata);
}

function learnerSpec({ observationSize, parts, actionSize, config }: Omit<AgentSpec, 'seed'>): LearnerSpec {
  const known = parts ?? { stateSize: observationSize };
  const total = totalObservationSize(known);
  if (total === observationSize) return { parts: known, actionSize, config };
  throw new RangeError(`the parts of the observation have ${total} numbers, the observation has ${observationSize}`);
}

/**
 * A learner. All calls must be awaited one at a time. A training call blocks its thread for milliseconds: not for the
 * process that controls a robot.
 *
 * @example
 * const agent = await createAgent({ observationSize: 84, actionSize: 4, config: DEFAULT_LEARNER_CONFIG, seed: 1 });
 * await agent.pretrain(replay);
 * const metrics = await agent.update(replay, contract.visibleTo(agent.updates + 1));
 */
export class Agent {
  readonly algorithm: Algorithm;
  readonly spec: LearnerSpec;
  readonly config: LearnerConfig;
  readonly #state: PingPongState;
  readonly #runner: PhaseRunner;
  readonly #perCall: number;
  #random: Record<RandomPurpose, Rng>;
  #values: CriticValues | undefined;
  #calls = 0;
  #refusedCalls = 0;

  /** Use `createAgent`. */
  constructor(algorithm: Algorithm, spec: LearnerSpec, seed: number, runner: PhaseRunner) {
    this.algorithm = algorithm;
    this.spec = spec;
    this.config = spec.config;
    this.#state = new PingPongState(stateParts(algorithm, spec));
    this.#runner = runner;
    this.#perCall = updatesPerCall(spec.config);
    const root = new Rng(seed);
    this.#random = fromPurposes((purpose) => root.fork(purpose));
    this.#initialise(root.fork('networks'));
  }

  /** Critic updates done so far, refused ones included: what the update contract counts. */
  get updates(): number {
    return this.#calls * this.#perCall;
  }

  /** Numbers in the whole state: what a checkpoint must have. */
  get stateSize(): number {
    return this.#state.size;
  }

  /** Calls whose result was not finite and was thrown away. */
  get refusedCalls(): number {
    return this.#refusedCalls;
  }

  /** Behaviour cloning of the actor on the demonstrations in `replay`, as far as `config.bcInitSteps` asks for it. */
  async pretrain(replay: Replay): Promise<PretrainingReport> {
    const phase = this.algorithm.cloning;
    if (phase === undefined) return { steps: 0, firstLoss: Number.NaN, lastLoss: Number.NaN };
    this.#normaliseFrom(replay, 0);
    const { algorithm, spec } = this;
    const rng = this.#random.cloning;
    return pretrain({
      ...{ algorithm, spec, phase, state: this.#state, replay, loss: 'cloningLoss' },
      steps: this.config.bcInitSteps,
      random: { batch: rng, noise: rng, subset: rng },
    });
  }

  /**
   * The critic updates of one call and one update of the actor, on what the first `visibleCount` online transitions and
   * the demonstrations let it see. A result that is not finite is refused and counted; the state stays as it was.
   */
  async update(replay: Replay, visibleCount: number): Promise<UpdateMetrics> {
    const startMs = performance.now();
    if (this.#calls === 0) this.#normaliseFrom(replay, visibleCount);
    const { demoFraction } = this.config;
    const draw = { replay, visibleCount, demoFraction, call: this.#calls, random: this.#random };
    const { values, isSound } = await this.#runner.run(this.#state, draw);
    this.#calls++;
    if (!isSound) this.#refusedCalls++;
    return { updates: this.updates, values, isRefused: !isSound, callMs: performance.now() - startMs };
  }

  /**
   * [n] what the critics expect of `actions` [n, A] at `observations` [n, O]: Q(s, a), the mean over the ensemble. Changes
   * nothing that training depends on. The first call loads a graph. Throws `RangeError` where the sizes do not fit.
   */
  async criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array> {
    this.#values ??= await CriticValues.create(this.algorithm, this.spec);
    return this.#values.evaluate((name) => this.#state.part(name), observations, actions);
  }

  /** A copy of the policy's weights. */
  actorWeights(): NamedWeights {
    return policyWeights(this.algorithm, this.spec, (name) => this.#state.part(name));
  }

  /** The policy as a model whose weights are inputs, named as `actorWeights` names them. */
  policyGraph(): Uint8Array {
    return buildPolicy(this.algorithm, this.spec);
  }

  /** The policy as a model file that stands alone. */
  exportPolicy(metadata: Readonly<Record<string, string>> = {}): Uint8Array {
    return buildPolicy(this.algorithm, this.spec, this.actorWeights().data, metadata);
  }

  /** A copy of everything that training continues from. */
  snapshot(): AgentSnapshot {
    return {
      algorithm: this.algorithm.name,
      observationSize: totalObservationSize(this.spec.parts),
      actionSize: this.spec.actionSize,
      updates: this.updates,
      refusedCalls: this.#refusedCalls,
      rng: fromPurposes((purpose) => this.#random[purpose].state()),
      state: this.#state.current.slice(),
    };
  }

  /** Continues from `snapshot`: with the same replay, the next updates are the same bit for bit. Throws `ReinError` when it does not fit. */
  restore(snapshot: AgentSnapshot): void {
    if (snapshot.algorithm !== this.algorithm.name) {
      throw new ReinError(
        'checkpoint',
        `The checkpoint was trained by ${snapshot.algorithm}, this configuration says ${this.algorithm.name}.`,
        { remedy: `Continue with algorithm: ${snapshot.algorithm}, or begin a new run.` },
      );
    }
    if (snapshot.updates % this.#perCall !== 0) {
      throw new ReinError(
        'checkpoint',
        `${snapshot.updates} updates are not whole calls of ${this.#perCall} updates.`,
        { remedy: 'Continue with the utd and updatesPerCall that the checkpoint was written with.' },
      );
    }
    this.#state.load(snapshot.state);
    this.#calls = snapshot.updates / this.#perCall;
    this.#refusedCalls = snapshot.refusedCalls;
    this.#random = fromPurposes((purpose) => new Rng(snapshot.rng[purpose]));
  }

  async close(): Promise<void> {
    await this.#runner.close();
    await this.#values?.close();
  }

  #initialise(rng: Rng): void {
    for (const network of this.algorithm.networks(this.spec)) {
      const { name, layout, members, hasTarget } = network;
      const write = network.initialise ?? initialise;
      const part = this.#state.part(name);
      for (let member = 0; member < (members ?? 1); member++) {
        const own = part.subarray(member * layout.size, (member + 1) * layout.size);
        write(layout, rng.fork(members === undefined ? name : `${name}${member}`), own);
      }
      if (hasTarget === true) this.#state.part(`${name}_target`).set(part);
    }
    for (const { name, initial } of this.algorithm.numbers?.(this.spec) ?? []) this.#state.part(name).set(initial);
    if (this.config.normaliseObservations) this.#state.part(STATISTICS.scale).fill(1);
  }

  /** Fixes what observations are normalised with, once: to what is there before the first update. */
  #normaliseFrom(replay: Replay, visibleCount: number): void {
    if (!this.config.normaliseObservations || this.#isNormalised) return;
    observationStatistics(
      this.spec.parts,
      replay,
      visibleCount,
      this.#state.part(STATISTICS.mean),
      this.#state.part(STATISTICS.scale),
    );
  }

  get #isNormalised(): boolean {
    return this.#state.part(STATISTICS.mean).some((mean) => mean !== 0);
  }
}

function fromPurposes<T>(make: (purpose: RandomPurpose) => T): Record<RandomPurpose, T> {
  return Object.fromEntries(RANDOM_PURPOSES.map((purpose) => [purpose, make(purpose)])) as Record<RandomPurpose, T>;
}
