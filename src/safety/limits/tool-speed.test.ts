import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardedArm } from '../../../tests/support/guarded-robots.ts';
import { diffBase, oddArm3, ur5eLike } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import { ArmKinematics, clamp, type JointModel, monitoredPoints, type RobotModel } from '../../model/index.ts';
import { TOOL_SPEED_LIMITED } from '../bits.ts';
import { createChainReport, STAGE } from '../chain-report.ts';
import { brakeStep } from './brake.ts';
import { ToolSpeed } from './tool-speed.ts';

const DT_S = 0.02;
const ROUNDING = 1e-9;
/** Brakes so weak that the tip of an arm that stretches out meanwhile accelerates while its joints slow down. */
const weak: RobotModel = {
  ...oddArm3,
  name: 'weak brakes',
  joints: oddArm3.joints.map((joint) => ({ ...joint, accelMaxRadPerS2: 0.3, velocityMaxRadPerS: 3 })),
};

interface Stage {
  readonly arm: ArmKinematics;
  readonly stage: ToolSpeed;
}

function stageAt(model: RobotModel, poseRad: readonly number[], limitMPerS: number): Stage {
  const arm = new ArmKinematics(model);
  arm.forward(poseRad);
  return { arm, stage: new ToolSpeed({ ...model, toolSpeedMaxMPerS: limitMPerS }, arm) };
}

/** Returns the positions of all monitored points, m. */
function placesAt(arm: ArmKinematics, model: RobotModel, poseRad: ArrayLike<number>): Float64Array[] {
  arm.forward(poseRad);
  return monitoredPoints(model).map(({ link, positionM }) => {
    const place = new Float64Array(3);
    arm.pointOf(place, link === undefined ? arm.topology.toolLink : arm.topology.link(link), positionM);
    return place;
  });
}

/** Returns the largest speed of any point along the motion of `velocity` for `dtS` from `pose` (overwritten), in small pieces, m/s. */
function fastestOn(arm: ArmKinematics, model: RobotModel, pose: number[], velocity: Float64Array, dtS: number): number {
  const pieces = 5;
  let fastest = 0;
  let before = placesAt(arm, model, pose);
  for (let piece = 0; piece < pieces; piece++) {
    for (let i = 0; i < pose.length; i++) pose[i] = pose[i]! + (velocity[i]! * dtS) / pieces;
    const now = placesAt(arm, model, pose);
    for (const [k, place] of now.entries()) {
      const moved = Math.hypot(...place.map((value, axis) => value - before[k]![axis]!));
      fastest = Math.max(fastest, (moved * pieces) / dtS);
    }
    before = now;
  }
  return fastest;
}

function isOutside({ positionMinRad, positionMaxRad }: JointModel, q: number): boolean {
  return q < positionMinRad || q > positionMaxRad;
}

const drawn = fc.record({
  pose: fc.array(fc.double({ min: -1.2, max: 1.2, noNaN: true }), { minLength: 8, maxLength: 8 }),
  u: fc.array(fc.double({ min: -1.5, max: 1.5, noNaN: true }), { minLength: 8, maxLength: 8 }),
  /** Excess of the limit over the fastest point's initial speed. */
  room: fc.double({ min: 0, max: 0.3, noNaN: true }),
  ticks: fc.array(fc.double({ min: DT_S / 2, max: 2 * DT_S, noNaN: true }), { minLength: 3, maxLength: 8 }),
});

describe.each([ur5eLike, oddArm3, guardedArm, weak])('a velocity that $name is let through with', (model) => {
  it('keeps the limit at every monitored point, in its tick and all along the brake behind it, however long its ticks are', () => {
    let kept = 0;
    fc.assert(
      fc.property(drawn, ({ pose, u, room, ticks }) => {
        const poseRad = model.joints.map((joint, i) => clamp(pose[i]!, joint.positionMinRad, joint.positionMaxRad));
        const velocity = Float64Array.from(model.joints, (_, i) => u[i]!);
        const start = fastestOn(new ArmKinematics(model), model, [...poseRad], velocity, 1e-6);
        const limit = (1 + room) * start;
        const { arm, stage } = stageAt(model, poseRad, limit);
        if (!stage.keeps(velocity, times(ticks[0]!))) return;
        kept++;
        let dtS = ticks[0]!;
        for (let k = 1; k < 40 && velocity.some((v) => v !== 0); k++) {
          // The bounds are those of joints within their limits.
          if (model.joints.some((joint, i) => isOutside(joint, poseRad[i]! + velocity[i]! * dtS))) return;
          expect(fastestOn(arm, model, poseRad, velocity, dtS)).toBeLessThanOrEqual(limit + ROUNDING);
          dtS = ticks[k % ticks.length]!;
          brakeStep(velocity, model, velocity, times(dtS));
        }
      }),
      { numRuns: 300 },
    );
    expect(kept).toBeGreaterThan(5);
  });
});

it('an arm is not let through that is stretched out while it brakes, and so gets faster at its tip', () => {
  const [turn, lift] = oddArm3.joints.map((each) => ({ ...each, axis: [0, 0, 1] as const, accelMaxRadPerS2: 0.02 }));
  const origin = { originRpyRad: [0, 0, 0] as const };
  const joints = [
    { ...turn!, ...origin, originXyzM: [0, 0, 0] as const },
    { ...lift!, ...origin, originXyzM: [0.3, 0, 0] as const, positionMinRad: -3 },
  ];
  const tool = { originXyzM: [0.3, 0, 0] as const, originRpyRad: [0, 0, 0] as const };
  const model: RobotModel = { ...oddArm3, joints, tool, homeRad: [0, -2.7] };
  const arm = new ArmKinematics(model);
  const pose = [0, -2.7];
  const u = Float64Array.of(0.3, 0.3);
  const tickS = 0.01;
  const start = fastestOn(arm, model, [...pose], u, 1e-6);
  const velocity = u.slice();
  let peak = 0;
  while (velocity.some((v) => v !== 0)) {
    peak = Math.max(peak, fastestOn(arm, model, pose, velocity, tickS));
    brakeStep(velocity, model, velocity, times(tickS));
  }
  expect(peak).toBeGreaterThan(1.1 * start);
  expect(stageAt(model, model.homeRad, 0.98 * peak).stage.keeps(u, times(tickS))).toBe(false);
});

describe('what is too fast', () => {
  const forward = Float64Array.of(1.2, 0, 0, 0, 0, 0);

  it('is slowed in its direction to what just keeps the limit', () => {
    const { stage } = stageAt(ur5eLike, ur5eLike.homeRad, 0.25);
    const u = forward.slice();
    expect(stage.apply(u, new Float64Array(6), times(DT_S))).toBe(TOOL_SPEED_LIMITED);
    expect(stage.keeps(u, times(DT_S))).toBe(true);
    expect([...u.slice(1)]).toEqual([0, 0, 0, 0, 0]);
    const more = u.map((value) => 1.02 * value);
    expect(stage.keeps(more, times(DT_S))).toBe(false);
  });

  it('is changed no more by a second look, and what keeps the limit not at all', () => {
    const { stage } = stageAt(ur5eLike, ur5eLike.homeRad, 0.25);
    const u = forward.slice();
    stage.apply(u, new Float64Array(6), times(DT_S));
    const once = u.slice();
    expect(stage.apply(u, new Float64Array(6), times(DT_S))).toBe(0);
    expect(u).toEqual(once);
  });

  it('is the brake step where not even that keeps a limit that has just fallen', () => {
    const { stage } = stageAt(ur5eLike, ur5eLike.homeRad, 2);
    expect(stage.keeps(forward, times(DT_S))).toBe(true);
    stage.limitMPerS = 0.1;
    const u = forward.slice();
    const brake = new Float64Array(6);
    brakeStep(brake, ur5eLike, forward, times(DT_S));
    expect(stage.apply(u, forward, times(DT_S))).toBe(TOOL_SPEED_LIMITED);
    expect(u).toEqual(brake);
  });

  it('is everything but standstill where the limit is 0', () => {
    const { stage } = stageAt(ur5eLike, ur5eLike.homeRad, 0.25);
    stage.limitMPerS = 0;
    const u = Float64Array.of(0.1, 0, 0, 0, 0, 0);
    expect(stage.apply(u, new Float64Array(6), times(DT_S))).toBe(TOOL_SPEED_LIMITED);
    expect([...u]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(stage.apply(u, u, times(DT_S))).toBe(0);
  });

  it('is seen at the elbow too, where the tool stands still', () => {
    const elbow = { name: 'elbow', link: 'elbow', positionM: [-0.3922, 0, 0] } as const;
    const still = { ...ur5eLike, tool: { ...ur5eLike.tool, link: 'shoulder_pan', originXyzM: [0, 0, 0] as const } };
    const u = Float64Array.of(0, 1, 0, 0, 0, 0);
    expect(stageAt(still, ur5eLike.homeRad, 0.25).stage.keeps(u, times(DT_S))).toBe(true);
    const watched = { ...still, points: [elbow] };
    expect(stageAt(watched, ur5eLike.homeRad, 0.25).stage.keeps(u, times(DT_S))).toBe(false);
  });

  it('is seen at a sliding joint, by how fast it slides', () => {
    const { stage } = stageAt(guardedArm, guardedArm.homeRad, 0.25);
    const slide = guardedArm.joints.findIndex(({ kind }) => kind === 'prismatic');
    const u = new Float64Array(guardedArm.joints.length);
    u[slide] = 0.249;
    expect(stage.keeps(u, times(DT_S))).toBe(true);
    u[slide] = 0.251;
    expect(stage.keeps(u, times(DT_S))).toBe(false);
  });
});

describe('the room that is reported', () => {
  const marginAt = (model: RobotModel, limit: number, u: Float64Array): number => {
    const { stage } = stageAt(model, model.homeRad, 1);
    stage.limitMPerS = limit;
    const report = createChainReport();
    stage.fill(report, u);
    return report.stages[STAGE.toolSpeed]!.margin;
  };

  it('is all at rest and without a limit, and the less the faster the fastest point is', () => {
    const u = Float64Array.of(0, 0.1, 0, 0, 0, 0);
    expect(marginAt(ur5eLike, 0.25, new Float64Array(6))).toBe(1);
    expect(marginAt(ur5eLike, Number.POSITIVE_INFINITY, u)).toBe(1);
    expect(marginAt(ur5eLike, 0, u)).toBe(0);
    const one = marginAt(ur5eLike, 0.25, u);
    expect(one).toBeGreaterThan(0.5);
    expect(one).toBeLessThan(1);
    const two = marginAt(
      ur5eLike,
      0.25,
      u.map((v) => 2 * v),
    );
    expect(1 - two).toBeCloseTo(2 * (1 - one), 12);
  });
});

it('a mobile base has no points, and its axes are left to their own limits', () => {
  expect(monitoredPoints(diffBase)).toEqual([]);
});
