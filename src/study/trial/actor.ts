/** Who acts in a trial: the learner's policy, run by the runtime that also runs it on a robot. */
import { policyObservationSize, type Rng } from '../../core/index.ts';
import { type Agent, Bindings, Session, type Training } from '../../learner/index.ts';
import { meanAction, sampleAction } from '../../policy/index.ts';

export interface Actor {
  /** Copies the agent's newest weights. */
  follow(agent: Agent): Promise<void>;
  /**
   * Writes the action at `observation` (the policy sees as much of its beginning as it was made for) into `out` [A]. Draws
   * the same count of numbers from `rng` whatever they are. `isExploring` false: as it acts in an evaluation.
   */
  act(observation: Float32Array, out: Float32Array, rng: Rng, isExploring: boolean): Promise<void>;
  close(): Promise<void>;
}

/** What a trial has of a learner to act with. */
export type Acting = Pick<Training, 'agent' | 'encoder'>;

/** Opens the policy of `agent`; it acts on what `encoder` makes of observations where there is one, which stays the caller's. */
export async function openActor({ agent, encoder }: Acting): Promise<Actor> {
  const { parts, actionSize } = agent.spec;
  const { noiseSize, noise } = agent.algorithm.policy(agent.spec);
  const session = await Session.create(await agent.policyGraph());
  const network = new Network(session, policyObservationSize(parts));
  const actor =
    noiseSize === 0
      ? new GaussianActor(network, actionSize)
      : new ActionActor(network, actionSize, noiseSize, noise === 'always');
  await actor.follow(agent);
  return encoder === undefined ? actor : new EncodedActor(encoder, actor);
}

type Encoder = NonNullable<Acting['encoder']>;

/** Acts on what a frozen encoder makes of observations. */
class EncodedActor implements Actor {
  readonly #encoder: Encoder;
  readonly #inner: Actor;

  constructor(encoder: Encoder, inner: Actor) {
    this.#encoder = encoder;
    this.#inner = inner;
  }

  follow(agent: Agent): Promise<void> {
    return this.#inner.follow(agent);
  }

  async act(observation: Float32Array, out: Float32Array, rng: Rng, isExploring: boolean): Promise<void> {
    await this.#inner.act(await this.#encoder.see(observation), out, rng, isExploring);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** A session whose weights are inputs. */
class Network {
  readonly inputs: Bindings = new Bindings();
  readonly outputs: Bindings = new Bindings();
  readonly #session: Session;
  readonly #observation: Float32Array;
  #weights: Float32Array | undefined;

  constructor(session: Session, observationSize: number) {
    this.#session = session;
    this.#observation = new Float32Array(observationSize);
    this.inputs.set('observation', this.#observation, [1, observationSize]);
  }

  async follow(agent: Agent): Promise<void> {
    const { names, shapes, data } = await agent.actorWeights();
    if (this.#weights !== undefined) {
      this.#weights.set(data);
      return;
    }
    this.#weights = data.slice();
    let offset = 0;
    for (const [i, name] of names.entries()) {
      const size = shapes[i]!.reduce((product, n) => product * n, 1);
      this.inputs.set(name, this.#weights.subarray(offset, offset + size), shapes[i]!);
      offset += size;
    }
  }

  async run(observation: Float32Array): Promise<void> {
    this.#observation.set(observation.subarray(0, this.#observation.length));
    await this.#session.run([this.inputs], [this.outputs]);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** A tanh-Gaussian head: outputs `mean` and `log_std`, both before tanh. */
class GaussianActor implements Actor {
  readonly #network: Network;
  readonly #mean: Float32Array;
  readonly #logStd: Float32Array;

  constructor(network: Network, actionSize: number) {
    this.#network = network;
    this.#mean = new Float32Array(actionSize);
    this.#logStd = new Float32Array(actionSize);
    network.outputs.set('mean', this.#mean, [1, actionSize]);
    network.outputs.set('log_std', this.#logStd, [1, actionSize]);
  }

  follow(agent: Agent): Promise<void> {
    return this.#network.follow(agent);
  }

  async act(observation: Float32Array, out: Float32Array, rng: Rng, isExploring: boolean): Promise<void> {
    await this.#network.run(observation);
    if (isExploring) sampleAction(out, this.#mean, this.#logStd, rng);
    else meanAction(out, this.#mean);
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}

/** A head that gives the action itself, from noise that is drawn here. */
class ActionActor implements Actor {
  readonly #network: Network;
  readonly #noise: Float32Array;
  readonly #action: Float32Array;
  readonly #isAlwaysNoisy: boolean;

  constructor(network: Network, actionSize: number, noiseSize: number, isAlwaysNoisy: boolean) {
    this.#network = network;
    this.#noise = new Float32Array(noiseSize);
    this.#action = new Float32Array(actionSize);
    this.#isAlwaysNoisy = isAlwaysNoisy;
    network.inputs.set('noise', this.#noise, [1, noiseSize]);
    network.outputs.set('action', this.#action, [1, actionSize]);
  }

  follow(agent: Agent): Promise<void> {
    return this.#network.follow(agent);
  }

  async act(observation: Float32Array, out: Float32Array, rng: Rng, isExploring: boolean): Promise<void> {
    if (isExploring || this.#isAlwaysNoisy) rng.fillNormal(this.#noise);
    else this.#noise.fill(0);
    await this.#network.run(observation);
    out.set(this.#action);
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}
