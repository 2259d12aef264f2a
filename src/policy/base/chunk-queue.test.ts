import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkQueue } from './base-policy.ts';

/** Reference model: refill when empty, take from the front, count. */
class Model {
  left: number[][] = [];
  chunk = -1;
  index = -1;
}

it('gives each chunk in order, its first so many actions, clipped, and says where they come from', () => {
  const chunks = fc.array(fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 8, maxLength: 8 }), {
    minLength: 1,
    maxLength: 6,
  });
  const orders = fc.array(fc.constantFrom('pop', 'pop', 'pop', 'clear'), { maxLength: 40 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 4 }), orders, (all, executeSteps, order) => {
      const queue = new ChunkQueue(2, executeSteps);
      const model = new Model();
      const out = new Float32Array(2);
      for (const what of order) {
        if (what === 'clear') {
          queue.clear();
          model.left = [];
          continue;
        }
        expect(queue.isEmpty).toBe(model.left.length === 0);
        if (queue.isEmpty) {
          expect(() => queue.pop(out)).toThrow(RangeError);
          const chunk = Float32Array.from(all[(model.chunk + 1) % all.length]!);
          queue.fill(chunk);
          model.left = [0, 1, 2, 3].slice(0, executeSteps).map((i) => [chunk[2 * i]!, chunk[2 * i + 1]!]);
          model.chunk++;
          model.index = -1;
          chunk.fill(9);
        }
        queue.pop(out);
        model.index++;
        const wanted = model.left.shift()!.map((value) => Math.max(-1, Math.min(1, value)));
        expect([...out]).toEqual(wanted);
        expect(queue.place).toEqual({ chunk: model.chunk, index: model.index });
      }
    }),
  );
});

it('says so where a chunk is shorter than what is used of it', () => {
  expect(() => new ChunkQueue(2, 3).fill(new Float32Array(4))).toThrow('4 numbers, 6 used');
});

it('has no place before the first action', () => {
  expect(new ChunkQueue(2, 3).place).toEqual({ chunk: -1, index: -1 });
});
