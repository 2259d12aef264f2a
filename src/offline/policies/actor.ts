/** The acting policy of a trial: the learner's policy, on the network that also runs it on a robot. */

import type { Agent, Training } from '../../learner/index.ts';
import { policyObservationSize, sha256Hex } from '../../model/index.ts';
import {
  openNetwork,
  type Policy,
  type PolicyNetwork,
  type PolicyNoise,
  type WeightTensors,
} from '../../policy/index.ts';

/** The part of a training that acting needs. */
export type Acting = Pick<Training, 'agent' | 'encoder'>;

/** An agent's policy whose weights are copied in-process, without transfer or canary; created by `openActor`. */
export class Actor implements Policy {
  readonly observationSize: number;
  readonly actionSize: number;
  /** A learner in the same process always acts with its newest weights. */
  readonly version = 1;
  readonly #network: PolicyNetwork;
  readonly #encoder: Acting['encoder'];
  #weights: WeightTensors;

  constructor({ agent, encoder }: Acting, network: PolicyNetwork, weights: WeightTensors) {
    this.observationSize = encoder?.policySize ?? policyObservationSize(agent.spec.parts);
    this.actionSize = agent.spec.actionSize;
    this.#network = network;
    this.#weights = weights;
    this.#encoder = encoder;
  }

  /** Copies the agent's newest weights. */
  async follow(agent: Agent): Promise<void> {
    this.#weights = await weightsOf(agent, this.#network);
  }

  async decide(observation: Float32Array, noise: PolicyNoise, out: Float32Array): Promise<void> {
    const seen = this.#encoder === undefined ? observation : await this.#encoder.see(observation);
    await this.#network.decide(this.#weights, seen, noise, out);
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}

/** Opens the policy of `agent`; it acts on the output of `encoder`, if any. The caller keeps ownership of the encoder. */
export async function openActor(acting: Acting): Promise<Actor> {
  const { agent } = acting;
  const { parts, actionSize } = agent.spec;
  const graph = agent.policyGraph();
  const network = await openNetwork(graph, sha256Hex(graph), policyObservationSize(parts), actionSize);
  return new Actor(acting, network, await weightsOf(agent, network));
}

async function weightsOf(agent: Agent, network: PolicyNetwork): Promise<WeightTensors> {
  const { shapes, data } = await agent.actorWeights();
  const bound = network.bind(shapes, data);
  if (!bound.ok) throw bound.error;
  return bound.value;
}
