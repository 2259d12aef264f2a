import { describe, expect, it } from 'vitest';
import { Odometer } from './robot-readings.ts';

describe('the odometer', () => {
  it('counts the way ahead on a circle, and turns that go past the half turn', () => {
    const odometer = new Odometer();
    const radiusM = 2;
    const turnedRad = 2.5 * Math.PI;
    for (let i = 0; i <= 1000; i++) {
      const yawRad = (turnedRad * i) / 1000;
      const pose = [radiusM * Math.sin(yawRad), radiusM * (1 - Math.cos(yawRad))] as const;
      odometer.advance(...pose, Math.atan2(Math.sin(yawRad), Math.cos(yawRad)));
    }
    expect(odometer.way('x')).toBeCloseTo(radiusM * turnedRad, 3);
    expect(odometer.way('y')).toBeCloseTo(0, 6);
    expect(odometer.way('yaw')).toBeCloseTo(turnedRad, 9);
    expect(odometer.way('steering')).toBe(0);
  });

  it('begins at zero wherever the base stands, and counts backwards and sideways', () => {
    const odometer = new Odometer();
    odometer.advance(10, -5, Math.PI / 2);
    expect(odometer.way('x')).toBe(0);
    odometer.advance(9.7, -5.1, Math.PI / 2);
    expect(odometer.way('x')).toBeCloseTo(-0.1, 12);
    expect(odometer.way('y')).toBeCloseTo(0.3, 12);
  });

  it('knows nothing at a pose that is no number, and goes on from the one before it', () => {
    const odometer = new Odometer();
    odometer.advance(0, 0, 0);
    odometer.advance(1, Number.NaN, 0);
    expect(odometer.way('x')).toBeNaN();
    odometer.advance(2, 0, 0);
    expect(odometer.way('x')).toBeCloseTo(2, 9);
  });
});
