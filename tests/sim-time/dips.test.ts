/** A servo that comes back from a dip of its supply stands still until a person acts, whatever was going on as it went. */
import { describe, expect, it } from 'vitest';
import { dynamixelFamily, feetechFamily } from '../../src/drivers/serial.ts';
import { dipsOfArm, dipsOfCar } from '../support/dips.ts';

/** One in each state; `tests/long` has a hundred. */
const DIPS = 6;

describe('after a dip of the supply nothing moves until a person acts', () => {
  it.each([
    ['so101', feetechFamily],
    ['koch', dynamixelFamily],
  ] as const)('of %s, whichever servos it was and however long, in any state', async (robot, family) => {
    expect(await dipsOfArm(robot, family, DIPS)).toEqual([]);
  });

  it('of a car', async () => {
    expect(await dipsOfCar(DIPS)).toEqual([]);
  });
});
