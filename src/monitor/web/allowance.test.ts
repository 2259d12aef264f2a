import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Allowance } from './allowance.ts';

it('lets some through at once, and then so many a second', () => {
  const allowance = new Allowance({ perS: 10, most: 3 });
  expect([0, 0, 0, 0].map((nowS) => allowance.take(nowS))).toEqual([true, true, true, false]);
  expect([0.05, 0.06, 0.2].map((nowS) => allowance.take(nowS))).toEqual([true, false, true]);
});

it('has what was taken beyond it waited for', () => {
  const allowance = new Allowance({ perS: 10, most: 3 });
  expect(allowance.take(0, 23)).toBe(true);
  expect([1, 1.99, 2.1].map((nowS) => allowance.take(nowS))).toEqual([false, false, true]);
});

it('never gives more than its rate, its burst and one more, however time jumps', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 200 }), (passes) => {
      const allowance = new Allowance({ perS: 10, most: 5 });
      let [nowS, forwardS, given] = [100, 0, 0];
      for (const passS of passes) {
        nowS += passS;
        forwardS += Math.max(0, passS);
        if (allowance.take(nowS)) given++;
      }
      expect(given).toBeLessThanOrEqual(10 * forwardS + 5 + 1);
    }),
  );
});
