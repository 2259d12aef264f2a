/** Who acts in a trial: the learner's policy, on the network that also runs it on a robot. */
import { policyObservationSize, type Rng, sha256Hex } from '../../core/index.ts';
import type { Agent, Training } from '../../learner/index.ts';
import { openNetwork, type PolicyNetwork, type WeightTensors } from '../../policy/index.ts';

/** What a trial has of a learner to act with. */
export type Acting = Pick<Training, 'agent' | 'encoder'>;

/** An agent's policy; get one from `openActor`. */
export class Actor {
  readonly #network: PolicyNetwork;
  readonly #encoder: Acting['encoder'];
  #weights: WeightTensors;

  constructor(network: PolicyNetwork, weights: WeightTensors, encoder: Acting['encoder']) {
    this.#network = network;
    this.#weights = weights;
    this.#encoder = encoder;
  }

  /** Copies the agent's newest weights. */
  async follow(agent: Agent): Promise<void> {
    this.#weights = await weightsOf(agent, this.#network);
  }

  /**
   * Writes the action at `observation` (the policy sees as much of its beginning as it was made for) into `out` [A]. Draws
   * the same count of numbers from `rng` whatever they are. `isExploring` false: as it acts in an evaluation.
   */
  async act(observation: Float32Array, out: Float32Array, rng: Rng, isExploring: boolean): Promise<void> {
    const seen = this.#encoder === undefined ? observation : await this.#encoder.see(observation);
    await this.#network.decide(this.#weights, seen, { rng, purpose: isExploring ? 'explore' : 'evaluate' }, out);
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}

/** Opens the policy of `agent`; it acts on what `encoder` makes of observations where there is one, which stays the caller's. */
export async function openActor({ agent, encoder }: Acting): Promise<Actor> {
  const { parts, actionSize } = agent.spec;
  const graph = agent.policyGraph();
  const network = await openNetwork(graph, sha256Hex(graph), policyObservationSize(parts), actionSize);
  return new Actor(network, await weightsOf(agent, network), encoder);
}

async function weightsOf(agent: Agent, network: PolicyNetwork): Promise<WeightTensors> {
  const { names, shapes, data } = await agent.actorWeights();
  const bound = network.bind(
    names.map((name, i) => ({ name, shape: shapes[i]! })),
    data,
  );
  if (!bound.ok) throw bound.error;
  return bound.value;
}
