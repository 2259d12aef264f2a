import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { TANK_EMPTY } from '../fault-table/flags.ts';
import { TankWatch } from './tank-watch.ts';

const tank = {
  startJ: 2,
  minJ: 1,
  maxJ: 5,
  powerMaxW: 80,
  recovery: 0.9,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
} as const;

describe('row 42, the tank', () => {
  faultRow(
    42,
    'fake',
    'is empty within a fiftieth of its room, and well again from a tenth on: nothing flickers between',
    () => {
      const watch = new TankWatch({ ...ur5eLike, tank });
      expect(watch.check(2)).toBe(0);
      expect(watch.check(1.09)).toBe(0);
      expect(watch.check(1.08)).toBe(TANK_EMPTY);
      for (const energyJ of [1.09, 1.3, 1.39, Number.NaN]) expect(watch.check(energyJ)).toBe(TANK_EMPTY);
      expect(watch.check(1.4)).toBe(0);
      expect(watch.check(1.09)).toBe(0);
    },
  );

  it('says nothing for a robot without one', () => {
    const watch = new TankWatch(ur5eLike);
    for (const energyJ of [0, -5, 1e9, Number.NaN]) expect(watch.check(energyJ)).toBe(0);
  });
});
