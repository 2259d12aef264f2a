/** The agent: networks, optimiser and random numbers of one training, behind a few verbs. */
import { ReinError, Rng, type RngState } from '../../core/index.ts';
import { Bindings, PingPongState, Session } from '../engine/index.ts';
import type { Replay } from '../replay/index.ts';
import { type CloningReport, cloneDemonstrations } from './cloning.ts';
import { checkLearnerConfig, type LearnerConfig } from './config.ts';
import { CriticValues } from './critic-values.ts';
import { actorLayout, criticLayout, initialise, type NetworkSpec } from './networks.ts';
import { buildPolicy, type NamedWeights, policyWeights } from './policy-graph.ts';
import { ACTOR_METRICS, buildUpdateGraph, CRITIC_METRICS, stateParts } from './update-graph.ts';
import { UpdateInputs } from './update-inputs.ts';

export interface AgentSpec {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly config: LearnerConfig;
  readonly seed: number;
}

/** What one training call reports: means over its critic updates, and its one actor update. */
export interface UpdateMetrics {
  /** Critic updates done or refused so far. */
  readonly updates: number;
  readonly criticLoss: number;
  readonly qMean: number;
  readonly targetMean: number;
  readonly tdErrorAbs: number;
  readonly criticGradientNorm: number;
  readonly actorLoss: number;
  /** −mean log π of the last batch, nats. */
  readonly entropy: number;
  readonly temperature: number;
  readonly actorGradientNorm: number;
  /** Mean Q of the policy's own actions. */
  readonly policyValue: number;
  readonly cloningLoss: number;
  /** The result was not finite: the state was kept as it was before this call. */
  readonly isRefused: boolean;
  /** Wall time of the call, ms. */
  readonly callMs: number;
}

/** Everything that a resumed agent needs, apart from replay. */
export interface AgentSnapshot {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly updates: number;
  readonly refusedCalls: number;
  readonly rng: Readonly<Record<RandomPurpose, RngState>>;
  /** All parameters, targets and moments in the order of `stateParts`. */
  readonly state: Float32Array;
}

const RANDOM_PURPOSES = ['batch', 'noise', 'subset', 'cloning'] as const;
type RandomPurpose = (typeof RANDOM_PURPOSES)[number];

/** Builds and loads the networks, freshly initialised from `seed`. Throws `RangeError` for a wrong configuration. */
export async function createAgent(spec: AgentSpec): Promise<Agent> {
  checkLearnerConfig(spec.config);
  const networks = { ...spec.config, observationSize: spec.observationSize, actionSize: spec.actionSize };
  const session = await Session.create(buildUpdateGraph(networks, spec.config).serialize(), spec.config.threads);
  return new Agent(networks, spec, session);
}

/**
 * A SAC/RLPD learner. All calls must be awaited one at a time. A training call blocks its thread for
 * milliseconds: not for the process that controls a robot.
 *
 * @example
 * const agent = await createAgent({ observationSize: 84, actionSize: 4, config: DEFAULT_LEARNER_CONFIG, seed: 1 });
 * await agent.pretrain(replay);
 * const metrics = await agent.update(replay, contract.visibleTo(agent.updates + 1));
 */
export class Agent {
  readonly networks: NetworkSpec;
  readonly config: LearnerConfig;
  readonly #session: Session;
  readonly #state: PingPongState;
  readonly #inputs: UpdateInputs;
  readonly #metrics: Bindings = new Bindings();
  readonly #criticMetrics: Float32Array;
  readonly #actorMetrics: Float32Array;
  #random: Record<RandomPurpose, Rng>;
  #values: CriticValues | undefined;
  #calls = 0;
  #refusedCalls = 0;

  /** Use `createAgent`. */
  constructor(networks: NetworkSpec, spec: AgentSpec, session: Session) {
    this.networks = networks;
    this.config = spec.config;
    this.#session = session;
    this.#state = new PingPongState(stateParts(networks, spec.config));
    this.#inputs = new UpdateInputs(networks, spec.config);
    this.#criticMetrics = new Float32Array(spec.config.utd * CRITIC_METRICS.length);
    this.#actorMetrics = new Float32Array(ACTOR_METRICS.length);
    this.#metrics.set('critic_metrics', this.#criticMetrics, [spec.config.utd, CRITIC_METRICS.length]);
    this.#metrics.set('actor_metrics', this.#actorMetrics, [ACTOR_METRICS.length]);
    const root = new Rng(spec.seed);
    this.#random = fromPurposes((purpose) => root.fork(purpose));
    this.#initialise(root.fork('networks'));
  }

  /** Critic updates done so far, refused ones included: what the update contract counts. */
  get updates(): number {
    return this.#calls * this.config.utd;
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
  async pretrain(replay: Replay): Promise<CloningReport> {
    return cloneDemonstrations(this.#state.part('actor'), this.networks, this.config, replay, this.#random.cloning);
  }

  /**
   * `config.utd` critic updates and one of actor and temperature, on what the first `visibleCount` online transitions and
   * the demonstrations let it see. A result that is not finite is refused and counted; the state stays as it was.
   */
  async update(replay: Replay, visibleCount: number): Promise<UpdateMetrics> {
    const startMs = performance.now();
    this.#inputs.fill(replay, visibleCount, this.#calls, this.#random);
    await this.#session.run([this.#state.inputs, this.#inputs.bindings], [this.#state.outputs, this.#metrics]);
    this.#calls++;
    const isRefused = !(this.#criticMetrics.every(Number.isFinite) && this.#actorMetrics.every(Number.isFinite));
    if (isRefused) this.#refusedCalls++;
    else this.#state.commit();
    return this.#report(isRefused, performance.now() - startMs);
  }

  /**
   * [n] what the critics expect of `actions` [n, A] at `observations` [n, O]: Q(s, a), the mean over the ensemble. Changes
   * nothing that training depends on. The first call loads a graph. Throws `RangeError` where the sizes do not fit.
   */
  async criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array> {
    this.#values ??= await CriticValues.create(this.networks, this.config);
    return this.#values.evaluate(this.#state.part('critic'), observations, actions);
  }

  /** A copy of the policy's weights. */
  actorWeights(): NamedWeights {
    return policyWeights(this.networks, this.#state.part('actor').slice());
  }

  /** The policy as a model whose weights are inputs, named as `actorWeights` names them. */
  policyGraph(): Uint8Array {
    return buildPolicy(this.networks);
  }

  /** The policy as a model file that stands alone. */
  exportPolicy(metadata: Readonly<Record<string, string>> = {}): Uint8Array {
    return buildPolicy(this.networks, this.#state.part('actor'), metadata);
  }

  /** A copy of everything that training continues from. */
  snapshot(): AgentSnapshot {
    return {
      observationSize: this.networks.observationSize,
      actionSize: this.networks.actionSize,
      updates: this.updates,
      refusedCalls: this.#refusedCalls,
      rng: fromPurposes((purpose) => this.#random[purpose].state()),
      state: this.#state.current.slice(),
    };
  }

  /** Continues from `snapshot`: with the same replay, the next updates are the same bit for bit. Throws `ReinError` when it does not fit. */
  restore(snapshot: AgentSnapshot): void {
    if (snapshot.updates % this.config.utd !== 0) {
      throw new ReinError(
        'checkpoint',
        `${snapshot.updates} updates are not whole calls of ${this.config.utd} updates.`,
        {
          remedy: 'Continue with the utd that the checkpoint was written with',
        },
      );
    }
    this.#state.load(snapshot.state);
    this.#calls = snapshot.updates / this.config.utd;
    this.#refusedCalls = snapshot.refusedCalls;
    this.#random = fromPurposes((purpose) => new Rng(snapshot.rng[purpose]));
  }

  async close(): Promise<void> {
    await this.#session.close();
    await this.#values?.close();
  }

  #initialise(rng: Rng): void {
    initialise(actorLayout(this.networks), rng.fork('actor'), this.#state.part('actor'));
    const layout = criticLayout(this.networks);
    const critics = this.#state.part('critic');
    for (let member = 0; member < this.config.critics; member++) {
      const part = critics.subarray(member * layout.size, (member + 1) * layout.size);
      initialise(layout, rng.fork(`critic${member}`), part);
    }
    this.#state.part('critic_target').set(critics);
    this.#state.part('temperature')[0] = Math.log(this.config.initialTemperature);
  }

  #report(isRefused: boolean, callMs: number): UpdateMetrics {
    const width = CRITIC_METRICS.length;
    const mean = (name: (typeof CRITIC_METRICS)[number]) => {
      const column = CRITIC_METRICS.indexOf(name);
      let sum = 0;
      for (let k = 0; k < this.config.utd; k++) sum += this.#criticMetrics[k * width + column]!;
      return sum / this.config.utd;
    };
    const last = (name: (typeof ACTOR_METRICS)[number]) => this.#actorMetrics[ACTOR_METRICS.indexOf(name)]!;
    return {
      updates: this.updates,
      criticLoss: mean('criticLoss'),
      qMean: mean('qMean'),
      targetMean: mean('targetMean'),
      tdErrorAbs: mean('tdErrorAbs'),
      criticGradientNorm: Math.sqrt(mean('criticGradientSquared')),
      actorLoss: last('actorLoss'),
      entropy: last('entropy'),
      temperature: last('temperature'),
      actorGradientNorm: Math.sqrt(last('actorGradientSquared')),
      policyValue: last('policyValue'),
      cloningLoss: last('cloningLoss'),
      isRefused,
      callMs,
    };
  }
}

function fromPurposes<T>(make: (purpose: RandomPurpose) => T): Record<RandomPurpose, T> {
  return Object.fromEntries(RANDOM_PURPOSES.map((purpose) => [purpose, make(purpose)])) as Record<RandomPurpose, T>;
}
