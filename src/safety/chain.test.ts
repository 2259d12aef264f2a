import { describe, expect, it, vi } from 'vitest';
import { cartesianSpec, jointSpec } from '../../tests/support/adversary.ts';
import { Bench, toolBench } from '../../tests/support/chain-bench.ts';
import { faultRow } from '../../tests/support/fault-row.ts';
import { oddArm3, ur5eLike } from '../../tests/support/robot-models.ts';
import { times } from '../../tests/support/times.ts';
import { type ActionSpec, ArmKinematics, allFinite } from '../model/index.ts';
import type { ActionCommand } from '../rows/index.ts';
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
  TOOL_SPEED_LIMITED,
} from './bits.ts';
import { SafetyChain } from './chain.ts';
import { STAGE } from './chain-report.ts';
import { ActionMap } from './command/action-map.ts';
import { LimitMonitor } from './watch/limit-monitor.ts';

describe('when nobody may move the arm', () => {
  /** Ticks until rest, after the arm was moving and `disturb` was done. */
  function ticksToRest(
    disturb: (bench: Bench) => void,
    command: (bench: Bench) => ActionCommand | null,
  ): [Bench, number] {
    const bench = toolBench();
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

  faultRow(1, 'fake', 'brakes in the same tick as a command that is not finite', () => {
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
    const bench = toolBench();
    bench.state.positionRad[2] = Number.NaN;
    bench.issue(1, 0, 0, 0);
    expect(bench.tick()).toBe(SOLVER_REJECTED);
    expect(bench.speed()).toBe(0);
  });

  faultRow(50, 'fake', 'brakes when no motion can be computed', () => {
    const bench = toolBench();
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
    const bench = toolBench();
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
    const bench = toolBench();
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

  faultRow(16, 'fake', 'lets nothing move from outside the limits or from an unknown pose', () => {
    const bench = toolBench();
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

  faultRow(17, 'fake', 'refuses a first target far from the measured pose, and only a first one', () => {
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
  it('goes where the guard itself asks while nobody commands, within its limits, and brakes when that ends', () => {
    const bench = toolBench();
    const { chain, state, report, periodS } = bench;
    const n = state.positionRad.length;
    const probe = new Float64Array(n);
    probe[1] = -0.05;
    const tick = (probeRadPerS: Float64Array | null, command: ActionCommand | null = null): number => {
      const before = chain.referenceVelocityRadPerS[1]!;
      chain.apply(command, state, times(periodS, bench.nowS), report, probeRadPerS);
      state.positionRad.set(chain.referenceRad);
      bench.nowS += periodS;
      const change = Math.abs(chain.referenceVelocityRadPerS[1]! - before);
      expect(change).toBeLessThanOrEqual(ur5eLike.joints[1]!.accelMaxRadPerS2 * periodS + 1e-9);
      return chain.referenceVelocityRadPerS[1]!;
    };
    let speed = 0;
    for (let k = 0; k < 50; k++) speed = tick(probe);
    expect(speed).toBeCloseTo(-0.05, 9);
    for (let k = 0; k < 50; k++) speed = tick(null);
    expect(Math.abs(speed)).toBe(0);
    // A command takes precedence: this one turns the tool upright again, against the probe.
    bench.issue(0, 0, 0, 0);
    for (let k = 0; k < 5; k++) expect(tick(probe, bench.command)).toBeGreaterThan(0);
  });

  it('halves the acceleration when another decider takes over', () => {
    const bench = toolBench();
    bench.issue(0, 0, 0, 0);
    bench.run(10);
    bench.command.decider = 'human';
    bench.issue(1, -1, 1, 1);
    // The plan already respects the limit: nothing is clipped, so that the hand-over does not look like a policy that requests too much.
    expect(bench.tick() & ACCEL_LIMITED).toBe(0);
    expect(bench.report.decider).toBe('human');
    const shares = ur5eLike.joints.map(({ accelMaxRadPerS2 }, i) => {
      return (Math.abs(bench.chain.referenceVelocityRadPerS[i]!) * ur5eLike.controlHz) / accelMaxRadPerS2;
    });
    expect(Math.max(...shares)).toBeCloseTo(0.5, 9);
  });

  it('takes a period that is no number for the nominal one', () => {
    const bench = toolBench();
    bench.issue(1, 0, 0, 0);
    bench.chain.apply(bench.command, bench.state, times(Number.NaN, bench.nowS), bench.report);
    const other = toolBench();
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

describe('the speed of points', () => {
  it('is limited anew from the next tick on, and the reference brakes to a limit that fell', () => {
    const model = { ...ur5eLike, workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] }, leashRad: 1 } as const;
    const bench = new Bench(model, jointSpec(model, 0.1), 0);
    const tipMPerS = (): number => (1 - bench.report.stages[STAGE.toolSpeed]!.margin) * bench.chain.toolSpeedMPerS;
    const push = (ticks: number): void => {
      for (let k = 0; k < ticks; k++) {
        if (k % 5 === 0) bench.issue(1, 0, 0, 0, 0, 0);
        bench.tick();
      }
    };
    expect(bench.chain.toolSpeedMPerS).toBe(Number.POSITIVE_INFINITY);
    bench.chain.toolSpeedMPerS = 0.4;
    push(60);
    expect(bench.bits & TOOL_SPEED_LIMITED).toBe(TOOL_SPEED_LIMITED);
    expect(tipMPerS()).toBeGreaterThan(0.36);
    expect(tipMPerS()).toBeLessThanOrEqual(0.4 + 1e-9);
    bench.chain.toolSpeedMPerS = 0.1;
    push(20);
    expect(tipMPerS()).toBeLessThanOrEqual(0.1 + 1e-9);
    expect(tipMPerS()).toBeGreaterThan(0.08);
  });

  it('is limited where a person brings the arm back from outside its limits', () => {
    const model = { ...oddArm3, toolSpeedMaxMPerS: 0.01 };
    const bench = new Bench(model, jointSpec(model, 0.1));
    const outside = [model.joints[0]!.positionMaxRad + 0.1, 0, -0.3];
    bench.state.positionRad.set(outside);
    expect(bench.chain.seed(outside)).toBe('outsideJointLimits');
    bench.command.decider = 'human';
    bench.issue(-1, 0, 0);
    const monitor = new LimitMonitor(model);
    monitor.restart(outside);
    for (let k = 0; k < 5; k++) {
      expect(bench.tick() & TOOL_SPEED_LIMITED).toBe(TOOL_SPEED_LIMITED);
      expect(monitor.checkRecovery(bench.chain.referenceRad, bench.periodS)).toBe(0);
    }
    expect(bench.chain.referenceRad[0]).toBeLessThan(outside[0]!);
  });

  it('is not limited in a trial without that stage', () => {
    const model = { ...oddArm3, toolSpeedMaxMPerS: 0.01 };
    const trial = { without: ['toolSpeed'] as const };
    const chain = new SafetyChain({ model, action: jointSpec(model, 0.1), policyPeriodS: 0.1, trial });
    expect(chain.toolSpeedMPerS).toBe(Number.POSITIVE_INFINITY);
    chain.toolSpeedMPerS = 0.1;
    expect(chain.toolSpeedMPerS).toBe(Number.POSITIVE_INFINITY);
  });
});
