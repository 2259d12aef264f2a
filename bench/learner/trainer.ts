/** The bare engine: repeated training calls on batches drawn beforehand. */

import { PingPongState, type SessionOptions } from '../../src/learner/engine/session.ts';
import { Bindings, createAgent, Replay, Session } from '../../src/learner/index.ts';
import { loadAlgorithm } from '../../src/learner/options/algorithms.ts';
import { updatesPerCall } from '../../src/learner/options.ts';
import type { LearnerSpec } from '../../src/learner/update/spec.ts';
import { stateParts } from '../../src/learner/update/state.ts';
import { buildUpdateGraph } from '../../src/learner/update/update-graph.ts';
import { UpdateInputs } from '../../src/learner/update/update-inputs.ts';
import { Rng } from '../../src/model/index.ts';
import { createTransition } from '../../src/rows/index.ts';
import type { BenchCase } from './cases.ts';

/** Size of the training. */
export type Trained = Pick<BenchCase, 'observationSize' | 'actionSize' | 'config'>;

export class BareTrainer {
  /** Building the graph and loading it, ms. */
  readonly createMs: number;
  readonly #session: Session;
  readonly #state: PingPongState;
  readonly #inputs: Bindings;
  readonly #metrics: Bindings;
  readonly #changed: ReadonlySet<string>;

  private constructor(parts: {
    createMs: number;
    session: Session;
    state: PingPongState;
    inputs: Bindings;
    metrics: Bindings;
    changed: ReadonlySet<string>;
  }) {
    this.createMs = parts.createMs;
    this.#session = parts.session;
    this.#state = parts.state;
    this.#inputs = parts.inputs;
    this.#metrics = parts.metrics;
    this.#changed = parts.changed;
  }

  static async create(one: Trained, options: SessionOptions): Promise<BareTrainer> {
    const { observationSize, actionSize, config } = one;
    const spec: LearnerSpec = { parts: { stateSize: observationSize }, actionSize, config };
    const algorithm = await loadAlgorithm(config);
    const startMs = performance.now();
    const updateGraph = buildUpdateGraph(algorithm, spec);
    const session = await Session.create(updateGraph.graph.serialize(), options);
    const createMs = performance.now() - startMs;

    const state = new PingPongState(stateParts(algorithm, spec));
    state.load(await firstState(one));
    const updates = updatesPerCall(config);
    const inputs = new Bindings();
    const arrays: Record<string, Float32Array | BigInt64Array> = {};
    for (const { name, shape, type } of updateGraph.inputs) {
      const full = shape.map((size) => (size === -1 ? updates : size));
      const count = full.reduce((product, size) => product * size, 1);
      const data = type === 'real' ? new Float32Array(count) : new BigInt64Array(count);
      arrays[name] = data;
      inputs.set(name, data, full);
    }
    inputs.set('updates', BigInt64Array.of(BigInt(updates)), []);
    inputs.set('last', BigInt64Array.of(BigInt(updates - 1)), []);
    const replay = randomReplay(observationSize, actionSize);
    const random = { batch: new Rng(1), noise: new Rng(2), subset: new Rng(3) };
    const visibleCount = replay.counts().online;
    new UpdateInputs(updateGraph, spec, updates, arrays).fill({
      replay,
      visibleCount,
      demoFraction: 0.5,
      call: 0,
      random,
    });

    const metrics = new Bindings();
    const [inner, outer] = [updateGraph.innerMetrics.length, updateGraph.outerMetrics.length];
    metrics.set('inner_metrics', new Float32Array(updates * inner), [updates, inner]);
    metrics.set('outer_metrics', new Float32Array(outer), [outer]);
    return new BareTrainer({ createMs, session, state, inputs, metrics, changed: updateGraph.changed });
  }

  /** Makes one training call; resolves to its wall time, ms. */
  async call(): Promise<number> {
    const startMs = performance.now();
    const outputs = this.#state.outputsOf(this.#changed);
    await this.#session.run([this.#state.inputs, this.#inputs], [outputs, this.#metrics]);
    this.#state.commit(this.#changed);
    return performance.now() - startMs;
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

/** Initial state of a training of this size. */
async function firstState({ observationSize, actionSize, config }: Trained): Promise<Float32Array> {
  const agent = await createAgent({ parts: { stateSize: observationSize }, actionSize, config, seed: 1 });
  const { state } = await agent.snapshot();
  await agent.close();
  return state;
}

function randomReplay(observationSize: number, actionSize: number): Replay {
  const replay = new Replay(observationSize, actionSize, 10_000);
  const rng = new Rng(2);
  for (let i = 0; i < 4000; i++) {
    const t = createTransition(observationSize, actionSize);
    t.source = i < 1000 ? 'demo' : 'policy';
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    for (let j = 0; j < actionSize; j++) t.executed[j] = rng.uniformIn(-1, 1);
    t.reward = rng.uniform();
    replay.add(t);
  }
  return replay;
}
