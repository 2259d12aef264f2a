/** Base policies as others might export them, for tests. */
import { add, Graph, matmul, reshape } from '../../src/learner/engine/index.ts';

/**
 * A network whose action at place h of its chunk is 0.1 · (h + 1) · its input, number by number; the input goes on after
 * the action's size without effect. Gives the ONNX bytes.
 */
export function chunkPolicy(options: {
  readonly input?: string;
  readonly inputShape: readonly number[];
  readonly output?: string;
  readonly outputShape: readonly number[];
  /** A constant that is added to all: NaN makes a policy that has diverged. */
  readonly bias?: number;
}): Uint8Array {
  const { input = 'observation.state', inputShape, output = 'action', outputShape, bias = 0 } = options;
  const product = (shape: readonly number[]): number => shape.reduce((n, size) => n * size, 1);
  const [size, actionSize] = [product(inputShape), outputShape.at(-1)!];
  const weights = new Float32Array(size * product(outputShape));
  for (let s = 0; s < Math.min(size, actionSize); s++) {
    for (let o = s; o < product(outputShape); o += actionSize) {
      weights[s * product(outputShape) + o] = 0.1 * (Math.floor(o / actionSize) + 1);
    }
  }
  const g = new Graph('base');
  const x = reshape(g.input(input, inputShape), [1, size]);
  const all = matmul(x, g.constant(weights, [size, product(outputShape)]));
  g.output(output, reshape(add(all, bias), outputShape));
  return g.serialize();
}
