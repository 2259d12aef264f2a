import { beforeEach, describe, expect, it } from 'vitest';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { type Driver, type DriverStatus, MockDriver } from '../drivers/index.ts';
import { LockStepClock } from '../model/index.ts';
import type { RobotState } from '../rows/index.ts';
import { DRIVER_LOST, READING_NOT_FINITE } from '../safety/index.ts';
import { createGuardFrame } from './link/frames.ts';
import { Measurement, MISSED_TICKS } from './measurement.ts';

const joints = ur5eLike.joints.length;
const PERIOD_S = 1 / ur5eLike.controlHz;

describe('a measurement', () => {
  let clock: LockStepClock;
  let measurement: Measurement;
  /** Status of the next reading. */
  let status: DriverStatus;
  let stampS: number;
  let positionRad: number[];
  let velocityRadPerS: number[];

  beforeEach(() => {
    clock = new LockStepClock(PERIOD_S);
    status = 'ok';
    stampS = 0;
    positionRad = [...ur5eLike.homeRad];
    velocityRadPerS = positionRad.map(() => 0);
    const driver: Driver = Object.assign(new MockDriver(ur5eLike), {
      read: (out: RobotState) => {
        if (status !== 'ok') return status;
        out.positionRad.set(positionRad);
        out.velocityRadPerS.set(velocityRadPerS);
        out.measuredAtS = stampS;
        return status;
      },
    });
    measurement = new Measurement(driver, clock, ur5eLike, createGuardFrame(joints, 0, joints));
  });

  /** Runs a tick with a reading stamped `atS` by the driver. */
  function tick(atS = stampS + PERIOD_S): number {
    stampS = atS;
    clock.step();
    measurement.read();
    return measurement.check();
  }

  it('gives the time of its tick, and the reading with both clocks', () => {
    expect([tick(7), tick(7.004)]).toEqual([0, 0]);
    expect(measurement.nowS).toBe(clock.nowS());
    expect(measurement.dtS).toBeCloseTo(PERIOD_S, 9);
    expect(measurement.frame.stampS).toBe(7.004);
    expect(measurement.frame.robot.measuredAtS).toBe(clock.nowS());
    expect(measurement.isTrusted).toBe(true);
  });

  it('knows a reading that was handed out again, and how much was measured since it was asked', () => {
    tick(1);
    tick(1.0625);
    // Faster than the clock: the stamps are not in seconds.
    expect(measurement.takeStampedS()).toBeCloseTo(PERIOD_S, 9);
    tick(1.078125);
    expect(measurement.isNew).toBe(true);
    const readAtS = clock.nowS();
    tick(1.078125);
    expect(measurement.isNew).toBe(false);
    expect(measurement.frame.robot.measuredAtS).toBe(readAtS);
    expect([measurement.takeStampedS(), measurement.takeStampedS()]).toEqual([0.015625, 0]);
  });

  it('keeps the reading before where this one is no number', () => {
    tick();
    for (const spoil of [() => (positionRad[2] = Number.NaN), () => (velocityRadPerS[0] = Number.POSITIVE_INFINITY)]) {
      const before = [...measurement.frame.robot.positionRad];
      spoil();
      positionRad[1] = before[1]! + 1e-4;
      expect(tick() & READING_NOT_FINITE).not.toBe(0);
      expect(measurement.isTrusted).toBe(false);
      expect([...measurement.frame.robot.positionRad]).toEqual(before);
      positionRad = before;
      velocityRadPerS = before.map(() => 0);
      tick();
    }
  });

  it('takes a driver for lost after so many ticks without an answer, once it had answered', () => {
    status = 'late';
    for (let i = 0; i < 2 * MISSED_TICKS; i++) tick();
    expect([measurement.isLost, measurement.driverFaults]).toEqual([true, 0]);
    status = 'ok';
    tick();
    expect([measurement.isLost, measurement.isTrusted]).toEqual([false, true]);
    status = 'late';
    for (let i = 0; i < MISSED_TICKS; i++) {
      expect(measurement.driverFaults).toBe(0);
      tick();
      expect(measurement.isTrusted).toBe(false);
    }
    expect([measurement.isLost, measurement.isConnected, measurement.driverFaults]).toEqual([true, true, DRIVER_LOST]);
  });

  it('takes a robot that says that it is gone for disconnected, but for its first ticks', () => {
    tick();
    status = 'lost';
    for (let i = 1; i <= MISSED_TICKS; i++) {
      tick();
      expect(measurement.isConnected).toBe(i < MISSED_TICKS);
    }
  });

  it('believes a reading from anywhere after it was told to forget', () => {
    tick();
    positionRad[0] = positionRad[0]! + 1;
    tick();
    expect(measurement.isTrusted).toBe(false);
    measurement.restart();
    expect(tick()).toBe(0);
    expect(measurement.frame.robot.positionRad[0]).toBe(positionRad[0]);
  });
});
