import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { CONTACT_FORCE } from '../fault-table/flags.ts';
import { ContactMonitor } from './contact.ts';

const limited = { ...ur5eLike, contact: { forceMaxN: 30, torqueMaxNm: 3 } };
const none = [0, 0, 0, 0, 0, 0];
const on = (axis: number, value: number): number[] => none.map((zero, i) => (i === axis ? value : zero));

describe('row 41, the contact monitor', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'sees too much on axis %d in the second measurement running, whatever its sign',
    (axis) => {
      const limit = axis < 3 ? 30 : 3;
      for (const sign of [-1, 1]) {
        const monitor = new ContactMonitor(limited);
        expect(monitor.check(on(axis, sign * limit))).toBe(0);
        expect(monitor.check(on(axis, sign * limit))).toBe(0);
        expect(monitor.check(on(axis, sign * limit * 1.001))).toBe(0);
        expect(monitor.check(on(axis, sign * limit * 1.001))).toBe(CONTACT_FORCE);
        expect(monitor.check(on(axis, sign * limit))).toBe(0);
      }
    },
  );

  it('forgives one spike, and what was felt before a restart', () => {
    const monitor = new ContactMonitor(limited);
    for (let k = 0; k < 5; k++) {
      expect(monitor.check(on(2, 100))).toBe(0);
      expect(monitor.check(none)).toBe(0);
    }
    monitor.check(on(2, 100));
    monitor.restart();
    expect(monitor.check(on(2, 100))).toBe(0);
  });

  it('takes a number that is none for too much', () => {
    const monitor = new ContactMonitor(limited);
    monitor.check(on(4, Number.NaN));
    expect(monitor.check(on(0, Number.NEGATIVE_INFINITY))).toBe(CONTACT_FORCE);
  });

  it('says nothing where the robot has no contact limits', () => {
    const monitor = new ContactMonitor(ur5eLike);
    for (let k = 0; k < 3; k++) expect(monitor.check(on(2, Number.NaN))).toBe(0);
  });

  it('counts a measurement that is handed out twice once', () => {
    const monitor = new ContactMonitor(limited);
    expect(monitor.check(on(2, 31))).toBe(0);
    expect(monitor.check(on(2, 31), false)).toBe(0);
    expect(monitor.check(on(2, 31))).toBe(CONTACT_FORCE);
    expect(monitor.check(on(2, 31), false)).toBe(CONTACT_FORCE);
  });
});
