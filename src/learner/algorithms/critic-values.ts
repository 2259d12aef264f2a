/** What the critics think of given actions: the ensemble as a graph of its own, without training. */
import { Bindings, Graph, reduceMean, reshape, Session, unpack } from '../engine/index.ts';
import type { LearnerConfig } from './config.ts';
import { criticLayout, critics, type NetworkSpec } from './networks.ts';

/** Rows of one run of the graph; a shorter rest is padded. */
const ROWS = 64;

/** Loaded graph and arrays for Q(s, a), the mean over all critics. Calls must be awaited one at a time. */
export class CriticValues {
  readonly #session: Session;
  readonly #inputs: Bindings = new Bindings();
  readonly #outputs: Bindings = new Bindings();
  readonly #observation: Float32Array;
  readonly #action: Float32Array;
  readonly #values: Float32Array = new Float32Array(ROWS);
  readonly #shape: readonly [members: number, size: number];

  private constructor(spec: NetworkSpec, config: LearnerConfig, session: Session) {
    this.#session = session;
    this.#shape = [config.critics, criticLayout(spec).size];
    this.#observation = new Float32Array(ROWS * spec.observationSize);
    this.#action = new Float32Array(ROWS * spec.actionSize);
    this.#inputs.set('observation', this.#observation, [ROWS, spec.observationSize]);
    this.#inputs.set('action', this.#action, [ROWS, spec.actionSize]);
    this.#outputs.set('values', this.#values, [ROWS]);
  }

  static async create(spec: NetworkSpec, config: LearnerConfig): Promise<CriticValues> {
    const session = await Session.create(buildCriticValues(spec, config).serialize(), config.threads);
    return new CriticValues(spec, config, session);
  }

  /**
   * [n] values of `observations` [n, O] and `actions` [n, A]; the array is the caller's. `critic`: the flat parameters
   * of all members, read in place. Throws `RangeError` where the sizes do not belong together.
   */
  async evaluate(critic: Float32Array, observations: Float32Array, actions: Float32Array): Promise<Float32Array> {
    const [O, A] = [this.#observation.length / ROWS, this.#action.length / ROWS];
    const count = observations.length / O;
    if (!Number.isInteger(count) || actions.length !== count * A) {
      throw new RangeError(
        `${observations.length} observation and ${actions.length} action numbers are not rows of ${O} and ${A}`,
      );
    }
    this.#inputs.set('critic', critic, this.#shape);
    const values = new Float32Array(count);
    for (let from = 0; from < count; from += ROWS) {
      const to = Math.min(from + ROWS, count);
      this.#observation.fill(0).set(observations.subarray(from * O, to * O));
      this.#action.fill(0).set(actions.subarray(from * A, to * A));
      await this.#session.run([this.#inputs], [this.#outputs]);
      values.set(this.#values.subarray(0, to - from), from);
    }
    return values;
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

/** Inputs `observation`, `action` and the flat parameters `critic`; output `values` [ROWS]. */
function buildCriticValues(spec: NetworkSpec, config: LearnerConfig): Graph {
  const g = new Graph('critic_values');
  const layout = criticLayout(spec);
  const parameters = unpack(g.input('critic', [config.critics, layout.size]), layout);
  const observation = g.input('observation', [ROWS, spec.observationSize]);
  const action = g.input('action', [ROWS, spec.actionSize]);
  g.output('values', reshape(reduceMean(critics(parameters, spec, observation, action), [0]), [ROWS]));
  return g;
}
