/** The networks of a training. */
import type { Algorithm } from './algorithm.ts';
import { encoderNetwork } from './sight.ts';
import type { LearnerSpec, NetworkDef } from './spec.ts';

/** All networks of `algorithm` for `spec`, with the encoder of images last. */
export function networksOf(algorithm: Algorithm, spec: LearnerSpec): readonly NetworkDef[] {
  const encoder = encoderNetwork(spec);
  return [...algorithm.networks(spec), ...(encoder === undefined ? [] : [encoder])];
}
