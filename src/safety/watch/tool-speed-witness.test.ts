import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { BROKEN_POSITION, BROKEN_TOOL_SPEED, BROKEN_VELOCITY, LimitMonitor } from './limit-monitor.ts';

const PERIOD_S = 1 / oddArm3.controlHz;
const model: RobotModel = { ...oddArm3, toolSpeedMaxMPerS: 0.05 };

/** Moves the tool by `moved` metres (straight-line distance) from home, by one joint; returns the bits after one tick. */
function brokenAfter(watched: RobotModel, speedMPerS: number): number {
  const arm = new ArmKinematics(watched);
  arm.forward(watched.homeRad);
  const from = arm.tcpPositionM.slice();
  const radiusM = Math.hypot(from[0]!, from[1]!);
  const turn = 2 * Math.asin((speedMPerS * PERIOD_S) / (2 * radiusM));
  const monitor = new LimitMonitor(watched);
  monitor.restart(watched.homeRad);
  return monitor.check([turn, 0, -0.3], PERIOD_S);
}

describe('the independent check of the speed of points', () => {
  it('counts a tick in which a point went faster, and none in which it went as fast', () => {
    expect(brokenAfter(model, 0.0501) & BROKEN_TOOL_SPEED).toBe(BROKEN_TOOL_SPEED);
    expect(brokenAfter(model, 0.05) & BROKEN_TOOL_SPEED).toBe(0);
    expect(brokenAfter(oddArm3, 0.3) & BROKEN_TOOL_SPEED).toBe(0);
  });

  it('goes by where the points were last, and by nothing after a restart', () => {
    const monitor = new LimitMonitor(model);
    monitor.restart([0.5, 0, -0.3]);
    expect(monitor.check([0.5, 0, -0.3], PERIOD_S)).toBe(0);
    monitor.restart([0, 0, -0.3]);
    expect(monitor.check([0, 0, -0.3], PERIOD_S)).toBe(0);
    expect(monitor.violations).toBe(0);
  });

  it('holds an arm to it that a person brings back from outside its limits', () => {
    const outside = [model.joints[0]!.positionMaxRad + 0.1, 0, -0.3] as const;
    const monitor = new LimitMonitor(model);
    monitor.restart(outside);
    const slow = [outside[0] - 0.05 * PERIOD_S, 0, -0.3];
    expect(monitor.checkRecovery(slow, PERIOD_S)).toBe(0);
    expect(monitor.checkRecovery([slow[0]! - 0.099 * PERIOD_S, 0.099 * PERIOD_S, -0.3], PERIOD_S)).toBe(
      BROKEN_TOOL_SPEED,
    );
  });

  it('takes a NaN for too fast', () => {
    const monitor = new LimitMonitor(model);
    monitor.restart(model.homeRad);
    const broken = monitor.checkRecovery([Number.NaN, 0, -0.3], PERIOD_S);
    expect(broken).toBe(BROKEN_POSITION | BROKEN_VELOCITY | BROKEN_TOOL_SPEED);
  });
});
