/** What convolutions have learned, as an ONNX file of its own. */
import { Graph } from '../engine/graph.ts';
import { convolve, type EncoderSpec, encoderLayout } from '../networks/encoder.ts';

/** The model of `pixels` [1, channels, height, width] → `features`, with `weights` of `encoderLayout(spec)` inside. */
export function buildEncoder(spec: EncoderSpec, weights: Float32Array): Uint8Array {
  const g = new Graph('encoder');
  const { channels, height, width } = spec.image;
  const parameters = Object.fromEntries(
    encoderLayout(spec).entries.map(({ name, shape, offset, size }) => [
      name,
      g.constant(weights.subarray(offset, offset + size), shape),
    ]),
  );
  g.output('features', convolve(parameters, spec, g.input('pixels', [1, channels, height, width])));
  return g.serialize();
}
