import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { VELOCITY_LIMITED } from '../bits.ts';
import { slowDown } from './slow-down.ts';

const fastest = oddArm3.joints.map((joint) => joint.velocityMaxRadPerS);

describe('slowing down', () => {
  it('leaves full speed to the limiter, also what is beyond it', () => {
    const velocity = Float64Array.from([2 * fastest[0]!, 0.1, 0.1]);
    const before = velocity.slice();
    expect(slowDown(velocity, oddArm3, 1)).toBe(0);
    expect(velocity).toEqual(before);
  });

  it('keeps every joint to the share, and the direction', () => {
    const velocity = Float64Array.from(fastest, (v, i) => (i === 1 ? v / 4 : v));
    const before = velocity.slice();
    expect(slowDown(velocity, oddArm3, 0.5)).toBe(VELOCITY_LIMITED);
    for (const [i, v] of velocity.entries()) expect(v).toBeCloseTo(before[i]! / 2, 12);
    expect(slowDown(velocity, oddArm3, 0.5)).toBe(0);
  });

  it('asks for standstill where the share is zero, less, or no number', () => {
    for (const ratio of [0, -1, Number.NaN]) {
      const velocity = Float64Array.from([0, -1, 0.3]);
      expect(slowDown(velocity, oddArm3, ratio)).toBe(VELOCITY_LIMITED);
      expect(Array.from(velocity)).toEqual([0, 0, 0]);
    }
  });
});
