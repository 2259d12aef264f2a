/** Base policies as others might export them, for tests. */

import { Graph } from '../../src/learner/engine/graph.ts';
import { matmul } from '../../src/learner/engine/linear.ts';
import { add } from '../../src/learner/ops/elements.ts';
import { reshape } from '../../src/learner/ops/shape.ts';
import { ProtoWriter } from '../../src/rows/index.ts';

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

/**
 * A network whose action is the first input as numbers of ONNX's type `to` (11: float64), written in `opset`. Field numbers:
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */
export function castPolicy({ size, to, opset }: { size: number; to: number; opset: number }): Uint8Array {
  const w = new ProtoWriter();
  w.int(1, 8); // ir_version
  w.message(7, (graph) => {
    graph.message(1, (node) => {
      node.text(1, 'x');
      node.text(2, 'action');
      node.text(4, 'Cast');
      node.message(5, (attribute) => {
        attribute.text(1, 'to');
        attribute.int(3, to);
        attribute.int(20, 2); // an integer
      });
    });
    graph.text(2, 'cast');
    for (const [field, name, type] of [
      [11, 'x', 1],
      [12, 'action', to],
    ] as const) {
      graph.message(field, (value) => {
        value.text(1, name);
        value.message(2, (of) => {
          of.message(1, (tensor) => {
            tensor.int(1, type);
            tensor.message(2, (shape) => {
              for (const length of [1, size]) shape.message(1, (dim) => dim.int(1, length));
            });
          });
        });
      });
    }
  });
  w.message(8, (domain) => domain.int(2, opset));
  return w.finish().slice();
}
