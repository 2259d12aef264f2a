/** A car with an emulated VESC under the guard: what its first motion shows, and what it cannot. */
import { afterEach, describe, expect, it } from 'vitest';
import { activate } from '../../src/guard/link/going-on.ts';
import type { CarRig, CarRigOptions } from '../support/emulated-car.ts';
import { faultRow } from '../support/fault-row.ts';
import { type GuardedCar, guardedCar } from '../support/guarded-car.ts';

const open: CarRig[] = [];
afterEach(async () => {
  for (const { driver } of open.splice(0)) await driver.close();
});

async function guarded(options: CarRigOptions = {}): Promise<GuardedCar> {
  const car = await guardedCar(options);
  open.push(car);
  return car;
}

describe('the first motion of a car', () => {
  for (const mode of ['speed', 'current', 'duty'] as const) {
    faultRow(
      34,
      'fake',
      `turns its wheels a little way out and back, slowly, and not its steering (${mode})`,
      async (promised) => {
        const car = await guarded({ options: (plain) => ({ ...plain, drive: { ...plain.drive, mode } }) });
        const { link, body, driver } = car;
        expect(await link.request({ kind: 'activate' })).toMatchObject({
          ok: false,
          reason: 'checking joint 1 of 2 (x)',
        });
        let [farthest, fastest] = [0, 0];
        const servo = new Set<number>();
        for (let tick = 0; tick < 600 && driver.report.needsFirstMotion; tick++) {
          const before = link.latest.referenceRad[0]!;
          await link.advance(1);
          servo.add(car.bus.servo);
          farthest = Math.max(farthest, Math.abs(body.positionRad[0]!));
          fastest = Math.max(fastest, Math.abs(link.latest.referenceRad[0]! - before) * car.robot.controlHz);
        }
        expect(driver.report.needsFirstMotion).toBe(false);
        expect(fastest / 3).toBeLessThanOrEqual(promised('speedShare') + 1e-9);
        expect(farthest).toBeGreaterThan(0.6 * promised('pathM'));
        expect(farthest).toBeLessThan(1.5 * promised('pathM'));
        // Only the one place at which it was put when torque came on.
        expect(servo.size).toBeLessThanOrEqual(2);
        expect(await activate(link)).toEqual({ ok: true });
        expect(car.rows()).toEqual([]);
      },
    );
  }

  const wrong: readonly (readonly [string, (bus: CarRig['bus']) => object, RegExp])[] = [
    ['that does not turn', ({ faults }) => Object.assign(faults, { isFrozen: true }), /\(x\) does not move/],
    ['that something else turns back', (bus) => Object.assign(bus, { foreignA: -12 }), /\(x\) moves opposite/],
    ['that something else races', (bus) => Object.assign(bus, { foreignA: 12 }), /\(x\) moves by another distance/],
  ];
  for (const [what, change, message] of wrong) {
    faultRow(34, 'fake', `a motor ${what} stops it, and is named with what mends it`, async () => {
      const car = await guarded();
      await car.link.request({ kind: 'activate' });
      change(car.bus);
      for (let tick = 0; tick < 200 && !car.rows().includes(34); tick++) await car.link.advance(1);
      expect(car.rows()).toContain(34);
      await car.link.advance(1);
      const notice = car.notices.find(({ row }) => row === 34);
      expect(notice?.message).toMatch(message);
      expect(notice?.remedy).toContain('rein bring-up');
      expect(car.driver.report.needsFirstMotion).toBe(true);
    });
  }

  it('cannot show that the car rolls the other way: motor and count turn round together, and a person looks', async () => {
    const car = await guarded();
    car.bus.faults.isMirrored = true;
    await car.link.request({ kind: 'activate' });
    let least = 0;
    for (let tick = 0; tick < 600 && car.driver.report.needsFirstMotion; tick++) {
      await car.link.advance(1);
      least = Math.min(least, car.body.positionRad[0]!);
    }
    expect(car.driver.report.needsFirstMotion).toBe(false);
    expect(least).toBeLessThan(-0.08);
  });

  it('is wanted again once the VESC has started anew, or was silent', async () => {
    const car = await guarded();
    expect(await activate(car.link)).toEqual({ ok: true });
    expect(car.driver.report.needsFirstMotion).toBe(false);
    car.faults.replies.drop = 1;
    await car.link.advance(4);
    expect(car.driver.report.needsFirstMotion).toBe(true);
  });
});
