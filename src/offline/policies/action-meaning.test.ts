import { describe, expect, it } from 'vitest';
import { PointEnvironment } from '../../../packages/lab/src/environments/point.ts';
import { resolveConfig } from '../../config/index.ts';
import { type ActionSpec, jointActionUnit } from '../../model/index.ts';
import { meaningIn, meaningOnRobot } from './action-meaning.ts';

/** Extremes ±1.5 and values between, dimension by dimension: values beyond ±1 are clipped. */
const SHARES = [1, -0.5, 1.5, 0.25];
const CUT = [1, -0.5, 1, 0.25];

describe("what a robot's safety chain makes of an action", () => {
  it.each(['insert', 'reach-judged', 'drive-judged', 'drive-car-judged'])('is scale × action in %s', (name) => {
    const config = resolveConfig({ task: name, seed: 1 });
    const { action } = config.task;
    const { ranges, carryOut } = meaningOnRobot(action, config);
    expect(ranges.map(({ name: number, unit }) => [number, unit])).toEqual(
      action.dimensions.map(({ name: number, unit }) => [number, unit]),
    );
    const commanded = carryOut(Float32Array.from(action.dimensions, (_, i) => SHARES[i]!));
    for (const [i, { scale }] of action.dimensions.entries()) expect(commanded[i]).toBeCloseTo(scale * CUT[i]!, 9);
  });

  it('is in the order of the action, which need not be that of the joints, and is not bounded by where the arm is', () => {
    const config = resolveConfig({ task: 'insert', seed: 1 });
    const [first, second, third] = config.robot.joints.map((joint) => joint.name) as [string, string, string];
    const dimensions = [
      { name: third, scale: 3, unit: 'rad' },
      { name: first, scale: 0.01, unit: 'rad' },
      { name: second, scale: 0.02, unit: 'rad' },
    ] as const;
    const spec: ActionSpec = { kind: 'joint', dimensions };
    const commanded = meaningOnRobot(spec, config).carryOut(Float32Array.of(-1, 1, 0.5));
    for (const [i, wanted] of [-3, 0.01, 0.01].entries()) expect(commanded[i]).toBeCloseTo(wanted, 9);
  });

  it('is in m where the joint slides', () => {
    const config = resolveConfig({ task: 'insert', seed: 1 });
    const [first, ...others] = config.robot.joints;
    const robot = { ...config.robot, joints: [{ ...first!, kind: 'prismatic' as const }, ...others] };
    const dimensions = robot.joints.slice(0, 2).map((joint) => {
      return { name: joint.name, scale: 0.01, unit: jointActionUnit(joint) };
    });
    const { ranges, carryOut } = meaningOnRobot({ kind: 'joint', dimensions }, { ...config, robot });
    expect(ranges.map(({ unit }) => unit)).toEqual(['m', 'rad']);
    expect(carryOut(Float32Array.of(1, -1))[0]).toBeCloseTo(0.01, 9);
  });
});

describe('what an environment makes of an action', () => {
  it('is what it declares, and the action itself where it declares nothing', () => {
    const point = new PointEnvironment();
    expect(meaningIn(point).carryOut(Float32Array.of(-0.5))[0]).toBeCloseTo(-0.1, 9);
    const silent = Object.assign(new PointEnvironment(), { actionRanges: undefined });
    expect(meaningIn(silent)).toMatchObject({ ranges: [{ name: 'action 0', unit: 'normalised', low: -1, high: 1 }] });
    expect([...meaningIn(silent).carryOut(Float32Array.of(-0.5))]).toEqual([-0.5]);
  });
});
