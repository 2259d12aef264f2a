import { describe, expect, it } from 'vitest';
import { createCommand, jointSpec } from '../../tests/support/adversary.ts';
import { diffBase, oddArm3 } from '../../tests/support/robot-models.ts';
import { times } from '../../tests/support/times.ts';
import type { RobotModel, TankModel } from '../model/index.ts';
import { type ActionCommand, createRobotState } from '../rows/index.ts';
import { NOT_SEEDED, TANK_HELD, TANK_SLOWED } from './bits.ts';
import { SafetyChain } from './chain.ts';
import { createChainReport } from './chain-report.ts';
import type { ChainTrial } from './chain-trial.ts';

const DT_S = 0.01;
const tank: TankModel = {
  startJ: 2,
  minJ: 0.1,
  maxJ: 4,
  powerMaxW: 80,
  recovery: 0,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
};
const model: RobotModel = {
  ...oddArm3,
  controlHz: 100,
  joints: oddArm3.joints.map((joint) => ({ ...joint, stiffnessNmPerRad: 100, dampingNmSPerRad: 2, torqueMaxNm: 30 })),
  tank,
};
const empty: RobotModel = { ...model, tank: { ...tank, startJ: tank.minJ } };
/** The first joint, 0.1 rad beyond its limit. */
const outside = [oddArm3.joints[0]!.positionMaxRad + 0.1, 0, -0.3];
const home = oddArm3.homeRad;

/** A chain and a robot that stays where the test puts it. */
class Stand {
  readonly chain: SafetyChain;
  readonly report = createChainReport();
  readonly state = createRobotState(3, 0);
  readonly command: ActionCommand = createCommand(3, 1);
  nowS = 1;

  constructor(of: RobotModel, trial?: ChainTrial) {
    const rooms: RobotModel = { ...of, workspace: { minM: [-9, -9, -9], maxM: [9, 9, 9] } };
    const action = jointSpec(of, 0.1);
    this.chain = new SafetyChain({ model: rooms, action, policyPeriodS: 0.1, ...(trial && { trial }) });
  }

  at(jointsRad: readonly number[], torque: 'off' | 'on' = 'off'): this {
    this.state.positionRad.set(jointsRad);
    this.chain.seed(jointsRad, torque);
    return this;
  }

  /** A tick with a new command, or without one. Returns the bits. */
  tick(action: readonly number[] | null, decider: 'policy' | 'human' = 'human'): number {
    const { command, state } = this;
    this.nowS += DT_S;
    state.measuredAtS = this.nowS;
    command.seq++;
    command.decider = decider;
    command.issuedAtS = this.nowS;
    if (action !== null) command.action.set(action);
    this.chain.apply(action === null ? null : command, state, times(DT_S, this.nowS), this.report);
    return this.report.bits;
  }
}

describe('what is sent', () => {
  it('is the reference at once where the robot is put without torque', () => {
    const stand = new Stand(model).at(home);
    stand.at([0.1, 0, -0.3]);
    expect([...stand.chain.sentRad]).toEqual([0.1, 0, -0.3]);
    expect(stand.tick(null) & TANK_HELD).toBe(0);
  });

  it('stays where it pulls where the robot has torque, and the reference comes back to it before anybody is followed', () => {
    const stand = new Stand(model).at(home).at([0.1, 0, -0.3], 'on');
    expect([...stand.chain.sentRad]).toEqual([...home]);
    let apartRad = 0.1;
    let ticks = 0;
    while ((stand.tick([1, 0, 0]) & TANK_HELD) !== 0) {
      // The command continues, away from the sent set-point.
      if (apartRad > 0.01) expect(stand.chain.referenceVelocityRadPerS[0]).toBeLessThan(0);
      apartRad = stand.chain.referenceRad[0]! - stand.chain.sentRad[0]!;
      expect(++ticks).toBeLessThan(500);
    }
    expect(ticks).toBeGreaterThan(5);
    for (let k = 0; k < 20; k++) stand.tick([1, 0, 0]);
    expect(stand.chain.referenceVelocityRadPerS[0]).toBeGreaterThan(0);
    expect(stand.chain.sentRad).toEqual(stand.chain.referenceRad);
  });

  it('goes to the reference by itself while nobody commands and that costs nothing', () => {
    const stand = new Stand(empty).at(home).at([0.01, 0, -0.3], 'on');
    let ticks = 0;
    while ((stand.tick(null) & TANK_HELD) !== 0) expect(++ticks).toBeLessThan(500);
    expect(stand.chain.sentRad[0]).toBeCloseTo(0.01, 9);
    expect(stand.chain.referenceRad[0]).toBe(0.01);
  });
});

describe('an empty tank', () => {
  it('lets nothing move that would cost something', () => {
    const stand = new Stand(empty).at(home);
    expect(stand.tick([0.5, 0, 0]) & TANK_SLOWED).toBe(TANK_SLOWED);
    expect([...stand.chain.referenceRad]).toEqual([...home]);
    expect(stand.report.tankEnergyJ).toBe(tank.minJ);
  });

  it('holds again what it does at the start once it is refilled', () => {
    const stand = new Stand(model).at(home);
    // The robot does not follow: its springs are loaded, and release nothing.
    for (let k = 0; k < 40; k++) stand.tick([1, 0, 0]);
    const spentJ = tank.startJ - stand.report.tankEnergyJ;
    expect(spentJ).toBeGreaterThan(0.1);
    for (let k = 0; k < 100; k++) stand.tick(null);
    expect(stand.report.tankEnergyJ).toBeLessThan(tank.startJ - 0.1);
    stand.chain.refillTank();
    stand.tick(null);
    expect(stand.report.tankEnergyJ).toBeCloseTo(tank.startJ, 9);
  });

  it('is not there for a robot without one, for a base, and for a trial without it', () => {
    const { tank: _, ...without } = empty;
    for (const stand of [new Stand(without), new Stand(empty, { without: ['tank'] })]) {
      stand.at(home);
      stand.chain.refillTank();
      expect(stand.tick([0.5, 0, 0])).toBe(0);
      expect(stand.chain.referenceVelocityRadPerS[0]).toBeGreaterThan(0);
      expect(stand.chain.sentRad).toEqual(stand.chain.referenceRad);
      expect(stand.report).toMatchObject({ tankEnergyJ: 0, tankScale: 1 });
    }
    // Its wheels have no springs: a tank could not be constructed for it.
    const options = { action: jointSpec(diffBase, 0.05), policyPeriodS: 0.1 };
    const base = new SafetyChain({ model: { ...diffBase, tank }, ...options });
    const report = createChainReport();
    base.seed([0, 0]);
    base.apply(null, createRobotState(2, 0), times(0.02), report);
    expect(report.tankEnergyJ).toBe(0);
  });
});

describe('an arm outside its limits', () => {
  it('is brought back by a person, slowly, and by nobody else', () => {
    const stand = new Stand(model);
    expect(stand.chain.seed(outside)).toBe('outsideJointLimits');
    stand.state.positionRad.set(outside);
    expect(stand.tick([-1, 0, 0], 'policy')).toBe(NOT_SEEDED);
    expect([...stand.chain.referenceRad]).toEqual(outside);
    expect(stand.tick([-1, 0, 0]) & NOT_SEEDED).toBe(0);
    expect(stand.report).toMatchObject({ isFollowing: true, decider: 'human' });
    for (let k = 0; k < 9; k++) stand.tick([-1, 0, 0]);
    // At most 0.1 rad/s.
    expect(stand.chain.referenceRad[0]).toBeLessThan(outside[0]!);
    expect(stand.chain.referenceRad[0]).toBeGreaterThanOrEqual(outside[0]! - 0.1 * 10 * DT_S - 1e-12);
    expect(stand.chain.sentRad).toEqual(stand.chain.referenceRad);
    const before = stand.chain.referenceRad[0];
    stand.tick(null);
    expect(stand.chain.referenceRad[0]).toBe(before);
    expect(stand.report.isFollowing).toBe(false);
  });

  it('is brought back without a tank, too', () => {
    const { tank: _, ...without } = model;
    const stand = new Stand(without).at(outside);
    for (let k = 0; k < 10; k++) stand.tick([-1, 0, 0]);
    expect(stand.chain.referenceRad[0]).toBeLessThan(outside[0]!);
  });

  it('stands while what is sent is not the reference yet', () => {
    // The robot was moved from home by hand, against its servos.
    const near = [outside[0]! - 0.11, 0, -0.3];
    const stand = new Stand(model).at(near).at(outside, 'on');
    expect(stand.tick([-1, 0, 0]) & TANK_HELD).toBe(TANK_HELD);
    let ticks = 0;
    while ((stand.tick([-1, 0, 0]) & TANK_HELD) !== 0) {
      expect([...stand.chain.referenceRad]).toEqual(outside);
      expect(++ticks).toBeLessThan(500);
    }
    expect(ticks).toBeGreaterThan(5);
    for (let k = 0; k < 10; k++) stand.tick([-1, 0, 0]);
    expect(stand.chain.referenceRad[0]).toBeLessThan(outside[0]!);
  });

  it('is brought back only as its tank can pay', () => {
    const stand = new Stand(empty).at(outside);
    for (let k = 0; k < 10; k++) expect(stand.tick([-1, 0, 0]) & TANK_SLOWED).toBe(TANK_SLOWED);
    expect([...stand.chain.referenceRad]).toEqual(outside);
  });
});
