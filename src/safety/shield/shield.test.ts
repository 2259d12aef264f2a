import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { oddArm3, ur5eLike } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { Clearances } from '../avoidance/clearances.ts';
import { SHIELD_BRAKE, SHIELD_SCALED } from '../bits.ts';
import { brakeStep, writeBrakePath } from '../limits/brake.ts';
import { ToolSpeed } from '../limits/tool-speed.ts';
import { Shield } from './shield.ts';

const DT_S = 0.02;

/** Returns the clearances of `model` at `jointsRad`. */
function measured(model: RobotModel, jointsRad: Float64Array): Clearances {
  const arm = new ArmKinematics(model);
  const clearances = new Clearances(model);
  arm.forward(jointsRad);
  clearances.measure(arm);
  return clearances;
}

function clearanceM(model: RobotModel, p: Float64Array): number {
  const { minM, maxM } = model.workspace;
  return Math.min(...[0, 1, 2].flatMap((k) => [p[k]! - minM[k]!, maxM[k]! - p[k]!]));
}

describe.each([oddArm3, ur5eLike])('the shield of $name', (model) => {
  const arm = new ArmKinematics(model);
  const shield = new Shield(model);
  const near = fc.tuple(...model.homeRad.map((h) => fc.double({ min: h - 0.5, max: h + 0.5, noNaN: true })));
  const speeds = fc.tuple(
    ...model.joints.map((j) => fc.double({ min: -j.velocityMaxRadPerS, max: j.velocityMaxRadPerS, noNaN: true })),
  );

  faultRow(
    38,
    'fake',
    'lets nothing through whose whole brake path, sampled finely, is not inside box and limits',
    () => {
      const still = new Float64Array(arm.joints);
      let passed = 0;
      fc.assert(
        fc.property(near, speeds, (q, requested) => {
          const reference = Float64Array.from(q);
          arm.forward(reference);
          fc.pre(clearanceM(model, arm.tcpPositionM) > 0);
          fc.pre(model.joints.every((j, i) => q[i]! > j.positionMinRad + 0.05 && q[i]! < j.positionMaxRad - 0.05));
          const u = Float64Array.from(requested);
          const bits = shield.apply(u, reference, measured(model, reference), still, times(DT_S));
          if (bits === SHIELD_BRAKE) return;
          passed++;
          const way = new Float64Array(arm.joints);
          writeBrakePath(way, model, u, times(DT_S));
          let wallM = Number.POSITIVE_INFINITY;
          let limitRad = Number.POSITIVE_INFINITY;
          for (let k = 0; k <= 100; k++) {
            const at = reference.map((r, i) => r + (way[i]! * k) / 100);
            arm.forward(at);
            wallM = Math.min(wallM, clearanceM(model, arm.tcpPositionM));
            for (const [i, j] of model.joints.entries()) {
              limitRad = Math.min(limitRad, at[i]! - j.positionMinRad, j.positionMaxRad - at[i]!);
            }
          }
          expect(wallM).toBeGreaterThanOrEqual(-1e-12);
          expect(limitRad).toBeGreaterThanOrEqual(model.limitMarginRad - 1e-12);
        }),
        { numRuns: 500 },
      );
      expect(passed).toBeGreaterThan(50);
    },
  );

  it('changes nothing far from every wall', () => {
    arm.forward(model.homeRad);
    const u = new Float64Array(arm.joints).fill(0.05);
    const reference = Float64Array.from(model.homeRad);
    expect(shield.apply(u, reference, measured(model, reference), new Float64Array(arm.joints), times(DT_S))).toBe(0);
    expect([...u]).toEqual(new Array(arm.joints).fill(0.05));
  });
});

describe('the shield near a limit', () => {
  const roomy: RobotModel = { ...oddArm3, workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] } };
  const arm = new ArmKinematics(oddArm3);
  const shield = new Shield(roomy);
  const still = new Float64Array(3);

  it('slows down before it refuses', () => {
    const reference = Float64Array.of(0.9, 0, -0.3);
    arm.forward(reference);
    const u = Float64Array.of(1.0, 0, 0);
    expect(shield.apply(u, reference, measured(roomy, reference), still, times(DT_S))).toBe(SHIELD_SCALED);
    expect(u[0]).toBeGreaterThan(0);
    expect(u[0]).toBeLessThan(1);
  });

  it('runs the brake step when no candidate will do', () => {
    const reference = Float64Array.of(1.0499999, 0, -0.3);
    arm.forward(reference);
    const previous = Float64Array.of(0.001, 0, 0);
    const brake = new Float64Array(3);
    brakeStep(brake, oddArm3, previous, times(DT_S));
    const u = Float64Array.of(0.06, 0, 0);
    expect(shield.apply(u, reference, measured(roomy, reference), previous, times(DT_S))).toBe(SHIELD_BRAKE);
    expect(u).toEqual(brake);
  });

  it('lets an arm that starts inside the margin move out of it, and not deeper', () => {
    const reference = Float64Array.of(1.08, 0, -0.3);
    arm.forward(reference);
    const inward = Float64Array.of(-0.05, 0, 0);
    expect(shield.apply(inward, reference, measured(roomy, reference), still, times(DT_S))).toBe(0);
    const outward = Float64Array.of(0.05, 0, 0);
    expect(shield.apply(outward, reference, measured(roomy, reference), still, times(DT_S))).toBe(SHIELD_BRAKE);
    const lowEnd = Float64Array.of(-0.78, 0, -0.3);
    arm.forward(lowEnd);
    expect(shield.apply(Float64Array.of(-0.05, 0, 0), lowEnd, measured(roomy, lowEnd), still, times(DT_S))).toBe(
      SHIELD_BRAKE,
    );
  });

  it('finds a path that only a finer look can prove', () => {
    // Along the wall at a small distance: the whole chord's bulge bound is too coarse, pieces of it are not.
    const wallM = oddArm3.workspace.maxM[2];
    const reference = Float64Array.of(0, 0, -0.3);
    arm.forward(reference);
    const tcp = arm.tcpPositionM.slice();
    const low: RobotModel = {
      ...oddArm3,
      workspace: { ...oddArm3.workspace, maxM: [0.62, 0.5, tcp[2]! + 0.002] },
    };
    expect(wallM).toBeGreaterThan(tcp[2]!);
    const u = Float64Array.of(0.9, 0, 0);
    expect(
      new Shield(low).apply(u, reference, measured(low, reference), Float64Array.of(0.88, 0, 0), times(DT_S)),
    ).toBe(0);
  });
});

describe('the shield and the speed of points', () => {
  const model = { ...oddArm3, toolSpeedMaxMPerS: 0.1 };
  const reference = Float64Array.from(model.homeRad);
  const start = measured(model, reference);
  const arm = new ArmKinematics(model);
  arm.forward(reference);
  const toolSpeed = new ToolSpeed(model, arm);

  it('lets nothing through that is too fast, but the slower motion that is not', () => {
    const u = Float64Array.of(0.4, 0, 0);
    expect(toolSpeed.keeps(u, times(DT_S))).toBe(false);
    const still = new Float64Array(3);
    expect(new Shield(model, toolSpeed).apply(u, reference, start, still, times(DT_S))).toBe(SHIELD_SCALED);
    expect(toolSpeed.keeps(u, times(DT_S))).toBe(true);
    expect(u[0]).toBeGreaterThan(0);
  });

  it('brakes where no slower motion is slow enough', () => {
    const moving = Float64Array.of(0.8, 0, 0);
    const u = Float64Array.of(0.81, 0, 0);
    const brake = new Float64Array(3);
    brakeStep(brake, model, moving, times(DT_S));
    expect(new Shield(model, toolSpeed).apply(u, reference, start, moving, times(DT_S))).toBe(SHIELD_BRAKE);
    expect(u).toEqual(brake);
  });
});
