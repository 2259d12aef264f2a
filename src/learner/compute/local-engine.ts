/** The engine in the caller's thread: a call blocks it. */
import { PingPongState } from '../engine/session.ts';
import { type Algorithm, type PhaseName, phaseOf } from '../update/algorithm.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { stateParts } from '../update/state.ts';
import { CriticValues } from './critic-values.ts';
import { PhaseSession } from './phase-session.ts';
import type { CallReport, OpenPhase, TrainingEngine } from './training-engine.ts';

/** Implements `TrainingEngine`; nothing else runs in this thread during a call. */
export class LocalEngine implements TrainingEngine {
  readonly spec: LearnerSpec;
  readonly #algorithm: Algorithm;
  readonly #hasRobot: boolean;
  readonly #state: PingPongState;
  readonly #open: Map<PhaseName, PhaseSession> = new Map();
  #values: CriticValues | undefined;

  /** `hasRobot`: see `AgentSpec`. */
  constructor(algorithm: Algorithm, spec: LearnerSpec, hasRobot: boolean) {
    this.spec = spec;
    this.#hasRobot = hasRobot;
    this.#algorithm = algorithm;
    this.#state = new PingPongState(stateParts(algorithm, spec));
  }

  async open(phase: PhaseName, updates: number): Promise<OpenPhase> {
    const algorithm = this.#algorithm;
    const definition = phaseOf(algorithm, phase);
    const session = await PhaseSession.create(algorithm, this.spec, definition, updates, this.#hasRobot);
    this.#open.set(phase, session);
    return { inputs: session.declared, sets: [session.inputs] };
  }

  async run(phase: PhaseName, _set = 0): Promise<CallReport> {
    const session = this.#open.get(phase);
    if (session === undefined) throw new RangeError(`the phase "${phase}" is not open`);
    return session.run(this.#state);
  }

  async shut(phase: PhaseName): Promise<void> {
    await this.#open.get(phase)?.close();
    this.#open.delete(phase);
  }

  async read(part?: string): Promise<Float32Array> {
    return (part === undefined ? this.#state.current : this.#state.part(part)).slice();
  }

  async write(values: Float32Array, part?: string): Promise<void> {
    if (part === undefined) this.#state.load(values);
    else this.#state.part(part).set(values);
  }

  async criticValues(observations: Float32Array, actions: Float32Array): Promise<Float32Array> {
    this.#values ??= await CriticValues.create(this.#algorithm, this.spec);
    return this.#values.evaluate((name) => this.#state.part(name), observations, actions);
  }

  async close(): Promise<void> {
    for (const phase of [...this.#open.keys()]) await this.shut(phase);
    await this.#values?.close();
  }
}
