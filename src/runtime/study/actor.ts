/** Who acts in a trial: the learner's policy, run by the runtime that also runs it on a robot. */
import { type Environment, policyObservationSize, type Rng } from '../../core/index.ts';
import { Bindings, Session } from '../../learner/engine/index.ts';
import type { Agent } from '../../learner/index.ts';
import { meanAction, sampleAction } from '../../policy/index.ts';

export interface Actor {
  /** Copies the agent's newest weights. */
  follow(agent: Agent): void;
  /**
   * Writes the action at `observation` ([O] or longer: a policy sees the first O) into `out` [A]. With `rng` it explores, and
   * draws the same count of numbers whatever they are; without, it acts as in an evaluation.
   */
  act(observation: Float32Array, out: Float32Array, rng: Rng | undefined): Promise<void>;
  close(): Promise<void>;
}

/** Opens the policy of `agent` for `environment`. */
export async function openActor(agent: Agent, environment: Environment): Promise<Actor> {
  const session = await Session.create(agent.policyGraph());
  const actor = new GaussianActor(session, policyObservationSize(environment.parts), environment.actionSize);
  actor.follow(agent);
  return actor;
}

/** A tanh-Gaussian head: outputs `mean` and `log_std`, both before tanh. */
class GaussianActor implements Actor {
  readonly #session: Session;
  readonly #inputs: Bindings = new Bindings();
  readonly #outputs: Bindings = new Bindings();
  readonly #observation: Float32Array;
  readonly #mean: Float32Array;
  readonly #logStd: Float32Array;
  #weights: Float32Array | undefined;

  constructor(session: Session, observationSize: number, actionSize: number) {
    this.#session = session;
    this.#observation = new Float32Array(observationSize);
    this.#mean = new Float32Array(actionSize);
    this.#logStd = new Float32Array(actionSize);
    this.#inputs.set('observation', this.#observation, [1, observationSize]);
    this.#outputs.set('mean', this.#mean, [1, actionSize]);
    this.#outputs.set('log_std', this.#logStd, [1, actionSize]);
  }

  follow(agent: Agent): void {
    const { names, shapes, data } = agent.actorWeights();
    if (this.#weights !== undefined) {
      this.#weights.set(data);
      return;
    }
    this.#weights = data.slice();
    let offset = 0;
    for (const [i, name] of names.entries()) {
      const size = shapes[i]!.reduce((product, n) => product * n, 1);
      this.#inputs.set(name, this.#weights.subarray(offset, offset + size), shapes[i]!);
      offset += size;
    }
  }

  async act(observation: Float32Array, out: Float32Array, rng: Rng | undefined): Promise<void> {
    this.#observation.set(observation.subarray(0, this.#observation.length));
    await this.#session.run([this.#inputs], [this.#outputs]);
    if (rng === undefined) meanAction(out, this.#mean);
    else sampleAction(out, this.#mean, this.#logStd, rng);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
