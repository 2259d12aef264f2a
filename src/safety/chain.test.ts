import { describe, expect, it, vi } from 'vitest';
import { cartesianSpec, createCommand, jointSpec } from '../../tests/support/adversary.ts';
import { oddArm3, ur5eLike } from '../../tests/support/robot-models.ts';
import {
  type ActionCommand,
  type ActionSpec,
  ArmKinematics,
  allFinite,
  createRobotState,
  matrixFromQuaternion,
  Rng,
  type RobotModel,
  type RobotState,
} from '../core/index.ts';
import { ActionMap } from './action-map.ts';
import {
  ACCEL_LIMITED,
  COMMAND_NOT_FINITE,
  COMMAND_STALE,
  NOT_SEEDED,
  namesOfBits,
  SAFETY_BITS,
  SOLVER_REJECTED,
  START_REFUSED,
  STOP_LATCHED,
  TARGET_BOXED,
  TARGET_LEASHED,
} from './bits.ts';
import { type ChainReport, createChainReport, SafetyChain } from './chain.ts';

/** A chain, a robot that follows it exactly unless told otherwise, and a clock. */
class Bench {
  readonly chain: SafetyChain;
  readonly state: RobotState;
  readonly report: ChainReport = createChainReport();
  readonly command: ActionCommand;
  readonly periodS: number;
  nowS = 100;
  bits = 0;

  constructor(model: RobotModel, action: ActionSpec, handoverS?: number) {
    this.periodS = 1 / model.controlHz;
    this.chain = new SafetyChain({
      model,
      action,
      policyPeriodS: 0.1,
      ...(handoverS === undefined ? {} : { handoverS }),
    });
    this.state = createRobotState(model.joints.length, 0);
    this.command = createCommand(action.dimensions.length, 0.15);
    this.state.positionRad.set(model.homeRad);
    expect(this.chain.seed(this.state.positionRad)).toBe('ok');
  }

  issue(...action: number[]): void {
    this.command.action.set(action);
    this.command.seq++;
    this.command.issuedAtS = this.nowS;
  }

  tick(command: ActionCommand | null = this.command): number {
    this.chain.apply(command, this.state, this.nowS, this.periodS, this.report);
    this.state.positionRad.set(this.chain.referenceRad);
    this.nowS += this.periodS;
    this.bits |= this.report.bits;
    return this.report.bits;
  }

  run(ticks: number): void {
    for (let k = 0; k < ticks; k++) this.tick();
  }

  speed(): number {
    return Math.max(...this.chain.referenceVelocityRadPerS.map(Math.abs));
  }
}

const tool = (): Bench => new Bench(ur5eLike, cartesianSpec(0.008, 0.05));

describe('a tool action', () => {
  it('moves the tool by scale × action within one policy period, untouched by any stage', () => {
    const bench = tool();
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
    const bench = tool();
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
    const bench = tool();
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
    const bench = tool();
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
    const bench = tool();
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
    const bench = tool();
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
    const bench = tool();
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

  it('is calm at a singular pose', () => {
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

describe('when nobody may move the arm', () => {
  /** Ticks until rest, after the arm was moving and `disturb` was done. */
  function ticksToRest(
    disturb: (bench: Bench) => void,
    command: (bench: Bench) => ActionCommand | null,
  ): [Bench, number] {
    const bench = tool();
    for (let k = 0; k < 35; k++) {
      if (k % 10 === 0) bench.issue(1, -1, 1, 1);
      bench.tick();
    }
    expect(bench.speed()).toBeGreaterThan(0.05);
    disturb(bench);
    let ticks = 0;
    let last = bench.speed();
    while (bench.speed() > 0 && ticks < 1000) {
      bench.tick(command(bench));
      expect(bench.speed()).toBeLessThan(last);
      last = bench.speed();
      ticks++;
    }
    return [bench, ticks];
  }

  // v/A of the slowest joint, in ticks, and one for the last.
  const bound = Math.ceil((100 * Math.PI) / 10) + 1;

  it('brakes to rest within v/A and stands, without a command', () => {
    const [bench, ticks] = ticksToRest(
      () => {},
      () => null,
    );
    expect(ticks).toBeLessThanOrEqual(bound);
    const stood = bench.chain.referenceRad.slice();
    for (let k = 0; k < 100; k++) bench.tick(null);
    expect(bench.chain.referenceRad).toEqual(stood);
    expect(bench.report).toMatchObject({ isFollowing: false, decider: 'hold', commandSeq: -1, changed: false });
  });

  it('brakes in the same tick as a command that is not finite', () => {
    const [bench] = ticksToRest(
      (b) => b.issue(Number.NaN, 0, 0, 0),
      (b) => b.command,
    );
    expect(bench.bits & COMMAND_NOT_FINITE).toBe(COMMAND_NOT_FINITE);
  });

  it('brakes when the lease is over, and does not go back to that command', () => {
    const [bench] = ticksToRest(
      (b) => {
        b.nowS += 0.2;
      },
      (b) => b.command,
    );
    expect(bench.bits & COMMAND_STALE).toBe(COMMAND_STALE);
    const stood = bench.chain.referenceRad.slice();
    bench.command.issuedAtS = bench.nowS;
    bench.run(5);
    expect(bench.chain.referenceRad).toEqual(stood);
    bench.issue(1, 0, 0, 0);
    bench.run(5);
    expect(bench.chain.referenceRad).not.toEqual(stood);
  });

  it('brakes while the measured joints are not finite at a new command', () => {
    const bench = tool();
    bench.state.positionRad[2] = Number.NaN;
    bench.issue(1, 0, 0, 0);
    expect(bench.tick()).toBe(SOLVER_REJECTED);
    expect(bench.speed()).toBe(0);
  });

  it('brakes when no motion can be computed', () => {
    const bench = tool();
    bench.issue(1, 0, 0, 0);
    bench.run(3);
    const before = bench.speed();
    vi.spyOn(ActionMap.prototype, 'follow').mockImplementationOnce((out) => {
      out.fill(Number.NaN);
    });
    expect(bench.tick()).toBe(SOLVER_REJECTED);
    expect(bench.speed()).toBeLessThan(before);
    expect(allFinite(bench.chain.referenceRad)).toBe(true);
    vi.restoreAllMocks();
  });

  it('stays stopped after three broken commands within a second, until it is seeded', () => {
    const bench = tool();
    for (let k = 0; k < 3; k++) {
      bench.issue(0, Number.NaN, 0, 0);
      bench.tick();
    }
    expect(bench.report.isStopLatched).toBe(true);
    bench.issue(1, 0, 0, 0);
    expect(bench.tick()).toBe(STOP_LATCHED);
    expect(bench.speed()).toBe(0);
    bench.chain.seed(bench.state.positionRad);
    bench.issue(1, 0, 0, 0);
    expect(bench.tick()).toBe(0);
    expect(bench.speed()).toBeGreaterThan(0);
  });
});

describe('seeding', () => {
  it('takes the measurement as it is, at rest', () => {
    const bench = tool();
    bench.issue(1, 1, 1, 0);
    bench.run(5);
    const measured = Float64Array.from(ur5eLike.homeRad, (q) => q + 0.01);
    expect(bench.chain.seed(measured)).toBe('ok');
    expect([...bench.chain.referenceRad]).toEqual([...measured]);
    expect(bench.speed()).toBe(0);
    const arm = new ArmKinematics(ur5eLike);
    arm.forward(measured);
    expect([...bench.chain.referenceTcp.subarray(0, 3)]).toEqual([...arm.tcpPositionM]);
  });

  it('lets nothing move from outside the limits or from an unknown pose', () => {
    const bench = tool();
    const bad: [number[], string][] = [
      [[Number.NaN, 0, 0, 0, 0, 0], 'notFinite'],
      [[0, 0], 'notFinite'],
      [[7, -1.4, 1.6, -1.77, -1.57, 0], 'outsideJointLimits'],
      [[0, 0, 0, 0, 0, 0], 'outsideWorkspace'],
    ];
    for (const [joints, result] of bad) {
      expect(bench.chain.seed(joints)).toBe(result);
      const before = bench.chain.referenceRad.slice();
      bench.issue(1, 1, 1, 1);
      expect(bench.tick()).toBe(NOT_SEEDED);
      expect(bench.chain.referenceRad).toEqual(before);
    }
  });

  it('refuses a first target far from the measured pose, and only a first one', () => {
    const bench = new Bench({ ...ur5eLike, leashM: 0.05 }, cartesianSpec(0.03, 0.05));
    bench.issue(1, 0, 0, 0);
    expect(bench.tick()).toBe(START_REFUSED);
    expect(bench.report.isFollowing).toBe(false);
    expect(bench.speed()).toBe(0);
    bench.issue(0.5, 0, 0, 0);
    expect(bench.tick() & START_REFUSED).toBe(0);
    bench.issue(1, 0, 0, 0);
    expect(bench.tick() & START_REFUSED).toBe(0);
    bench.chain.seed(bench.chain.referenceRad);
    bench.issue(1, 0, 0, 0);
    expect(bench.tick()).toBe(START_REFUSED);
  });

  it('refuses to start when the arm has moved away from the seed', () => {
    for (const action of [cartesianSpec(0.008, 0.05), jointSpec(ur5eLike, 0.05)]) {
      const bench = new Bench({ ...ur5eLike, leashRad: 1 }, action);
      bench.state.positionRad[5] = 0.2;
      bench.command.action.fill(0);
      bench.issue();
      expect(bench.tick()).toBe(START_REFUSED);
    }
  });
});

describe('the chain', () => {
  it('halves the acceleration when another decider takes over', () => {
    const bench = tool();
    bench.issue(0, 0, 0, 0);
    bench.run(10);
    bench.command.decider = 'human';
    bench.issue(1, -1, 1, 1);
    expect(bench.tick() & ACCEL_LIMITED).toBe(ACCEL_LIMITED);
    expect(bench.report.decider).toBe('human');
  });

  it('takes a period that is no number for the nominal one', () => {
    const bench = tool();
    bench.issue(1, 0, 0, 0);
    bench.chain.apply(bench.command, bench.state, bench.nowS, Number.NaN, bench.report);
    const other = tool();
    other.issue(1, 0, 0, 0);
    other.tick();
    expect(bench.chain.referenceRad).toEqual(other.chain.referenceRad);
  });

  it('refuses nonsense when it is built', () => {
    const build = (action: ActionSpec, policyPeriodS = 0.1, handoverS = 1): SafetyChain =>
      new SafetyChain({ model: ur5eLike, action, policyPeriodS, handoverS });
    const good = cartesianSpec(0.01, 0.1);
    const x = good.dimensions[0]!;
    expect(() => build(good, 0)).toThrow(RangeError);
    expect(() => build(good, 0.1, -1)).toThrow(RangeError);
    expect(() => build({ kind: 'cartesian', dimensions: [{ ...x, name: 'roll' }] })).toThrow(/no cartesian action/);
    expect(() => build({ kind: 'cartesian', dimensions: [{ ...x, unit: 'rad' }] })).toThrow(/is in m/);
    expect(() => build({ kind: 'cartesian', dimensions: [{ ...x, scale: 0 }] })).toThrow(/scale/);
    expect(() => build({ kind: 'cartesian', dimensions: [x, x] })).toThrow(/same coordinate/);
    expect(() => build({ kind: 'joint', dimensions: [x] })).toThrow(/no joint action/);
  });

  it('names every bit once', () => {
    expect(new Set(SAFETY_BITS.map((row) => row.bit)).size).toBe(SAFETY_BITS.length);
    expect(namesOfBits(COMMAND_STALE | TARGET_BOXED)).toEqual(['commandStale', 'targetBoxed']);
  });
});
