/** One loaded phase of an algorithm: graph, arrays and metrics of its training calls. */
import { Bindings, type PingPongState, Session } from '../engine/session.ts';
import { threadsHere } from '../engine/threads.ts';
import type { Algorithm, Phase } from '../update/algorithm.ts';
import { isGradientNorm } from '../update/gradients.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { buildUpdateGraph, type UpdateGraph } from '../update/update-graph.ts';
import { type InputArrays, inputArrays } from '../update/update-inputs.ts';
import type { CallReport } from './training-engine.ts';

/** Largest accepted gradient norm: a thousand times its square, which Adam's second moment may reach, is finite in float32. */
const LONGEST_GRADIENT = 1e17;

/** Created by `create`; `close` releases the runtime's memory. */
export class PhaseSession {
  /** Inputs of a call besides the state; filled by the caller. */
  readonly inputs: InputArrays;
  readonly #session: Session;
  readonly #updateGraph: UpdateGraph;
  readonly #bindings: Bindings = new Bindings();
  readonly #metrics: Bindings = new Bindings();
  readonly #inner: Float32Array;
  readonly #outer: Float32Array;

  private constructor(session: Session, updateGraph: UpdateGraph, updates: number) {
    this.#session = session;
    this.#updateGraph = updateGraph;
    this.inputs = inputArrays(updateGraph, updates);
    for (const { name, shape } of updateGraph.inputs) {
      const full = shape.map((size) => (size === -1 ? updates : size));
      this.#bindings.set(name, this.inputs[name]!, full);
    }
    this.#bindings.set('updates', BigInt64Array.of(BigInt(updates)), []);
    if (updateGraph.hasOuter) this.#bindings.set('last', BigInt64Array.of(BigInt(updates - 1)), []);
    this.#inner = new Float32Array(updates * updateGraph.innerMetrics.length);
    this.#outer = new Float32Array(updateGraph.outerMetrics.length);
    this.#metrics.set('inner_metrics', this.#inner, [updates, updateGraph.innerMetrics.length]);
    if (this.#outer.length > 0) this.#metrics.set('outer_metrics', this.#outer, [this.#outer.length]);
  }

  /** Builds and loads the graph for calls of `updates` inner updates. `hasRobot`: see `AgentSpec`. */
  static async create(
    algorithm: Algorithm,
    spec: LearnerSpec,
    phase: Phase,
    updates: number,
    hasRobot: boolean,
  ): Promise<PhaseSession> {
    const updateGraph = buildUpdateGraph(algorithm, spec, phase);
    const { threads, provider } = spec.config;
    const chosen = await threadsHere(threads === 0 ? 'auto' : threads, hasRobot);
    const session = await Session.create(updateGraph.graph.serialize(), { ...chosen, provider });
    return new PhaseSession(session, updateGraph, updates);
  }

  /** Declarations of `inputs`. */
  get declared(): UpdateGraph['inputs'] {
    return this.#updateGraph.inputs;
  }

  /**
   * Runs one call. `state` changes only if every reported value is finite: these include the gradient of every trained network and
   * the written parameters (see `UpdateGraph.outerMetrics`).
   */
  async run(state: PingPongState): Promise<CallReport> {
    const { changed } = this.#updateGraph;
    await this.#session.run([state.inputs, this.#bindings], [state.outputsOf(changed), this.#metrics]);
    const { innerMetrics, outerMetrics } = this.#updateGraph;
    const isSound = areSound(innerMetrics, this.#inner) && areSound(outerMetrics, this.#outer);
    if (isSound) state.commit(changed);
    return { values: this.#values(), isSound };
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  #values(): Record<string, number> {
    const { innerMetrics, outerMetrics } = this.#updateGraph;
    const updates = this.#inner.length / innerMetrics.length;
    const values: Record<string, number> = {};
    innerMetrics.forEach((name, column) => {
      let sum = 0;
      for (let k = 0; k < updates; k++) sum += this.#inner[k * innerMetrics.length + column]!;
      values[name] = sum / updates;
    });
    outerMetrics.forEach((name, i) => {
      values[name] = this.#outer[i]!;
    });
    return values;
  }
}

/** True if `rows` of the metrics `names` are finite, and gradients short enough for the moments to stay finite. */
function areSound(names: readonly string[], rows: Float32Array): boolean {
  const limits = names.map((name) => (isGradientNorm(name) ? LONGEST_GRADIENT : Number.MAX_VALUE));
  // NaN fails the comparison.
  return rows.every((value, i) => Math.abs(value) <= limits[i % limits.length]!);
}
