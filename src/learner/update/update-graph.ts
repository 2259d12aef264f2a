/**
 * One phase of an algorithm as one graph: its inner updates in a loop, its outer one after it. Reads and replaces the
 * parts of the state (`stateParts`).
 */
import { Graph, type RealType, type Tensor } from '../engine/graph.ts';
import { Packed } from '../engine/packed.ts';
import { euclideanNorm } from '../ops/reduce.ts';
import { concat } from '../ops/shape.ts';
import { updatesPerCall } from '../options/learner-config.ts';
import type { Algorithm, Phase } from './algorithm.ts';
import { type DeclaredInput, InputTable } from './input-table.ts';
import type { LearnerSpec, NetworkDef } from './spec.ts';
import { networksOf, partNames, stateParts } from './state.ts';
import { Step } from './step.ts';

/** A graph, and the declarations needed to run it. */
export interface UpdateGraph {
  readonly graph: Graph;
  readonly inputs: readonly DeclaredInput[];
  /** Parts of the state that it replaces: its outputs `NAME_next`. The others stay unchanged. */
  readonly changed: ReadonlySet<string>;
  /** Columns of the output `inner_metrics` [updates, n]. */
  readonly innerMetrics: readonly string[];
  /** Columns of the output `outer_metrics` [n]: of the outer update, then `parameterNorm`; if empty, there is no such output. */
  readonly outerMetrics: readonly string[];
  /** True if there is an outer update, which has an input `last`. */
  readonly hasOuter: boolean;
}

/** Writes the graph of `phase`; float64 is for checks against a reference. */
export function buildUpdateGraph(
  algorithm: Algorithm,
  spec: LearnerSpec,
  phase: Phase = algorithm.update,
  real: RealType = 'float32',
): UpdateGraph {
  // The parts carried by a loop must be known before its body is written: determined by a dry run on another graph.
  const carried = rehearse(algorithm, spec, phase);
  const g = new Graph(algorithm.name, real);
  const writer = new UpdateGraphWriter(g, algorithm, spec);
  const innerMetrics = writer.loop(phase, carried);
  const outerMetrics = writer.finish(phase.outer);
  const { inputs, changed } = writer;
  const hasOuter = phase.outer !== undefined;
  return { graph: g, inputs: inputs.declared, changed, innerMetrics, outerMetrics, hasOuter };
}

/** Parts of the state that `phase.inner` replaces, in the order of the state. */
function rehearse(algorithm: Algorithm, spec: LearnerSpec, phase: Phase): string[] {
  const g = new Graph(algorithm.name);
  const writer = new UpdateGraphWriter(g, algorithm, spec);
  const step = writer.step('inner', g.input('iteration', [], 'int64'), writer.state);
  phase.inner(step);
  return [...writer.state.keys()].filter((name) => step.changed.has(name));
}

class UpdateGraphWriter {
  readonly inputs: InputTable;
  readonly changed: Set<string> = new Set();
  readonly state: Map<string, Packed>;
  readonly #g: Graph;
  readonly #spec: LearnerSpec;
  readonly #networks: ReadonlyMap<string, NetworkDef>;

  constructor(g: Graph, algorithm: Algorithm, spec: LearnerSpec) {
    this.#g = g;
    this.#spec = spec;
    this.inputs = new InputTable(g);
    this.#networks = new Map(networksOf(algorithm, spec).map((network) => [network.name, network]));
    const layouts = new Map(
      [...this.#networks.values()].flatMap(({ name, layout }) => partNames(name).map((part) => [part, layout])),
    );
    const parts = stateParts(algorithm, spec);
    this.state = new Map(parts.map(({ name, shape }) => [name, Packed.flat(g.input(name, shape), layouts.get(name))]));
  }

  step(place: 'inner' | 'outer', index: Tensor, state: Map<string, Packed>): Step {
    return new Step(this.#spec, { place, root: this.#g, inputs: this.inputs, index, networks: this.#networks, state });
  }

  /** Writes the loop and takes over its results. Returns the names of its metrics. */
  loop(phase: Phase, carried: readonly string[]): string[] {
    let names: string[] = [];
    // Splitting vectors and joining them again pays off only if there are several updates in between.
    const isLong = updatesPerCall(this.#spec.config) > 1;
    const before = carried.map((name) => (isLong ? this.state.get(name)!.split() : this.state.get(name)!));
    const tensors = before.flatMap((packed) => packed.tensors);
    const result = this.#g.loop(this.#g.input('updates', [], 'int64'), tensors, (_, index, values) => {
      const inside = new Map([...this.state, ...withValues(carried, before, values)]);
      const step = this.step('inner', index, inside);
      phase.inner(step);
      const metrics = step.metrics();
      names = [...metrics.keys()];
      const after = carried.flatMap((name) => inside.get(name)!.tensors);
      return { carried: after, stacked: [concat([...metrics.values()], 0)] };
    });
    for (const [name, packed] of withValues(carried, before, result.carried)) {
      this.state.set(name, packed);
      this.changed.add(name);
    }
    this.#g.output('inner_metrics', result.stacked[0]!);
    return names;
  }

  /** Writes the outer update, if there is one, and the outputs of the call. Returns the names of the metrics after the loop. */
  finish(outer: Phase['outer']): string[] {
    const metrics = new Map(outer === undefined ? [] : this.#outer(outer));
    const norm = this.#parameterNorm();
    if (norm !== undefined) metrics.set('parameterNorm', norm);
    if (metrics.size > 0) this.#g.output('outer_metrics', concat([...metrics.values()], 0));
    for (const name of this.changed) this.#g.output(`${name}_next`, this.state.get(name)!.joined());
    return [...metrics.keys()];
  }

  #outer(write: (step: Step) => void): ReadonlyMap<string, Tensor> {
    const step = this.step('outer', this.#g.input('last', [], 'int64'), this.state);
    write(step);
    for (const name of step.changed) this.changed.add(name);
    return step.metrics();
  }

  /**
   * Euclidean norm of all parameters after the call: not finite if one of them is not, or is beyond 1e19. The other metrics
   * were computed before the last steps, and would not show it. One pass per call, however many updates it makes. Measured as CPU
   * time for two layers of 256: below 1 % of a call of one update, and not measurable in one of 20; a pass in JavaScript would
   * take twenty times as long.
   */
  #parameterNorm(): Tensor | undefined {
    const changed = [...this.#networks.keys()].filter((name) => this.changed.has(name));
    const norms = changed.flatMap((name) => this.state.get(name)!.tensors.map(euclideanNorm));
    return norms.length === 0 ? undefined : euclideanNorm(concat(norms, 0));
  }
}

/** Pairs `names` with values in the forms of `packed`, taken from all their tensors in order. */
function withValues(
  names: readonly string[],
  packed: readonly Packed[],
  values: readonly Tensor[],
): [string, Packed][] {
  let next = 0;
  return names.map((name, i) => [name, packed[i]!.with(packed[i]!.tensors.map(() => values[next++]!))]);
}
