import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Alternations } from './alternations.ts';

const PERIOD_S = 0.01;

it.each([100, 10, 5, 2])(
  'are seen within two seconds of a second publisher of %i Hz, wherever it puts the joints',
  (hz) => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.005, max: 3, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (off, at) => {
          const seen = new Alternations(2);
          const every = Math.round(1 / (hz * PERIOD_S));
          let atS = 0;
          for (let k = 1; !seen.isSeen(atS); k++) {
            atS = k * PERIOD_S;
            expect(atS).toBeLessThan(2);
            seen.note([at, 0], atS);
            if (k % every === 0) seen.note([at, off], atS + PERIOD_S / 2);
          }
        },
      ),
      { numRuns: 50 },
    );
  },
);

it('are over two seconds after the last one', () => {
  const seen = new Alternations(1);
  for (let k = 0; k < 10; k++) seen.note([k % 2], k * PERIOD_S);
  expect(seen.isSeen(0.1)).toBe(true);
  expect(seen.isSeen(2.2)).toBe(false);
});

it('are none of an arm that moves, shakes within an encoder step, or is read wrongly once', () => {
  const moving = new Alternations(1);
  for (let k = 0; k < 2000; k++) {
    moving.note([Math.sin(k * 0.05) + (k % 2) * 0.0015 + (k === 700 ? 0.5 : 0)], k * PERIOD_S);
    expect(moving.isSeen(k * PERIOD_S)).toBe(false);
  }
});
