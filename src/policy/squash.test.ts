import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../model/index.ts';
import { squash } from './squash.ts';

const finite = fc.float({ noNaN: true, noDefaultInfinity: true });

describe('squashing', () => {
  it('keeps every action within [-1, 1] and finite, whatever finite head is given', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(finite, finite, finite), { minLength: 1, maxLength: 6 }), (head) => {
        const out = new Float32Array(head.length);
        const part = (i: 0 | 1): Float32Array => Float32Array.from(head, (values) => values[i]);
        squash(
          out,
          part(0),
          part(1),
          Float64Array.from(head, ([, , n]) => n),
        );
        expect(out.every((a) => Math.abs(a) <= 1)).toBe(true);
      }),
    );
  });

  it('gives tanh of the mean without noise, whatever the spread', () => {
    const out = new Float32Array(2);
    squash(out, Float32Array.of(0.3, -2), Float32Array.of(-30, 80), new Float64Array(2));
    expect(out).toEqual(Float32Array.of(Math.tanh(Math.fround(0.3)), Math.tanh(-2)));
  });

  it('has the distribution that it says: mean and spread before tanh', () => {
    const rng = new Rng(11);
    const out = new Float32Array(1);
    let sum = 0;
    let squares = 0;
    const n = 20_000;
    for (let i = 0; i < n; i++) {
      squash(out, Float32Array.of(0.4), Float32Array.of(Math.log(0.5)), Float64Array.of(rng.normal()));
      const before = Math.atanh(out[0]!);
      sum += before;
      squares += before * before;
    }
    const mean = sum / n;
    expect(mean).toBeCloseTo(0.4, 1);
    expect(Math.sqrt(squares / n - mean * mean)).toBeCloseTo(0.5, 1);
  });
});
