import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { HARDWARE, type HardwareFault } from '../../rows/index.ts';
import { BATTERY_EMPTY, BATTERY_LOW, OBSTACLE_INSIDE, SERVO_FAULT, SIGNAL_LOST } from '../fault-table/flags.ts';
import { FAULTS, faultsOf } from '../faults.ts';
import { HardwareWatch } from './hardware.ts';

const DT_S = 0.02;

/** Reports `said` tick by tick from `fromS` to `toS`; returns the last flags. */
function say(watch: HardwareWatch, said: number, fromS: number, toS: number): number {
  for (let k = Math.round(fromS / DT_S); k <= Math.round(toS / DT_S); k++) watch.check(said, k * DT_S);
  return watch.flags;
}

describe('what hardware says of itself', () => {
  it('has one flag of the guard for each word of a driver, of the same name', () => {
    for (const [name, bit] of Object.entries(HARDWARE)) {
      const watch = new HardwareWatch();
      expect(faultsOf(say(watch, bit, 0, 3)).map(({ flag }) => flag)).toEqual([name]);
    }
    expect(new HardwareWatch().check(1 << 30, 0)).toBe(0);
  });

  it('counts at once, and as long as it is said', () => {
    const watch = new HardwareWatch();
    expect(watch.check(HARDWARE.servoFault | HARDWARE.signalLost, 0)).toBe(SERVO_FAULT | SIGNAL_LOST);
    expect(watch.check(HARDWARE.servoFault, DT_S)).toBe(SERVO_FAULT);
    expect(watch.check(HARDWARE.obstacleInside, 2 * DT_S)).toBe(OBSTACLE_INSIDE);
    expect(watch.check(0, 3 * DT_S)).toBe(0);
  });

  faultRow(45, 'fake', 'a dip of the battery under load is none, nor is a moment without it the end', (promised) => {
    const hysteresisS = promised('hysteresisS');
    const watch = new HardwareWatch();
    expect(say(watch, HARDWARE.batteryLow, 0, hysteresisS - DT_S)).toBe(0);
    expect(watch.check(0, hysteresisS)).toBe(0);
    expect(say(watch, HARDWARE.batteryLow, 3, 3 + hysteresisS - DT_S)).toBe(0);
    expect(watch.check(HARDWARE.batteryLow, 3 + hysteresisS)).toBe(BATTERY_LOW);
    expect(say(watch, 0, 6, 6 + hysteresisS - DT_S)).toBe(BATTERY_LOW);
    expect(say(watch, HARDWARE.batteryLow, 8, 9)).toBe(BATTERY_LOW);
    expect(say(watch, HARDWARE.batteryEmpty, 10, 10 + hysteresisS)).toBe(BATTERY_EMPTY);
  });

  it('never shows what was not said within the last two seconds, and all that was said for as long', () => {
    const names = Object.keys(HARDWARE) as HardwareFault[];
    const said = fc.array(fc.nat(2 ** names.length - 1), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(said, (words) => {
        const watch = new HardwareWatch();
        words.forEach((word, k) => {
          const flags = watch.check(word, 0.5 * k);
          for (const { flag, bit } of FAULTS) {
            const hardware = HARDWARE[flag as HardwareFault];
            if (hardware === undefined) continue;
            const recent = words.slice(Math.max(0, k - 4), k + 1).map((each) => (each & hardware) !== 0);
            if ((flags & bit) !== 0) expect(recent).toContain(true);
            else if (k >= 4) expect(recent).toContain(false);
          }
        });
      }),
    );
  });
});
