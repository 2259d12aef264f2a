import { describe, expect, it } from 'vitest';
import { Odometer } from './odometer.ts';
import { VALUE, VALUE_COUNT } from './values.ts';

const COUNTS_PER_M = 461;

/** For a car with up to 3 m/s that, since its VESC started, has gone `aheadM`, `wayM` in all, and drawn `drawnAh`. */
function rig() {
  const odometer = new Odometer(COUNTS_PER_M, 3, 0.02);
  const values = new Float64Array(VALUE_COUNT);
  const take = (atS: number, aheadM: number, wayM = Math.abs(aheadM), drawnAh = 0.01): boolean => {
    values[VALUE.tachometer] = Math.round(aheadM * COUNTS_PER_M);
    values[VALUE.tachometerAbs] = Math.round(wayM * COUNTS_PER_M);
    values[VALUE.drawnAh] = drawnAh;
    return odometer.take(values, atS);
  };
  return { odometer, take };
}

describe('odometry of a car', () => {
  it('begins where the car stands, and goes on ahead and back', () => {
    const { odometer, take } = rig();
    expect(take(0, 7, 9)).toBe(true);
    expect(odometer.positionM).toBe(0);
    expect(take(1, 8, 10)).toBe(true);
    expect(take(2, 7.5, 10.5)).toBe(true);
    expect(odometer.positionM).toBeCloseTo(0.5, 2);
  });

  it('has what was rolled while nobody looked, however long', () => {
    const { odometer, take } = rig();
    take(0, 2);
    expect(take(60, 6)).toBe(true);
    expect(odometer.positionM).toBeCloseTo(4, 2);
  });

  it.each([
    ['begins at 0', 0, 0, 0],
    ['has gone back to where it was, and counted less', 5, 4.9, 0.01],
    ['goes farther than it counted', 8, 6, 0.01],
    ['has gone as far again, with a battery that has given nothing', 5, 5, 0],
    ['goes farther than a car can', 40, 40, 0.01],
  ])('does not go on with a count that %s', (_, aheadM, wayM, drawnAh) => {
    const { odometer, take } = rig();
    take(0, 0);
    take(2, 5);
    expect(take(3.2, aheadM, wayM, drawnAh)).toBe(false);
    expect(odometer.positionM).toBeCloseTo(5, 2);
    // From there on it counts again.
    expect(take(4.2, aheadM + 1, wayM + 1, drawnAh)).toBe(true);
    expect(odometer.positionM).toBeCloseTo(6, 2);
  });
});
