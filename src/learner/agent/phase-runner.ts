/** Runs one phase of an algorithm: graph, inputs and metrics of its training calls. */
import { Bindings, type PingPongState, Session } from '../engine/index.ts';
import {
  type Algorithm,
  buildProgram,
  type Draw,
  type LearnerSpec,
  type Phase,
  type Program,
  ProgramInputs,
} from '../program/index.ts';

/** What a call reported, and whether all of it was finite. */
export interface CallReport {
  /** Means over the critic updates of the call, and the numbers of its outer update, by name. */
  readonly values: Readonly<Record<string, number>>;
  readonly isSound: boolean;
}

export class PhaseRunner {
  readonly #session: Session;
  readonly #program: Program;
  readonly #inputs: ProgramInputs;
  readonly #metrics: Bindings = new Bindings();
  readonly #inner: Float32Array;
  readonly #outer: Float32Array;

  private constructor(session: Session, program: Program, inputs: ProgramInputs, updates: number) {
    this.#session = session;
    this.#program = program;
    this.#inputs = inputs;
    this.#inner = new Float32Array(updates * program.innerMetrics.length);
    this.#outer = new Float32Array(program.outerMetrics.length);
    this.#metrics.set('inner_metrics', this.#inner, [updates, program.innerMetrics.length]);
    if (this.#outer.length > 0) this.#metrics.set('outer_metrics', this.#outer, [this.#outer.length]);
  }

  /** Builds and loads the graph for calls of `updates` inner updates. */
  static async create(algorithm: Algorithm, spec: LearnerSpec, phase: Phase, updates: number): Promise<PhaseRunner> {
    const program = buildProgram(algorithm, spec, phase);
    const session = await Session.create(program.graph.serialize(), spec.config.threads);
    return new PhaseRunner(session, program, new ProgramInputs(program, spec, updates), updates);
  }

  /** One call. The state changes only where everything that it reports is finite. */
  async run(state: PingPongState, draw: Draw): Promise<CallReport> {
    this.#inputs.fill(draw);
    const { changed } = this.#program;
    await this.#session.run([state.inputs, this.#inputs.bindings], [state.outputsOf(changed), this.#metrics]);
    const isSound = this.#inner.every(Number.isFinite) && this.#outer.every(Number.isFinite);
    if (isSound) state.commit(changed);
    return { values: this.#values(), isSound };
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  #values(): Record<string, number> {
    const { innerMetrics, outerMetrics } = this.#program;
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
