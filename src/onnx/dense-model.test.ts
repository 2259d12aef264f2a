import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Graph } from '../learner/engine/graph.ts';
import { linear } from '../learner/engine/linear.ts';
import { add, mul, relu, sigmoid, sub, tanh } from '../learner/ops/elements.ts';
import { readDenseModel } from './dense-model.ts';

/** sigmoid(2·(relu((x − 1)·W + b)·v) + 0.5), with x [1, 2]. */
function model(): Uint8Array {
  const g = new Graph('net');
  const seen = sub(g.input('x', [1, 2]), g.constant([1, 1], [1, 2]));
  const weight = g.constant([1, -1, 0.5, 2, 0, 1], [2, 3]);
  const inner = relu(linear(seen, weight, g.constant([0.1, 0.2, 0.3], [1, 3])));
  const out = linear(inner, g.constant([1, -2, 0.5], [3, 1]), g.constant([0], [1, 1]));
  g.output('y', sigmoid(add(mul(out, 2), 0.5)));
  return g.serialize();
}

/** The same network, computed directly. */
function byHand([x, y]: readonly [number, number]): number {
  const [a, b] = [x - 1, y - 1];
  const inner = [a + 2 * b + 0.1, -a + 0.2, 0.5 * a + b + 0.3].map((v) => Math.max(0, v));
  return 1 / (1 + Math.exp(-(2 * (inner[0]! - 2 * inner[1]! + 0.5 * inner[2]!) + 0.5)));
}

describe('a small network of dense layers', () => {
  it('gives what its formula gives, for any input', () => {
    const net = readDenseModel(model());
    if (typeof net === 'string') throw new Error(net);
    expect([net.inputSize, net.outputSize]).toEqual([2, 1]);
    const number = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(number, number, (x, y) => void expect(net.run([x, y])[0]).toBeCloseTo(byHand([x, y]), 5)),
      { numRuns: 200 },
    );
  });

  it('is read wherever its bytes lie, out of a file as well', () => {
    const bytes = model();
    for (const shift of [0, 1, 2, 3]) {
      const place = Buffer.alloc(bytes.length + shift);
      place.set(bytes, shift);
      const net = readDenseModel(place.subarray(shift));
      expect(typeof net === 'string' ? net : net.run([2, 0.5])[0]).toBeCloseTo(byHand([2, 0.5]), 5);
    }
  });

  it('keeps what is not finite visible', () => {
    const net = readDenseModel(model());
    expect(typeof net === 'string' ? net : net.run([Number.NaN, 0])[0]).toBeNaN();
  });

  it('is refused in words where it is none, and never throws, whatever the bytes', () => {
    const graph = new Graph('two');
    graph.output('y', add(graph.input('a', [1, 2]), graph.input('b', [1, 2])));
    expect(readDenseModel(graph.serialize())).toBe('does not have exactly one input, of a fixed size');
    const branch = new Graph('branch');
    const x = branch.input('x', [1, 2]);
    branch.output('y', mul(tanh(x), relu(x)));
    expect(readDenseModel(branch.serialize())).toContain('that is not part of a chain of layers');
    expect(readDenseModel(Uint8Array.of(1, 2, 3))).toBe('is not a complete ONNX model');
    const whole = model();
    for (let cut = 0; cut < whole.length; cut += 7) expect(() => readDenseModel(whole.subarray(0, cut))).not.toThrow();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readDenseModel(bytes)),
      { numRuns: 200 },
    );
  });
});
