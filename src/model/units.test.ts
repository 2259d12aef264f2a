import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allFinite, clamp, wrapAngleRad, zeros } from './units.ts';

describe('Vec', () => {
  it('keeps units apart at compile time', () => {
    const velocity = zeros<'rad/s'>(2);
    const needsPosition = (q: ReturnType<typeof zeros<'rad'>>): number => q.length;
    // @ts-expect-error a velocity is not a position
    expect(needsPosition(velocity)).toBe(2);
  });
});

describe('clamp', () => {
  it('never leaves the range and leaves what is inside alone', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), fc.double({ noNaN: true }), (x, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const y = clamp(x, low, high);
        expect(y >= low && y <= high).toBe(true);
        if (x >= low && x <= high) expect(y).toBe(x);
      }),
    );
  });

  it('does not turn NaN into a limit: NaN has to be refused, not to be executed', () => {
    expect(clamp(Number.NaN, -1, 1)).toBeNaN();
  });
});

describe('allFinite', () => {
  it('finds the one bad value wherever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
        fc.nat(),
        fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
        (values, where, bad) => {
          expect(allFinite(values)).toBe(true);
          values[where % values.length] = bad;
          expect(allFinite(values)).toBe(false);
        },
      ),
    );
  });
});

describe('wrapAngleRad', () => {
  it('gives the equal angle in (−π, π]', () => {
    fc.assert(
      fc.property(fc.double({ min: -1000, max: 1000, noNaN: true }), (angle) => {
        const wrapped = wrapAngleRad(angle);
        expect(wrapped > -Math.PI && wrapped <= Math.PI).toBe(true);
        expect(Math.cos(wrapped)).toBeCloseTo(Math.cos(angle), 9);
        expect(Math.sin(wrapped)).toBeCloseTo(Math.sin(angle), 9);
      }),
    );
  });

  it('puts half a turn on the positive side', () => {
    expect(wrapAngleRad(Math.PI)).toBe(Math.PI);
    expect(wrapAngleRad(-Math.PI)).toBe(Math.PI);
  });
});
