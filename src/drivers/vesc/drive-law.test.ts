import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vescOptionsOf } from '../../../tests/support/emulated-car.ts';
import { loadRobotFile } from '../../config/index.ts';
import { DriveLaw } from './drive-law.ts';
import { erpmPerMPerS, type VescDriverOptions } from './options.ts';

const { robot } = loadRobotFile('race-car-vesc');
const plain = vescOptionsOf(robot);
const DT_S = 0.02;
const SPEED_MAX = 3;

function lawOf(change: Partial<VescDriverOptions['drive']> = {}, isReversed = false): DriveLaw {
  const options = { ...plain, drive: { ...plain.drive, ...change }, motor: { ...plain.motor, isReversed } };
  return new DriveLaw(options, SPEED_MAX, 4);
}

describe('what the motor of a car is told', () => {
  it('is 4614 electrical turns a minute at 1 m/s, as f1tenth_system has it', () => {
    expect(erpmPerMPerS(plain.motor)).toBeCloseTo(4614, 0);
    const law = lawOf();
    law.choose(1, 0, 1, DT_S);
    expect(law).toMatchObject({ command: 'erpm', value: expect.closeTo(4614, 0) });
    const reversed = lawOf({}, true);
    reversed.choose(1, 0, 1, DT_S);
    expect(reversed.value).toBeCloseTo(-4614, 0);
  });

  it('is a brake where the VESC would let it coast: below its least turns', () => {
    const law = lawOf();
    law.choose(0.19, 0, 0.19, DT_S);
    expect(law).toMatchObject({ command: 'brake', value: 20 });
    law.choose(0.2, 0, 0.2, DT_S);
    expect(law.command).toBe('erpm');
  });

  it('makes up what the car is behind, with 0.3 m/s at most', () => {
    const law = lawOf();
    law.choose(1, 0.05, 1, DT_S);
    expect(law.value / law.erpmPerMPerS).toBeCloseTo(1.1);
    law.choose(1, 50, 1.2, DT_S);
    expect(law.value / law.erpmPerMPerS).toBeCloseTo(1.3);
  });

  it('speeds up no faster than twice what the base may, however far the reference jumped', () => {
    const law = lawOf();
    const speeds = Array.from({ length: 4 }, () => {
      law.choose(3, 1, 0, DT_S);
      return law.command === 'erpm' ? law.value / law.erpmPerMPerS : 0;
    });
    expect(speeds).toEqual([0, 0.32, 0.48, 0.64].map((speed) => expect.closeTo(speed)));
  });

  it.each(['speed', 'current', 'duty'] as const)('brakes before it reverses (%s)', (mode) => {
    const law = lawOf({ mode });
    for (const speed of [2, 1, 0.5, 0.16]) {
      law.choose(-1, 0, speed, DT_S);
      expect(law).toMatchObject({ command: 'brake', value: 20 });
    }
    for (let i = 0; i < 5; i++) law.choose(-1, 0, 0.1, DT_S);
    expect(law.command).toBe({ speed: 'erpm', current: 'current', duty: 'duty' }[mode]);
    expect(law.value).toBeLessThan(0);
  });

  it('brakes in a stop until the car stands, and then lets it roll', () => {
    const law = lawOf();
    law.choose(1, 0, 1, DT_S);
    law.stop(1);
    expect(law).toMatchObject({ command: 'brake', value: 10 });
    law.stop(0.04);
    expect(law).toMatchObject({ command: 'current', value: 0 });
    // The car is pushed.
    law.stop(0.5);
    expect(law).toMatchObject({ command: 'current', value: 0 });
    const coasting = lawOf({ stopBrakeA: 0 });
    coasting.restart();
    coasting.stop(2);
    expect(coasting).toMatchObject({ command: 'current', value: 0 });
  });

  it('brakes with what a brake can, and drives with no more than its current', () => {
    const law = lawOf({ mode: 'current' });
    for (let i = 0; i < 200; i++) law.choose(3, 1, 0, DT_S);
    expect(law).toMatchObject({ command: 'current', value: 20 });
    law.choose(0.5, 0, 3, DT_S);
    expect(law).toMatchObject({ command: 'brake' });
  });

  it('stays within its limits, whatever it is asked: no speed, current or duty beyond', () => {
    const any = fc.oneof(
      fc.double({ min: -10, max: 10, noNaN: true }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 0),
    );
    const asked = fc.array(fc.tuple(any, any, any, fc.boolean()), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(asked, fc.constantFrom('speed', 'current', 'duty'), fc.boolean(), (rows, mode, isReversed) => {
        const law = lawOf({ mode: mode as 'speed', speedMaxMPerS: 2 }, isReversed);
        const most = { erpm: 2 * Math.abs(law.erpmPerMPerS), current: 20, brake: 20, duty: 0.5 };
        for (const [wanted, behind, speed, isStop] of rows) {
          if (isStop) law.stop(speed);
          else law.choose(wanted, behind, speed, DT_S);
          expect(Math.abs(law.value)).toBeLessThanOrEqual(most[law.command] * (1 + 1e-12));
          if (law.command === 'brake') expect(law.value).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
