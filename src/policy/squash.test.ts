import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../core/index.ts';
import { meanAction, sampleAction } from './squash.ts';

const finite = fc.float({ noNaN: true, noDefaultInfinity: true });

describe('squashing', () => {
  it('keeps every action within [-1, 1] and finite, whatever finite head is given', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(finite, finite), { minLength: 1, maxLength: 6 }), fc.nat(), (head, seed) => {
        const out = new Float32Array(head.length);
        const mean = Float32Array.from(head, ([m]) => m);
        sampleAction(
          out,
          mean,
          Float32Array.from(head, ([, s]) => s),
          new Rng(seed),
        );
        expect(out.every((a) => Math.abs(a) <= 1)).toBe(true);
        meanAction(out, mean);
        expect(out.every((a) => Math.abs(a) <= 1)).toBe(true);
      }),
    );
  });

  it('gives tanh of the mean when there is no spread', () => {
    const [sample, mean] = [new Float32Array(2), new Float32Array(2)];
    sampleAction(sample, Float32Array.of(0.3, -2), Float32Array.of(-30, -30), new Rng(1));
    meanAction(mean, Float32Array.of(0.3, -2));
    expect(sample).toEqual(mean);
    expect(mean[0]).toBeCloseTo(Math.tanh(0.3), 6);
  });

  it('repeats from the same generator, and draws as many numbers whatever the head', () => {
    const draw = (logStd: number): [number, number] => {
      const rng = new Rng(5);
      const out = new Float32Array(3);
      sampleAction(out, new Float32Array(3), new Float32Array(3).fill(logStd), rng);
      return [out[2]!, rng.uniform()];
    };
    expect(draw(-1)).toEqual(draw(-1));
    expect(draw(-1)[1]).toBe(draw(3)[1]);
  });

  it('has the distribution that it says: mean and spread before tanh', () => {
    const rng = new Rng(11);
    const out = new Float32Array(1);
    let sum = 0;
    let squares = 0;
    const n = 20_000;
    for (let i = 0; i < n; i++) {
      sampleAction(out, Float32Array.of(0.4), Float32Array.of(Math.log(0.5)), rng);
      const before = Math.atanh(out[0]!);
      sum += before;
      squares += before * before;
    }
    const mean = sum / n;
    expect(mean).toBeCloseTo(0.4, 1);
    expect(Math.sqrt(squares / n - mean * mean)).toBeCloseTo(0.5, 1);
  });
});
