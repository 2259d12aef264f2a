/** Rows of the chain itself, end to end: guard processes that are asked for what their robot must not do. */
import { afterEach, describe, expect } from 'vitest';
import { resolveConfig } from '../../src/config/index.ts';
import { ArmKinematics, type RobotModel } from '../../src/model/index.ts';
import { BARRIER_BRAKE, BARRIER_STEERED, SHIELD_BRAKE, SHIELD_SCALED } from '../../src/safety/bits.ts';
import { TANK_EMPTY } from '../../src/safety/index.ts';
import { jointSpec } from '../support/adversary.ts';
import { faultRow } from '../support/fault-row.ts';
import { ProcessGuard, rowsOf } from '../support/process-guard.ts';
import { ur5eLike } from '../support/robot-models.ts';

/** The largest step of a joint that one action asks for, rad. */
const SCALE_RAD = 0.09;
const PURSUIT_TICKS = 4000;
let guard: ProcessGuard;
afterEach(() => guard.close());

const arm6 = resolveConfig({ task: 'insert', seed: 0 }).robot;
const cartesian = {
  kind: 'cartesian',
  dimensions: [
    ...(['x', 'y', 'z'] as const).map((name) => ({ name, scale: 0.01, unit: 'm' as const })),
    { name: 'yaw', scale: 0.06, unit: 'rad' },
  ],
} as const;

/** Points along the segment of capsule `name`, base frame. */
function spine(model: RobotModel, kinematics: ArmKinematics, name: string): Float64Array[] {
  const capsule = model.collision!.capsules.find((each) => each.name === name)!;
  const link = model.joints.findIndex((joint) => joint.name === capsule.link);
  return Array.from({ length: 21 }, (_, k) => {
    const at = capsule.fromM.map((from, i) => from + (k / 20) * (capsule.toM[i]! - from));
    const point = new Float64Array(3);
    if (link < 0) point.set(at);
    else kinematics.pointOf(point, link, at as [number, number, number]);
    return point;
  });
}

/** How near the capsules of a monitored pair come to each other, looked at point by point, m; never less than it is. */
function nearestPairM(model: RobotModel, kinematics: ArmKinematics): number {
  const { capsules, pairs } = model.collision!;
  const spines = new Map(capsules.map(({ name }) => [name, spine(model, kinematics, name)]));
  const radius = new Map(capsules.map(({ name, radiusM }) => [name, radiusM]));
  let nearest = Number.POSITIVE_INFINITY;
  for (const [a, b] of pairs) {
    for (const p of spines.get(a)!) {
      for (const q of spines.get(b)!) {
        const apart = Math.hypot(p[0]! - q[0]!, p[1]! - q[1]!, p[2]! - q[2]!);
        nearest = Math.min(nearest, apart - radius.get(a)! - radius.get(b)!);
      }
    }
  }
  return nearest;
}

/** What the chain may do at most to keep clear: steer, or brake where nothing else is left. */
const STEERED = BARRIER_STEERED | SHIELD_SCALED;
const BRAKED = BARRIER_BRAKE | SHIELD_BRAKE;

/** Asks for joints `goalRad` again and again until a tick since now reports one of `bits`, and a quarter of a second longer. */
async function pursue(goalRad: readonly number[], bits: number, what: string): Promise<void> {
  const from = guard.ticks.length;
  // Comes again and again: how it gets there, and so what is left to do, depends on when commands come.
  const goalAt = (step: number): readonly number[] => (step % 125 < 100 ? goalRad : arm6.homeRad);
  guard.drive((step, joint) => {
    const awayRad = goalAt(step)[joint]! - guard.link.latest.referenceRad[joint]!;
    return Math.max(-1, Math.min(1, awayRad / SCALE_RAD));
  });
  const endTick = guard.link.latest.tick + PURSUIT_TICKS;
  const isReported = (): boolean => guard.ticks.slice(from).some((tick) => (tick.bits & bits) !== 0);
  while (!isReported()) {
    if (guard.link.latest.tick > endTick) throw new Error(`${what}: not within ${PURSUIT_TICKS} ticks`);
    await guard.movesFor(10);
  }
  await guard.movesFor(25);
  guard.rest();
}

describe('a robot that is asked for too much', () => {
  faultRow(
    [38, 39, 50],
    'process',
    'comes near to itself and to its box, brakes where nothing else is left, and touches neither',
    async (promised) => {
      // Without its tank and the walls beside it, which would have slowed or stopped it before.
      const workspace = { minM: [-1, -1, arm6.workspace.minM[2]], maxM: [1, 1, 1] } as const;
      const { tank: _, points: __, ...model } = { ...arm6, leashRad: 1, workspace };
      guard = await ProcessGuard.start({ model, action: jointSpec(model, SCALE_RAD) });
      await guard.active();
      const kinematics = new ArmKinematics(arm6);
      // The forearm folded into the shoulder; the tool point below the table.
      const folded = [arm6.homeRad[0]!, -2.5, 3, -3, -3, 0];
      const low = arm6.homeRad.with(1, -0.6).with(2, 1.57);
      kinematics.forward(folded);
      expect(nearestPairM(arm6, kinematics)).toBeLessThan(0);
      await pursue(folded, BRAKED, 'braking before it hits itself');
      kinematics.forward(low);
      expect(kinematics.tcpPositionM[2]).toBeLessThan(arm6.workspace.minM[2] - 0.1);
      await pursue(low, STEERED, 'steering clear of the table');
      let nearestM = Number.POSITIVE_INFINITY;
      for (const { referenceRad } of guard.ticks.filter((_, k) => k % 5 === 0)) {
        kinematics.forward(referenceRad);
        nearestM = Math.min(nearestM, nearestPairM(arm6, kinematics));
      }
      expect(promised('clearanceM')).toBeLessThanOrEqual(arm6.collision!.clearanceM);
      expect(nearestM).toBeGreaterThanOrEqual(promised('clearanceM'));
      expect(nearestM).toBeLessThan(0.05);
      const lowestM = Math.min(...guard.ticks.map(({ tcp }) => tcp[2]!));
      expect(lowestM).toBeGreaterThanOrEqual(arm6.workspace.minM[2] - 1e-9);
      expect(lowestM).toBeLessThan(arm6.workspace.minM[2] + 0.05);
      expect(guard.link.latest.violations).toBe(promised('violations'));
    },
    120_000,
  );

  faultRow(40, 'process', 'goes through a singular pose with every joint within its speed', async (promised) => {
    const roomy = { minM: [-2, -2, -2], maxM: [2, 2, 2] } as const;
    guard = await ProcessGuard.start({ model: { ...ur5eLike, workspace: roomy }, action: cartesian });
    // The axes of the first and the last joint of the wrist are nearly one.
    const singular = ur5eLike.homeRad.map((q, i) => (i === 4 ? 0.02 : q));
    await guard.active(undefined, singular);
    guard.drive((step, dimension) => (Math.floor(step / 15) % 2 === 0 ? 1 : -1) * (dimension < 3 ? 1 : 0));
    await guard.movesFor(150);
    guard.rest();
    const fastest = guard.ticks.slice(1).map((tick, k) => {
      const before = guard.ticks[k]!;
      const dtS = Math.max(tick.atS - before.atS, 0.5 / ur5eLike.controlHz);
      return Math.max(
        ...ur5eLike.joints.map(
          ({ velocityMaxRadPerS }, i) =>
            Math.abs(tick.referenceRad[i]! - before.referenceRad[i]!) / dtS / velocityMaxRadPerS,
        ),
      );
    });
    expect(Math.max(...fastest)).toBeGreaterThan(0);
    expect(Math.max(...fastest)).toBeLessThanOrEqual(1 + 1e-6);
    expect(guard.link.latest.violations).toBe(promised('violations'));
  });

  faultRow(42, 'process', 'says that its tank is empty, and puts no more into its springs', async (promised) => {
    const tank = {
      startJ: 0.2,
      minJ: 0.1,
      maxJ: 1,
      powerMaxW: 80,
      recovery: 0,
      topUpW: 0,
      velocityFeedForward: false,
      delayTicks: 0,
    } as const;
    guard = await ProcessGuard.start({ model: { ...ur5eLike, tank }, action: jointSpec(ur5eLike, 0.05) });
    await guard.active();
    guard.drive((step) => (Math.floor(step / 4) % 2 === 0 ? 1 : -1));
    await guard.seen(({ flags }) => (flags & TANK_EMPTY) !== 0, 'the empty tank');
    expect(promised('emptyShare')).toBe(0.02);
    await guard.pass(30);
    const before = Array.from(guard.link.latest.referenceRad);
    await guard.pass(30);
    guard.rest();
    const moved = Math.max(...before.map((q, i) => Math.abs(q - guard.link.latest.referenceRad[i]!)));
    // A hundredth of what is asked for: what is left goes into it.
    expect(moved).toBeLessThan(0.005);
    expect(rowsOf(guard.ticks.at(-1)!)).toEqual([42]);
  });
});
