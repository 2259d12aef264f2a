/** Takes each stage out of the chain in turn: what it is there for must then go wrong, or the stage is decoration. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ActionSpec, RobotModel } from '../../src/model/index.ts';
import { createRobotState } from '../../src/rows/index.ts';
import { Barrier } from '../../src/safety/avoidance/barrier.ts';
import { createChainReport } from '../../src/safety/chain-report.ts';
import { Sanitizer } from '../../src/safety/command/sanitize.ts';
import { StartGuard } from '../../src/safety/command/start-guard.ts';
import { ActionMap, BROKEN_ACCEL, BROKEN_POSITION, BROKEN_WORKSPACE, SafetyChain } from '../../src/safety/index.ts';
import { JointBrakeBound } from '../../src/safety/limits/brake-bound.ts';
import { Limiter } from '../../src/safety/limits/limiter.ts';
import { Shield } from '../../src/safety/shield/shield.ts';
import { type Attack, cartesianSpec, createCommand, jointSpec, runAttack } from '../support/adversary.ts';
import { oddArm3, ur5eLike } from '../support/robot-models.ts';
import { times } from '../support/times.ts';

/** A robot whose limits lie near, so that every stage has work, and whose action map leaves that work to the stages. */
const tight: RobotModel = {
  ...oddArm3,
  leashRad: 2,
  workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] },
};
const attack: Attack = {
  model: tight,
  action: jointSpec(tight, 0.1),
  adversary: 'pushing',
  seed: 7,
  ticks: 20_000,
  ticksPerStep: 1,
  jitter: 'wild',
};
const boxed: Attack = { ...attack, model: oddArm3, action: jointSpec(oddArm3, 0.1) };

afterEach(() => {
  vi.restoreAllMocks();
});

/** The action map without its own care for joint limits: targets far beyond them. */
function carelessMap(): void {
  vi.spyOn(ActionMap.prototype, 'follow').mockImplementation(function (this: ActionMap, out, referenceRad) {
    for (let i = 0; i < out.length; i++) out[i] = 40 * Math.sign(this.targetRad[i]! - referenceRad[i]! || 1);
  });
}

describe('with all stages', () => {
  it('no limit breaks, even behind a careless action map', () => {
    expect(runAttack(attack)).toMatchObject({ violations: 0, broken: 0 });
    expect(runAttack(boxed)).toMatchObject({ violations: 0, broken: 0 });
    carelessMap();
    expect(runAttack(attack)).toMatchObject({ violations: 0, broken: 0 });
    expect(runAttack(boxed)).toMatchObject({ violations: 0, broken: 0 });
  });
});

describe('without', () => {
  it('the limiter, joints accelerate too hard', () => {
    carelessMap();
    vi.spyOn(Limiter.prototype, 'apply').mockReturnValue(0);
    // The speed has a bound of its own (row 48).
    expect(runAttack(attack).broken & BROKEN_ACCEL).toBe(BROKEN_ACCEL);
  });

  it('shield and barrier, the tool leaves its box', () => {
    vi.spyOn(Shield.prototype, 'apply').mockReturnValue(0);
    vi.spyOn(Barrier.prototype, 'apply').mockReturnValue(0);
    expect(runAttack(boxed).broken & BROKEN_WORKSPACE).toBe(BROKEN_WORKSPACE);
  });

  it('shield and brake bound, joints pass their limits; the brake bound alone prevents that', () => {
    carelessMap();
    vi.spyOn(Shield.prototype, 'apply').mockReturnValue(0);
    expect(runAttack(attack)).toMatchObject({ violations: 0, broken: 0 });
    vi.spyOn(JointBrakeBound.prototype, 'apply').mockReturnValue(0);
    expect(runAttack(attack).broken & BROKEN_POSITION).toBe(BROKEN_POSITION);
  });

  it('the barrier, the shield has to do its work, and stops what the barrier steers by', () => {
    const shielded = vi.spyOn(Shield.prototype, 'apply');
    const interventions = (): number => shielded.mock.results.filter((result) => result.value !== 0).length;
    const slow: Attack = { ...boxed, ticks: 2000, jitter: 'none' };
    runAttack(slow);
    const before = interventions();
    shielded.mockClear();
    vi.spyOn(Barrier.prototype, 'apply').mockReturnValue(0);
    expect(runAttack(slow)).toMatchObject({ violations: 0 });
    expect(interventions()).toBeGreaterThan(2 * before);
  });

  it('the brake bound, the shield has to do its work', () => {
    carelessMap();
    const shielded = vi.spyOn(Shield.prototype, 'apply');
    const interventions = (): number => shielded.mock.results.filter((result) => result.value !== 0).length;
    const slow: Attack = { ...attack, ticks: 2000, jitter: 'none' };
    runAttack(slow);
    const before = interventions();
    shielded.mockClear();
    vi.spyOn(JointBrakeBound.prototype, 'apply').mockReturnValue(0);
    expect(runAttack(slow)).toMatchObject({ violations: 0 });
    expect(interventions()).toBeGreaterThan(before);
  });

  it('sanitize, a command whose lease is over still moves the arm', () => {
    expect(travelAfterLeaseRad()).toBe(0);
    vi.spyOn(Sanitizer.prototype, 'check').mockImplementation(function (this: Sanitizer, command) {
      this.isNew = !this.isValid;
      this.isValid = true;
      this.action.set(command!.action);
      return 0;
    });
    expect(travelAfterLeaseRad()).toBeGreaterThan(0);
  });

  it('the start guard, the arm starts with a jump', () => {
    const far = { ...ur5eLike, leashM: 1 };
    const action = cartesianSpec(0.1, 0.05);
    expect(firstSpeed(far, action)).toBe(0);
    vi.spyOn(StartGuard.prototype, 'check').mockReturnValue(0);
    expect(firstSpeed(far, action)).toBeGreaterThan(0);
  });
});

function firstSpeed(model: RobotModel, action: ActionSpec): number {
  const chain = new SafetyChain({ model, action, policyPeriodS: 0.1 });
  const state = createRobotState(model.joints.length, 0);
  state.positionRad.set(model.homeRad);
  chain.seed(model.homeRad);
  const command = createCommand(action.dimensions.length, 0.1);
  command.action.fill(0.8);
  chain.apply(command, state, times(0.01), createChainReport());
  return Math.max(...chain.referenceVelocityRadPerS.map(Math.abs));
}

/** How far the reference goes after a command that came too late, rad. */
function travelAfterLeaseRad(): number {
  const chain = new SafetyChain({ model: ur5eLike, action: cartesianSpec(0.008, 0.05), policyPeriodS: 0.1 });
  const state = createRobotState(6, 0);
  state.positionRad.set(ur5eLike.homeRad);
  chain.seed(ur5eLike.homeRad);
  const command = createCommand(4, 0.1);
  command.action.fill(1);
  let travelRad = 0;
  for (let tick = 0; tick < 20; tick++) {
    chain.apply(command, state, times(0.01, 5 + tick * 0.01), createChainReport());
    travelRad += Math.max(...chain.referenceVelocityRadPerS.map(Math.abs)) * 0.01;
  }
  return travelRad;
}
