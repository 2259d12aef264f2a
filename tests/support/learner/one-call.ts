/** One training call in float64 on drawn numbers, with everything that went in: for comparing with a plain implementation. */

import { sizeOf } from '../../../src/learner/engine/graph.ts';
import { Bindings, Session } from '../../../src/learner/engine/session.ts';
import type { Algorithm, Phase } from '../../../src/learner/update/algorithm.ts';
import { drawSubset } from '../../../src/learner/update/batch.ts';
import type { LearnerSpec } from '../../../src/learner/update/spec.ts';
import { stateParts } from '../../../src/learner/update/state.ts';
import { buildUpdateGraph, type UpdateGraph } from '../../../src/learner/update/update-graph.ts';
import { adamNumber } from '../../../src/learner/update/update-inputs.ts';
import type { Rng } from '../../../src/model/index.ts';

/** What went into the call and what came out. */
export interface OneCall {
  /** Parts of the state before the call; moments are zero. */
  readonly state: Readonly<Record<string, Float64Array>>;
  /** Everything else that went in, by name. */
  readonly inputs: Readonly<Record<string, Float64Array>>;
  /** A part of the state after the call. */
  readonly after: (part: string) => ArrayLike<number | bigint>;
  /** A reported number, of critic update `update` or, where left out, of the outer update. */
  readonly metric: (name: string, update?: number) => number;
}

/** Replaces drawn columns, numbers and parts of the state, by name. */
type Given = Readonly<Record<string, readonly number[]>>;

/** Runs `phase` with `updates` inner updates. Discounts are γ or, rarely, 0, where none are `given`. */
export async function callOnce(
  algorithm: Algorithm,
  spec: LearnerSpec,
  phase: Phase,
  updates: number,
  rng: Rng,
  given: Given = {},
): Promise<OneCall> {
  const { call, close } = await openCall(algorithm, spec, phase, updates);
  const result = await call(rng, given);
  await close();
  return result;
}

/** A graph that is called several times. */
interface Callable {
  readonly call: (rng: Rng, given?: Given) => Promise<OneCall>;
  readonly close: () => Promise<void>;
}

/** The same for several calls, each on its own numbers: the graph is built once. */
export async function openCall(
  algorithm: Algorithm,
  spec: LearnerSpec,
  phase: Phase,
  updates: number,
): Promise<Callable> {
  const updateGraph = buildUpdateGraph(algorithm, spec, phase, 'float64');
  const session = await Session.create(updateGraph.graph.serialize());
  const { innerMetrics, outerMetrics } = updateGraph;
  const call = async (rng: Rng, given: Given = {}): Promise<OneCall> => {
    const { bindings, state, inputs } = bound(updateGraph, algorithm, spec, phase, updates, rng, given);
    const result = await session.evaluate(bindings);
    return {
      state,
      inputs,
      after: (part) => result[`${part}_next`]!.data,
      metric: (name, update) =>
        update === undefined
          ? Number(result['outer_metrics']!.data[outerMetrics.indexOf(name)])
          : Number(result['inner_metrics']!.data[update * innerMetrics.length + innerMetrics.indexOf(name)]),
    };
  };
  return { call, close: () => session.close() };
}

function bound(
  updateGraph: UpdateGraph,
  algorithm: Algorithm,
  spec: LearnerSpec,
  phase: Phase,
  updates: number,
  rng: Rng,
  given: Given,
) {
  const bindings = new Bindings();
  const state = Object.fromEntries(
    stateParts(algorithm, spec).map(({ name, shape }) => {
      const isMoment = /_(first|second)$/.test(name);
      const fresh = drawn(sizeOf(shape), () => (isMoment ? 0 : 0.5 * rng.normal()));
      const values = Float64Array.from(given[name] ?? fresh);
      bindings.set(name, values, shape);
      return [name, values];
    }),
  );
  const inputs = Object.fromEntries(
    updateGraph.inputs.map((input) => {
      const shape = input.shape.map((size) => (size === -1 ? updates : size));
      const own = given[input.name];
      const values = own === undefined ? valuesOf(input, shape, spec, rng) : Float64Array.from(own);
      bindings.set(input.name, input.type === 'int64' ? BigInt64Array.from(values, BigInt) : values, shape);
      return [input.name, values];
    }),
  );
  bindings.set('updates', BigInt64Array.of(BigInt(updates)), []);
  if (phase.outer !== undefined) bindings.set('last', BigInt64Array.of(BigInt(updates - 1)), []);
  return { bindings, state, inputs };
}

function valuesOf(
  { name, source }: UpdateGraph['inputs'][number],
  shape: readonly number[],
  { config }: LearnerSpec,
  rng: Rng,
): Float64Array {
  const size = sizeOf(shape);
  switch (source.kind) {
    case 'column':
      if (name === 'discount') return drawn(size, (i) => (i % 4 === 1 ? 0 : config.discount));
      if (name === 'is_demo') return drawn(size, (i) => i % 2);
      return drawn(size, () => (name === 'action' ? Math.tanh(rng.normal()) : rng.normal()));
    case 'normal':
      return drawn(size, () => rng.normal());
    case 'uniform':
      return drawn(size, () => rng.uniform());
    case 'measured':
      return drawn(size, () => rng.uniform());
    case 'planned':
      return drawn(size, () => source.plan(0));
    case 'adam':
      return drawn(size, (i) => adamNumber(source, i + 1));
    case 'subset': {
      const [rows, count] = shape as [number, number];
      const subset = new BigInt64Array(size);
      for (let row = 0; row < rows; row++) drawSubset(subset, row * count, count, source.of, rng);
      return Float64Array.from(subset, Number);
    }
  }
}

function drawn(size: number, value: (i: number) => number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => value(i));
}
