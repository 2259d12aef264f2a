import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { FaultRig } from '../../../tests/support/fault-rig.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { Clearances } from '../avoidance/clearances.ts';
import { TRACKING_ERROR } from '../fault-table/flags.ts';
import { MeasuredClearance } from './measured-clearance.ts';

/** Only its own links and its boxes limit the arm, and no tank slows it. */
const { tank: _, contact: __, ...rest } = arm6Setup().config.robot;
const model: RobotModel = { ...rest, workspace: { minM: [-3, -3, -3], maxM: [3, 3, 3] }, leashM: 5, leashRad: 5 };
const { clearanceM } = model.collision!;

/** Smallest distance of two bodies at `jointsRad`, m. */
function distanceAt(jointsRad: ArrayLike<number>): number {
  const kinematics = new ArmKinematics(model);
  const clearances = new Clearances(model);
  kinematics.forward(jointsRad);
  clearances.measure(kinematics);
  const bodies = clearances.rows.flatMap(({ kind }, r) => (kind === 'wall' ? [] : [clearances.h[r]!]));
  return Math.min(...bodies) + clearanceM;
}

function checked(watch: MeasuredClearance, jointsRad: ArrayLike<number>, isNew = true): number {
  const kinematics = new ArmKinematics(model);
  kinematics.forward(jointsRad);
  return watch.check(kinematics, isNew);
}

const anyPose = fc.tuple(
  ...model.joints.map(({ positionMinRad, positionMaxRad }) =>
    fc.double({ min: positionMinRad, max: positionMaxRad, noNaN: true }),
  ),
);

/** Returns the pose on the way from home to one in which links touch, at which the distance is `wantedM`. */
function poseAt(wantedM: number): number[] {
  const touching = fc.sample(anyPose, { numRuns: 2000, seed: 5 }).find((pose) => distanceAt(pose) < -0.01)!;
  let [low, high] = [0, 1];
  const at = (share: number): number[] => model.homeRad.map((home, i) => home + share * (touching[i]! - home));
  // The first crossing on the way is bracketed by small steps, then halved.
  while (distanceAt(at(low + 0.01)) > wantedM) low += 0.01;
  high = low + 0.01;
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (distanceAt(at(middle)) > wantedM) low = middle;
    else high = middle;
  }
  return at(low);
}

describe('distances of the measured arm', () => {
  it('are not there where no bodies are described: it goes at full speed, even beyond its walls', () => {
    const { collision: _, ...bare } = model;
    const watch = new MeasuredClearance({ ...bare, workspace: { minM: [5, 5, 5], maxM: [6, 6, 6] } });
    for (let k = 0; k < 5; k++) expect(checked(watch, model.homeRad)).toBe(0);
    expect(watch.speedRatio).toBe(1);
  });

  it('slow it below half of the clearance, and are a fault in the second reading at 0, at any pose', () => {
    const watch = new MeasuredClearance(model);
    const near = [0.9, 0.51, 0.49, 0.1].map((share) => poseAt(share * clearanceM));
    const edges = [...near, poseAt(1e-6), poseAt(-1e-6)].map((pose): [number[]] => [pose]);
    fc.assert(
      fc.property(anyPose, (pose) => {
        const distanceM = distanceAt(pose);
        watch.restart();
        expect(checked(watch, pose)).toBe(0);
        expect(watch.speedRatio).toBe(distanceM < clearanceM / 2 ? 0.5 : 1);
        expect(checked(watch, pose, false)).toBe(0);
        expect(checked(watch, pose)).toBe(distanceM > 0 ? 0 : TRACKING_ERROR);
      }),
      { numRuns: 300, examples: edges as [[number, number, number, number, number, number]][] },
    );
  });

  it('are near and touch where they are no number', () => {
    const watch = new MeasuredClearance(model);
    const pose = model.homeRad.map(() => Number.NaN);
    checked(watch, pose);
    expect(watch.speedRatio).toBe(0.5);
    expect(checked(watch, pose)).toBe(TRACKING_ERROR);
  });
});

describe('a guard whose arm is not where its reference is', () => {
  faultRow(
    43,
    'fake',
    'an arm measured beside a link halves the speed, and stops where it touches',
    async (promised) => {
      // So slow that the reference hardly moves, and reaches its highest speed at once.
      const slow = { ...model, joints: model.joints.map((joint) => ({ ...joint, velocityMaxRadPerS: 0.05 })) };
      const from = poseAt(1.5 * clearanceM);
      const rig = await FaultRig.active({ model: slow, startRad: from, scale: 0.1 });
      // Offset added to the readings, approaching its goal by less than a jump each time.
      const beyond = from.map(() => 0);
      let goal = beyond;
      const read = rig.driver.read.bind(rig.driver);
      rig.driver.read = (out) => {
        const status = read(out);
        for (const [i, wanted] of goal.entries()) {
          beyond[i] = beyond[i]! + Math.max(-0.003, Math.min(0.003, wanted - beyond[i]!));
          out.positionRad[i] = out.positionRad[i]! + beyond[i]!;
        }
        return status;
      };
      const towards = (pose: readonly number[]): number[] => pose.map((q, i) => q - from[i]!);
      for (const q of towards(poseAt(-1e-3))) expect(Math.abs(q)).toBeLessThan(promised('errorRad') / 2);
      /** Moves to and fro about the same pose; returns the highest speed of the last ticks. */
      const fastestOf = async (ticks: number): Promise<number> => {
        let fastest = 0;
        for (let k = 0; k < ticks; k++) {
          rig.push(k % 8 < 4 ? 1 : -1);
          const share = await rig.speedShare();
          if (k >= ticks - 20) fastest = Math.max(fastest, share);
        }
        return fastest;
      };
      expect(await fastestOf(40)).toBeGreaterThan(0.8);
      goal = towards(poseAt(0.4 * clearanceM));
      expect(await fastestOf(100)).toBeLessThanOrEqual(promised('nearSpeedRatio') + 1e-9);
      expect(rig.rows).toEqual([]);
      goal = towards(poseAt(-1e-3));
      let touching = 0;
      const isStopped = (): boolean => {
        if (distanceAt(rig.link.latest.robot.positionRad) <= 0) touching++;
        return rig.rows.includes(43);
      };
      expect(await rig.ticksUntil(isStopped, 200)).toBeGreaterThan(0);
      // The second reading is reported in the tick after it.
      expect(touching).toBe(promised('touchReadings') + 1);
      expect(await rig.ticksUntil(() => rig.link.latest.state === 'fault')).toBeGreaterThan(0);
      expect(rig.driver.isEnabled).toBe(false);
    },
  );
});
