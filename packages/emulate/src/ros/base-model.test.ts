import { describe, expect, it } from 'vitest';
import { BaseModel, type BaseOptions } from './base-model.ts';

const OPTIONS: BaseOptions = {
  kind: 'differential',
  speedMaxMPerS: 1,
  accelMaxMPerS2: 2,
  turnMaxRadPerS: 2,
  turnAccelMaxRadPerS2: 4,
  wheelBaseM: 0.3,
  steerMaxRad: 0.5,
  steerRateMaxRadPerS: 2,
  commandTimeoutS: 0.5,
  slipRatio: 0,
};

/** Drives for `forS` with the same command every 20 ms. */
function drive(base: BaseModel, forS: number, command: (nowS: number) => void, fromS = 0): number {
  let nowS = fromS;
  while (nowS < fromS + forS - 1e-9) {
    command(nowS);
    nowS += 0.02;
    base.step(nowS, 0.02);
  }
  return nowS;
}

describe('the simulated base', () => {
  it('gains speed no faster than its motors can', () => {
    const base = new BaseModel(OPTIONS);
    drive(base, 0.2, (nowS) => base.drive(0.8, 0, 0, nowS));
    expect(base.forwardMPerS).toBeCloseTo(0.4, 9);
    drive(base, 0.6, (nowS) => base.drive(5, 0, 0, nowS), 0.2);
    expect(base.forwardMPerS).toBe(1);
  });

  it('stops by itself when nobody commands it any more', () => {
    const base = new BaseModel(OPTIONS);
    const nowS = drive(base, 1, (now) => base.drive(1, 0, 0.5, now));
    drive(base, 0.46, () => undefined, nowS);
    expect(base.forwardMPerS).toBe(1);
    drive(base, 0.6, () => undefined, nowS + 0.46);
    expect([base.forwardMPerS, base.turnRadPerS]).toEqual([0, 0]);
  });

  it('drives a circle where it turns while it drives', () => {
    const base = new BaseModel({ ...OPTIONS, accelMaxMPerS2: 1e9, turnAccelMaxRadPerS2: 1e9 });
    drive(base, 1.5, (nowS) => base.drive(0.5, 0, 1, nowS));
    // Radius v/ω = 0.5 m about (0, 0.5).
    expect(base.odometry.xM).toBeCloseTo(0.5 * Math.sin(1.5), 3);
    expect(base.odometry.yM).toBeCloseTo(0.5 - 0.5 * Math.cos(1.5), 3);
    expect(base.odometry.yawRad).toBeCloseTo(1.5, 9);
  });

  it('goes sideways only on wheels that can', () => {
    const differential = new BaseModel(OPTIONS);
    const omni = new BaseModel({ ...OPTIONS, kind: 'omni' });
    for (const base of [differential, omni]) drive(base, 1, (nowS) => base.drive(0, 0.3, 0, nowS));
    expect(differential.odometry.yM).toBe(0);
    expect(omni.odometry.yM).toBeGreaterThan(0.25);
  });

  it('steers like a car: no turning on the spot, the angle as fast as the steering goes', () => {
    const car = new BaseModel({ ...OPTIONS, kind: 'ackermann' });
    drive(car, 1, (nowS) => car.drive(0, 0, 1, nowS));
    expect([car.odometry.yawRad, car.steerRad]).toEqual([0, 0]);
    car.steer(0.5, 9, 1);
    car.step(1.1, 0.1);
    expect(car.steerRad).toBeCloseTo(0.2, 9);
    car.steer(0.5, 9, 1.1);
    car.step(1.5, 0.4);
    expect(car.steerRad).toBe(0.5);
    expect(car.turnRadPerS).toBeCloseTo((0.5 * Math.tan(0.5)) / 0.3, 9);
  });

  it('is elsewhere than its wheels say on a slippery floor', () => {
    const base = new BaseModel({ ...OPTIONS, slipRatio: 0.25 });
    drive(base, 2, (nowS) => base.drive(0.5, 0, 0, nowS));
    expect(base.truth.xM).toBeCloseTo(0.75 * base.odometry.xM, 9);
  });

  it('refuses what is not finite', () => {
    const base = new BaseModel(OPTIONS);
    expect(base.drive(Number.NaN, 0, 0, 0)).toContain('not finite');
    expect(base.steer(1, Number.POSITIVE_INFINITY, 0)).toContain('not finite');
    base.step(0.02, 0.02);
    expect(base.forwardMPerS).toBe(0);
  });
});
