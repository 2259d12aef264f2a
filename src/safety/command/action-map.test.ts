import { describe, expect, it } from 'vitest';
import { ADVERSARIES, cartesianSpec, jointSpec, runAttack } from '../../../tests/support/adversary.ts';
import { Bench, toolBench } from '../../../tests/support/chain-bench.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { guardedArm } from '../../../tests/support/guarded-robots.ts';
import { oddArm3, ur5eLike } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import { type ActionSpec, ArmKinematics, matrixFromQuaternion, Rng } from '../../model/index.ts';
import { TARGET_BOXED, TARGET_LEASHED } from '../bits.ts';
import { ActionMap } from './action-map.ts';

describe('a tool action', () => {
  it('moves the tool by scale × action within one policy period, untouched by any stage', () => {
    const bench = toolBench();
    const start = bench.chain.referenceTcp.slice();
    bench.issue(0.5, -1, 0.25, 0);
    bench.run(10);
    const moved = bench.chain.referenceTcp;
    expect(moved[0]! - start[0]!).toBeCloseTo(0.004, 5);
    expect(moved[1]! - start[1]!).toBeCloseTo(-0.008, 5);
    expect(moved[2]! - start[2]!).toBeCloseTo(0.002, 5);
    expect(bench.bits).toBe(0);
    expect(bench.report).toMatchObject({ changed: false, isFollowing: true, decider: 'policy', commandSeq: 1 });
  });

  it('turns the tool about the base z axis and keeps its tilt', () => {
    const bench = toolBench();
    const rotation = new Float64Array(9);
    const before = new Float64Array(9);
    matrixFromQuaternion(before, bench.chain.referenceTcp, 3);
    for (let k = 0; k < 6; k++) {
      bench.issue(0, 0, 0, 1);
      bench.run(10);
    }
    matrixFromQuaternion(rotation, bench.chain.referenceTcp, 3);
    expect(rotation[8]).toBeCloseTo(before[8]!, 6);
    const turned = Math.atan2(rotation[3]!, rotation[0]!) - Math.atan2(before[3]!, before[0]!);
    expect(turned).toBeCloseTo(0.3, 3);
    expect(bench.bits).toBe(0);
  });

  it('ends where it should without overshoot and then stands', () => {
    const bench = toolBench();
    const startX = bench.chain.referenceTcp[0]!;
    bench.issue(1, 0, 0, 0);
    let farthest = 0;
    for (let k = 0; k < 200; k++) {
      if (k > 0 && k % 10 === 0) bench.issue(0, 0, 0, 0);
      bench.tick();
      farthest = Math.max(farthest, bench.chain.referenceTcp[0]! - startX);
    }
    // A zero action keeps the pose it arrives at; a moving reference may run on by its braking distance.
    expect(farthest).toBeLessThan(0.0095);
    expect(bench.speed()).toBeLessThan(1e-4);
    const resting = bench.chain.referenceTcp.slice();
    for (let k = 0; k < 300; k++) {
      if (k % 10 === 0) bench.issue(0, 0, 0, 0);
      bench.tick();
    }
    for (let k = 0; k < 3; k++) expect(bench.chain.referenceTcp[k]).toBeCloseTo(resting[k]!, 5);
  });

  it('waits at its target without hunting when no further command comes', () => {
    const bench = toolBench();
    bench.command.leaseS = 0.5;
    const start = bench.chain.referenceTcp.slice();
    bench.issue(1, -1, 0.5, 1);
    bench.run(45);
    expect(bench.speed()).toBeLessThan(1e-6);
    expect(bench.chain.referenceTcp[0]! - start[0]!).toBeCloseTo(0.008, 6);
    expect(bench.chain.referenceTcp[1]! - start[1]!).toBeCloseTo(-0.008, 6);
    expect(bench.report.isFollowing).toBe(true);
  });

  it('follows random actions within a tenth of a millimetre where the accelerations allow it', () => {
    const bench = toolBench();
    const rng = new Rng(5);
    let worstM = 0;
    for (let step = 0; step < 100; step++) {
      if (step % 20 === 0) {
        bench.state.positionRad.set(ur5eLike.homeRad);
        bench.chain.seed(ur5eLike.homeRad);
      }
      const start = bench.chain.referenceTcp.slice();
      bench.issue(...[0, 0, 0, 0].map(() => rng.uniformIn(-0.5, 0.5)));
      bench.run(10);
      for (let k = 0; k < 3; k++) {
        worstM = Math.max(
          worstM,
          Math.abs(bench.chain.referenceTcp[k]! - start[k]! - 0.008 * bench.command.action[k]!),
        );
      }
    }
    expect(worstM).toBeLessThan(1e-4);
    expect(bench.bits).toBe(0);
  });

  it('does not overrun the leash when a slow arm is blocked', () => {
    const bench = new Bench(oddArm3, cartesianSpec(0.011, 0.05));
    const start = bench.chain.referenceTcp.slice();
    let lead = 0;
    for (let k = 0; k < 100; k++) {
      if (k % 5 === 0) bench.issue(0, 1, 1, 0);
      bench.tick();
      bench.state.positionRad.set(oddArm3.homeRad);
      lead = Math.max(lead, Math.hypot(...[0, 1, 2].map((j) => bench.chain.referenceTcp[j]! - start[j]!)));
    }
    expect(lead).toBeGreaterThan(0.9 * oddArm3.leashM);
    expect(lead).toBeLessThan(1.25 * oddArm3.leashM);
  });

  it('never leads the measured tool by more than the leash', () => {
    const bench = toolBench();
    const held = Float64Array.from(ur5eLike.homeRad);
    const start = bench.chain.referenceTcp.slice();
    for (let k = 0; k < 100; k++) {
      if (k % 10 === 0) bench.issue(1, 1, 0, 1);
      bench.tick();
      bench.state.positionRad.set(held); // the arm is blocked
    }
    const lead = Math.hypot(...[0, 1, 2].map((k) => bench.chain.referenceTcp[k]! - start[k]!));
    expect(lead).toBeLessThan(ur5eLike.leashM + 5e-4);
    expect(lead).toBeGreaterThan(0.9 * ur5eLike.leashM);
    expect(bench.bits & TARGET_LEASHED).toBe(TARGET_LEASHED);
  });

  it('stops inside the wall of the workspace, says so, and comes away again', () => {
    const bench = toolBench();
    for (let k = 0; k < 1500; k++) {
      if (k % 10 === 0) bench.issue(0, 0, 1, 0);
      bench.tick();
    }
    expect(bench.report.wallMarginM).toBeGreaterThan(0.0008);
    expect(bench.report.wallMarginM).toBeLessThan(0.003);
    expect(bench.report.marginMin).toBeLessThan(0.02);
    expect(bench.bits & TARGET_BOXED).toBe(TARGET_BOXED);
    for (let k = 0; k < 20; k++) {
      if (k % 10 === 0) bench.issue(0, 0, -1, 0);
      bench.tick();
    }
    expect(bench.report.wallMarginM).toBeGreaterThan(0.01);
  });

  it('comes back from outside the workspace as far as it is asked to, and not by itself', () => {
    const [x, y, z] = new ArmKinematics(ur5eLike).tcpPositionM;
    const box = { minM: [x! + 0.05, y! - 0.5, z! - 0.5], maxM: [x! + 0.5, y! + 0.5, z! - 0.05] } as const;
    const model = { ...ur5eLike, workspace: box };
    const pose = new ArmKinematics(model);
    const map = new ActionMap(model, cartesianSpec(0.008, 0.05), 0.1, 0.01, pose);
    const homeRad = Float64Array.from(model.homeRad);
    const input = { referenceRad: homeRad, reference: pose, measuredRad: homeRad, measured: pose };
    for (const [stick, moved] of [
      [
        [0, 0, 0, 0],
        [0, 0, 0],
      ],
      [
        [-1, 0, 1, 0],
        [0, 0, 0],
      ],
      [
        [1, 0, -1, 0],
        [0.008, 0, -0.008],
      ],
    ] as const) {
      map.command(Float64Array.from(stick), input, times(0.02, 0));
      const way = Array.from(map.targetM, (target, k) => target - pose.tcpPositionM[k]!);
      for (let k = 0; k < 3; k++) expect(way[k]).toBeCloseTo(moved[k]!, 12);
    }
  });

  faultRow(40, 'fake', 'is calm at a singular pose', () => {
    const bench = new Bench(
      { ...ur5eLike, workspace: { minM: [-2, -2, 0], maxM: [2, 2, 2] } },
      cartesianSpec(0.008, 0.05),
    );
    const straight = [0, -1.2, 0, -1.94, -1.5, 0];
    bench.state.positionRad.set(straight);
    expect(bench.chain.seed(straight)).toBe('ok');
    let fastest = 0;
    for (let k = 0; k < 300; k++) {
      if (k % 10 === 0) bench.issue(-1, 0, 1, 0);
      bench.tick();
      fastest = Math.max(fastest, bench.speed());
    }
    expect(fastest).toBeLessThan(1);
  });
});

describe('a tool action with a gripper beside it', () => {
  /** The camera mast of this arm is mounted on its rail and does not carry the tool, like a gripper's finger. */
  const { dimensions } = cartesianSpec(0.01, 0.05);
  const withMast = (scale: number): ActionSpec => ({
    kind: 'cartesian',
    dimensions: [...dimensions, { name: 'mast', scale, unit: 'rad' }],
  });
  const MAST = guardedArm.joints.findIndex(({ name }) => name === 'mast');
  /** Nothing is near, so that only the action map determines the motion. */
  const alone = (action: ActionSpec): Bench => new Bench({ ...guardedArm, points: [], collision: undefined }, action);

  it('moves that joint by scale × action, and the tool exactly as without it', () => {
    const [both, tool] = [alone(withMast(0.08)), alone(cartesianSpec(0.01, 0.05))];
    const rng = new Rng(3);
    for (let step = 0; step < 30; step++) {
      const action = [0, 0, 0, 0].map(() => rng.uniformIn(-0.4, 0.4));
      const mast = rng.uniformIn(-0.3, 0.3);
      const before = both.chain.referenceRad[MAST]!;
      both.issue(...action, mast);
      tool.issue(...action);
      both.run(5);
      tool.run(5);
      for (let i = 0; i < MAST; i++) expect(both.chain.referenceRad[i]).toBe(tool.chain.referenceRad[i]);
      expect(both.chain.referenceTcp).toEqual(tool.chain.referenceTcp);
      expect(Math.abs(both.chain.referenceRad[MAST]! - before - 0.08 * mast)).toBeLessThan(0.012);
    }
    // Later stages, which treat all joints together, act only because of the arm.
    expect(both.bits).toBe(tool.bits);
    expect(tool.chain.referenceRad[MAST]).toBe(0);
  });

  it('says how far that joint is short of its target, and stops it at its limit', () => {
    const bench = alone(withMast(0.08));
    const beyond = new Float64Array(5);
    bench.issue(0, 0, 0, 0, 1);
    bench.tick();
    bench.chain.writeShortfall(beyond);
    const gone = bench.chain.referenceRad[MAST]! / 0.08;
    expect(gone).toBeGreaterThan(0);
    expect([...beyond]).toEqual([0, 0, 0, 0, expect.closeTo(gone - 1, 9)].map((value) => value));
    for (let k = 0; k < 200; k++) {
      if (k % 5 === 0) bench.issue(0, 0, 0, 0, 1);
      bench.tick();
    }
    expect(bench.chain.referenceRad[MAST]).toBeLessThanOrEqual(1.5 - guardedArm.limitMarginRad + 1e-12);
    expect(bench.chain.referenceRad[MAST]).toBeGreaterThan(1.45);
    expect(bench.bits & TARGET_BOXED).toBe(TARGET_BOXED);
  });

  it('presses with that joint no farther ahead than the leash', () => {
    const bench = alone(withMast(0.08));
    for (let k = 0; k < 60; k++) {
      if (k % 5 === 0) bench.issue(0, 0, 0, 0, 1);
      bench.tick();
      bench.state.positionRad[MAST] = 0; // it holds something
    }
    expect(bench.bits & TARGET_LEASHED).toBe(TARGET_LEASHED);
    expect(bench.chain.referenceRad[MAST]).toBeGreaterThan(0.9 * guardedArm.leashRad);
    expect(bench.chain.referenceRad[MAST]).toBeLessThan(guardedArm.leashRad + 0.02);
  });

  it.each(ADVERSARIES)('breaks no limit of the whole arm under attack: %s', (adversary) => {
    for (const jitter of ['none', 'wild'] as const) {
      const action = withMast(0.08);
      const attack = { model: guardedArm, action, adversary, seed: 7, ticks: 3000, ticksPerStep: 5, jitter };
      const result = runAttack(attack);
      expect(result).toMatchObject({ violations: 0, broken: 0 });
      expect(result.travelRad).toBeGreaterThan(0.05);
    }
  });

  it('is refused where that joint carries the tool, or is given in another unit', () => {
    const build = (name: string, unit: 'm' | 'rad') => () =>
      alone({ kind: 'cartesian', dimensions: [...dimensions, { name, scale: 0.05, unit }] });
    expect(build('reach', 'm')).toThrow(/no cartesian action is called reach; there are x, y, z, yaw, mast/);
    expect(build('mast', 'm')).toThrow('in rad, not m');
  });
});

describe('a joint action', () => {
  it('moves each named joint by scale × action and leaves the others', () => {
    const two: ActionSpec = { kind: 'joint', dimensions: [{ name: 'bend', scale: 0.05, unit: 'rad' }] };
    const bench = new Bench(oddArm3, two);
    bench.issue(1);
    bench.run(5);
    expect([...bench.chain.referenceRad]).toEqual([0, 0, expect.closeTo(-0.25, 9)]);
    expect(bench.bits).toBe(0);
  });

  it('keeps targets within the leash and the joint limits', () => {
    const bench = new Bench(oddArm3, jointSpec(oddArm3, 0.09));
    for (let k = 0; k < 200; k++) {
      if (k % 5 === 0) bench.issue(0, 0, 1);
      bench.tick();
    }
    expect(bench.bits & TARGET_BOXED).toBe(TARGET_BOXED);
    expect(bench.chain.referenceRad[2]).toBeLessThanOrEqual(0.4 - 0.05 + 1e-12);
    // Nothing beyond the limit is requested, so there is no shortfall.
    const beyond = new Float64Array(3);
    bench.issue(0, 0, 1);
    bench.tick();
    bench.chain.writeShortfall(beyond);
    expect(Math.abs(beyond[2]!)).toBeLessThan(0.05);
    const blocked = new Bench(oddArm3, jointSpec(oddArm3, 0.09));
    for (let k = 0; k < 40; k++) {
      if (k % 5 === 0) blocked.issue(0, 1, 0);
      blocked.tick();
      blocked.state.positionRad.set(oddArm3.homeRad);
    }
    expect(blocked.bits & TARGET_LEASHED).toBe(TARGET_LEASHED);
    expect(blocked.chain.referenceRad[1]).toBeLessThan(oddArm3.leashRad + 0.02);
  });
});

describe('what is beyond a target', () => {
  it('is counted in action units, and nothing where there is no target', () => {
    const bench = new Bench(oddArm3, jointSpec(oddArm3, 0.1));
    const beyond = new Float64Array(3).fill(9);
    bench.chain.writeShortfall(beyond);
    expect([...beyond]).toEqual([0, 0, 0]);
    bench.issue(0, 0, 1);
    bench.tick();
    bench.chain.writeShortfall(beyond);
    // The reference began 1 before its target, and has covered a part of that.
    const gone = (bench.chain.referenceRad[2]! - oddArm3.homeRad[2]!) / 0.1;
    expect(gone).toBeGreaterThan(0);
    expect([...beyond]).toEqual([0, 0, expect.closeTo(gone - 1, 9)]);
    bench.tick(null);
    bench.chain.writeShortfall(beyond);
    expect([...beyond]).toEqual([0, 0, 0]);
  });
});
