/** State of a training, in the order of a checkpoint, and its initial values. */
import { type Rng, type TensorShape, totalObservationSize } from '../../model/index.ts';
import { ParameterLayout } from '../engine/parameters.ts';
import { initialise } from '../networks/mlp.ts';
import type { Algorithm } from './algorithm.ts';
import { encoderNetwork, STATISTICS } from './network-inputs.ts';
import type { LearnerSpec, NetworkDef } from './spec.ts';

/** All networks of `algorithm` for `spec`, with the image encoder last. */
export function networksOf(algorithm: Algorithm, spec: LearnerSpec): readonly NetworkDef[] {
  const encoder = encoderNetwork(spec);
  return [...algorithm.networks(spec), ...(encoder === undefined ? [] : [encoder])];
}

/** The whole state, in the order of a checkpoint. */
export function stateParts(algorithm: Algorithm, spec: LearnerSpec): TensorShape[] {
  const networks = networksOf(algorithm, spec).flatMap(({ name, layout, members, hasTarget }) => {
    const shape = members === undefined ? [layout.size] : [members, layout.size];
    const names = partNames(name);
    return (hasTarget === true ? names : names.slice(0, -1)).map((part) => ({ name: part, shape }));
  });
  const numbers = (algorithm.numbers?.(spec) ?? []).map(({ name, initial }) => ({ name, shape: [initial.length] }));
  const width = [totalObservationSize(spec.parts)];
  const statistics = spec.config.normaliseObservations ? Object.values(STATISTICS) : [];
  return [...networks, ...numbers, ...statistics.map((name) => ({ name, shape: width }))];
}

/** Parts of the state that belong to the network `name`: its parameters, the optimiser's two moments and its slow copy. */
export function partNames(name: string): string[] {
  return [name, `${name}_first`, `${name}_second`, `${name}_target`];
}

/** Initial networks, each drawn by a generator of its own; targets equal, moments zero, normalisation the identity. */
export function initialState(algorithm: Algorithm, spec: LearnerSpec, rng: Rng): Float32Array {
  const { entries, size } = new ParameterLayout(stateParts(algorithm, spec));
  const state = new Float32Array(size);
  const views = new Map(entries.map(({ name, offset, size }) => [name, state.subarray(offset, offset + size)]));
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
