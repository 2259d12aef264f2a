/** Critic values of given actions: the ensemble as a separate graph, without training. */
import { totalObservationSize } from '../../model/index.ts';
import { Graph } from '../engine/graph.ts';
import { unpack } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { reshape } from '../ops/shape.ts';
import type { Algorithm } from '../update/algorithm.ts';
import { criticInput, ENCODER, STATISTICS } from '../update/network-inputs.ts';
import type { LearnerSpec, NetworkDef } from '../update/spec.ts';
import { networksOf, stateParts } from '../update/state.ts';

/** Rows per run of the graph; a shorter remainder is padded. */
const ROWS = 64;

/** Loaded graph and arrays for Q(s, a), the mean over all critics. Calls must be awaited one at a time. */
export class CriticValues {
  readonly #session: Session;
  readonly #inputs: Bindings = new Bindings();
  readonly #outputs: Bindings = new Bindings();
  readonly #observation: Float32Array;
  readonly #action: Float32Array;
  readonly #values: Float32Array = new Float32Array(ROWS);
  /** Parts of the state that the graph reads, with their shapes. */
  readonly #parts: readonly (readonly [name: string, shape: readonly number[]])[];

  private constructor(algorithm: Algorithm, spec: LearnerSpec, session: Session) {
    this.#session = session;
    const O = totalObservationSize(spec.parts);
    this.#observation = new Float32Array(ROWS * O);
    this.#action = new Float32Array(ROWS * spec.actionSize);
    this.#inputs.set('observation', this.#observation, [ROWS, O]);
    this.#inputs.set('action', this.#action, [ROWS, spec.actionSize]);
    this.#outputs.set('values', this.#values, [ROWS]);
    this.#parts = partsOf(algorithm, spec);
  }

  static async create(algorithm: Algorithm, spec: LearnerSpec): Promise<CriticValues> {
    const session = await Session.create(buildCriticValues(algorithm, spec).serialize());
    return new CriticValues(algorithm, spec, session);
  }

  /**
   * Returns [n] values of `observations` [n, O] and `actions` [n, A] in a new array. `partOf` returns the state's parts, which are
   * read in place. Throws `RangeError` if the sizes do not match.
   */
  async evaluate(
    partOf: (name: string) => Float32Array,
    observations: Float32Array,
    actions: Float32Array,
  ): Promise<Float32Array> {
    const [O, A] = [this.#observation.length / ROWS, this.#action.length / ROWS];
    const count = observations.length / O;
    if (!Number.isInteger(count) || actions.length !== count * A) {
      throw new RangeError(
        `${observations.length} observation and ${actions.length} action numbers are not rows of ${O} and ${A}`,
      );
    }
    for (const [name, shape] of this.#parts) this.#inputs.set(name, partOf(name), shape);
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

function partsOf(algorithm: Algorithm, spec: LearnerSpec): [string, readonly number[]][] {
  const read = [...networksNeeded(algorithm, spec).map(({ name }) => name), ...Object.values(STATISTICS)];
  return stateParts(algorithm, spec)
    .filter(({ name }) => read.includes(name))
    .map(({ name, shape }) => [name, shape]);
}

function networksNeeded(algorithm: Algorithm, spec: LearnerSpec): NetworkDef[] {
  return networksOf(algorithm, spec).filter(({ name }) => name === algorithm.value?.network || name === ENCODER);
}

/** Inputs `observation`, `action` and the parts of the state; output `values` [ROWS]. */
function buildCriticValues(algorithm: Algorithm, spec: LearnerSpec): Graph {
  const { value } = algorithm;
  if (value === undefined) throw new RangeError(`${algorithm.name} has no critics to ask`);
  const g = new Graph('critic_values');
  const inputs = new Map(partsOf(algorithm, spec).map(([name, shape]) => [name, g.input(name, shape)]));
  const networks = new Map(
    networksNeeded(algorithm, spec).map(({ name, layout }) => [name, unpack(inputs.get(name)!, layout)]),
  );
  const observation = g.input('observation', [ROWS, totalObservationSize(spec.parts)]);
  const action = g.input('action', [ROWS, spec.actionSize]);
  const seen = criticInput(spec, observation, {
    mean: inputs.get(STATISTICS.mean),
    scale: inputs.get(STATISTICS.scale),
    encoder: networks.get(ENCODER),
  });
  const values = value.build(networks.get(value.network)!, seen, action, spec);
  g.output('values', reshape(values, [ROWS]));
  return g;
}
