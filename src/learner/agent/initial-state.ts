/** The state that a training begins from. */
import type { Rng } from '../../core/index.ts';
import type { StatePart } from '../engine/session.ts';
import { initialise } from '../networks/mlp.ts';
import type { Algorithm } from '../update/algorithm.ts';
import { STATISTICS } from '../update/network-inputs.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { networksOf, stateParts } from '../update/update-graph.ts';

/** Numbers in `parts`. */
export function sizeOf(parts: readonly StatePart[]): number {
  return parts.reduce((sum, part) => sum + part.shape.reduce((product, n) => product * n, 1), 0);
}

/** Fresh networks, each drawn by a generator of its own; targets equal, moments zero; observations as they are. */
export function initialState(algorithm: Algorithm, spec: LearnerSpec, rng: Rng): Float32Array {
  const parts = stateParts(algorithm, spec);
  const state = new Float32Array(sizeOf(parts));
  const views = new Map<string, Float32Array>();
  let offset = 0;
  for (const part of parts) {
    const size = sizeOf([part]);
    views.set(part.name, state.subarray(offset, offset + size));
    offset += size;
  }
  for (const network of networksOf(algorithm, spec)) {
    const { name, layout, members, hasTarget } = network;
    const view = views.get(name)!;
    for (let member = 0; member < (members ?? 1); member++) {
      const own = view.subarray(member * layout.size, (member + 1) * layout.size);
      (network.initialise ?? initialise)(layout, rng.fork(members === undefined ? name : `${name}${member}`), own);
    }
    if (hasTarget === true) views.get(`${name}_target`)!.set(view);
  }
  for (const { name, initial } of algorithm.numbers?.(spec) ?? []) views.get(name)!.set(initial);
  if (spec.config.normaliseObservations) views.get(STATISTICS.scale)!.fill(1);
  return state;
}
