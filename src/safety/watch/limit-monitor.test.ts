import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import {
  BROKEN_ACCEL,
  BROKEN_NOT_FINITE,
  BROKEN_POSITION,
  BROKEN_VELOCITY,
  BROKEN_WORKSPACE,
  LimitMonitor,
} from './limit-monitor.ts';

const T = 0.02;

function watching(at: number[]): LimitMonitor {
  const monitor = new LimitMonitor(oddArm3);
  monitor.restart(at);
  return monitor;
}

describe('the limit monitor', () => {
  it('is content with a motion exactly at the limits', () => {
    const monitor = watching([0, 0, -0.3]);
    let velocity = 0;
    let q = 0;
    for (let k = 0; k < 30; k++) {
      velocity = Math.min(1.2, velocity + 3 * T);
      q += velocity * T;
      expect(monitor.check([q, 0, -0.3], T)).toBe(0);
    }
    expect(monitor.violations).toBe(0);
  });

  it('sees a millionth too much of velocity, acceleration and position', () => {
    const accelerating = watching([0, 0, -0.3]);
    expect(accelerating.check([3 * T * T * (1 + 1e-6), 0, -0.3], T)).toBe(BROKEN_ACCEL);
    const fast = watching([0, 0, -0.3]);
    let q = 0;
    for (let k = 1; k <= 20; k++) q += 0.06 * k * T;
    for (let k = 1, at = 0; k <= 20; k++) {
      at += 0.06 * k * T;
      expect(fast.check([at, 0, -0.3], T)).toBe(0);
    }
    expect(fast.check([q + 1.2 * (1 + 1e-6) * T, 0, -0.3], T)).toBe(BROKEN_VELOCITY);
    expect(watching([0, 0.7, 0]).check([0, 0.7 + 1e-6, 0], T) & BROKEN_POSITION).toBe(BROKEN_POSITION);
  });

  it('sees the tool leave the box, and a value that is not finite', () => {
    expect(watching([0, -0.9, 0.4]).check([0, -0.9, 0.4], T)).toBe(BROKEN_WORKSPACE);
    expect(watching([0, 0, -0.3]).check([Number.NaN, 0, -0.3], T) & BROKEN_NOT_FINITE).toBe(BROKEN_NOT_FINITE);
    expect(watching([0, 0, -0.3]).check([0, 0], T) & BROKEN_NOT_FINITE).toBe(BROKEN_NOT_FINITE);
  });

  it('counts ticks, not joints', () => {
    const monitor = watching([0, 0, -0.3]);
    monitor.check([1, 0.5, 0.2], T);
    expect(monitor.violations).toBe(1);
  });

  it('reckons with periods between half and twice the nominal one', () => {
    const most = 3 * 0.04 * 0.04;
    expect(watching([0, 0, -0.3]).check([most, 0, -0.3], 1)).toBe(0);
    expect(watching([0, 0, -0.3]).check([most, 0, -0.3], Number.NaN)).not.toBe(0);
    expect(watching([0, 0, -0.3]).check([3 * 0.01 * 0.01, 0, -0.3], 0)).toBe(0);
  });
});

describe('the limit monitor, of what is sent behind the reference', () => {
  const at = [0, 0, -0.3];

  it('lets it stop short, and stand anywhere inside', () => {
    const monitor = watching(at);
    expect(monitor.check(at, T, at, [0.3, 0, -0.3])).toBe(0);
    expect(monitor.check(at, T, at, at)).toBe(0);
    expect(monitor.violations).toBe(0);
  });

  it('sees it outside the joint limits, the workspace, and not finite', () => {
    const monitor = watching(at);
    expect(monitor.check(at, T, at, [0, 0.7 + 1e-6, -0.3]) & BROKEN_POSITION).toBe(BROKEN_POSITION);
    expect(monitor.check(at, T, at, [1, 0, -0.3])).toBe(BROKEN_WORKSPACE);
    expect(monitor.check(at, T, at, [0, Number.NaN, -0.3]) & BROKEN_NOT_FINITE).toBe(BROKEN_NOT_FINITE);
    expect(monitor.violations).toBe(3);
  });
});

describe('the limit monitor, of an arm that is brought back', () => {
  const out = [1.2, 0, -0.3];

  it('is content with a slow way in, and one to the limit of a joint that was inside', () => {
    const monitor = watching(out);
    expect(monitor.checkRecovery([1.2 - 0.1 * T, 0.1 * T, -0.3], T)).toBe(0);
    expect(monitor.checkRecovery([1.2 - 0.1 * T, 0.1 * T, -0.3], T)).toBe(0);
    expect(monitor.violations).toBe(0);
  });

  it('sees a joint get farther out, one that gets out, a faster one, and a NaN', () => {
    expect(watching(out).checkRecovery([1.2 + 1e-6, 0, -0.3], T)).toBe(BROKEN_POSITION);
    expect(watching([1.2, 0.7, -0.3]).checkRecovery([1.2, 0.7 + 1e-6, -0.3], T)).toBe(BROKEN_POSITION);
    expect(watching(out).checkRecovery([1.2 - 0.1001 * T, 0, -0.3], T)).toBe(BROKEN_VELOCITY);
    expect(watching(out).checkRecovery([Number.NaN, 0, -0.3], T)).not.toBe(0);
  });
});
