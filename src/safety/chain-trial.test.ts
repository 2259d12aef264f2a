import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { oddArm3 } from '../../tests/support/robot-models.ts';
import { times } from '../../tests/support/times.ts';
import type { RobotModel } from '../model/index.ts';
import { type ActionCommand, createRobotState } from '../rows/index.ts';
import { BARRIER_STEERED } from './bits.ts';
import { SafetyChain } from './chain.ts';
import { type ChainReport, createChainReport, type StageName } from './chain-report.ts';
import type { ChainTrial } from './chain-trial.ts';

const scaleRad = 0.15;

function chainWith(trial?: ChainTrial, model: RobotModel = oddArm3): SafetyChain {
  const action = jointSpec(model, scaleRad);
  const chain = new SafetyChain({ model, action, policyPeriodS: 0.1, ...(trial && { trial }) });
  expect(chain.seed(oddArm3.homeRad)).toBe('ok');
  return chain;
}

function tick(chain: SafetyChain, change: Partial<ActionCommand> = {}): ChainReport {
  const state = createRobotState(3, 0);
  state.positionRad.set(chain.referenceRad);
  const action = new Float64Array(3).fill(0.5);
  const report = createChainReport();
  const command: ActionCommand = {
    seq: 0,
    decider: 'policy',
    issuedAtS: 0,
    leaseS: 0.1,
    policyVersion: 0,
    policyRun: 0,
    action,
  };
  chain.apply({ ...command, ...change }, state, times(0.02), report);
  return report;
}

const speed = (chain: SafetyChain): number => Math.max(...chain.referenceVelocityRadPerS.map(Math.abs));
const without = (...stages: StageName[]): ChainTrial => ({ without: stages });

describe('a trial without', () => {
  it('sanitize follows a command that is too old, and still none of another length', () => {
    const old = { issuedAtS: -5 };
    const whole = chainWith();
    tick(whole, old);
    expect(speed(whole)).toBe(0);
    const chain = chainWith(without('sanitize'));
    tick(chain, old);
    expect(speed(chain)).toBeGreaterThan(0);
    const other = chainWith(without('sanitize'));
    tick(other, { action: new Float64Array(2) });
    tick(other, { seq: 1 });
    expect(speed(other)).toBeGreaterThan(0);
    other.apply(null, createRobotState(3, 0), times(0.02), createChainReport());
    expect(speed(other)).toBe(0);
  });

  it('the start guard begins with a jump', () => {
    const far = { action: new Float64Array(3).fill(1) };
    const whole = chainWith();
    tick(whole, far);
    expect(speed(whole)).toBe(0);
    const chain = chainWith(without('startGuard'));
    tick(chain, far);
    expect(speed(chain)).toBeGreaterThan(0);
  });

  it('the action map takes the velocity that it is given, and the stages behind it bound that', () => {
    const chain = chainWith({ wantedRadPerS: Float64Array.of(1e9, -1e9, 1e9) });
    tick(chain);
    expect(speed(chain)).toBeGreaterThan(0);
    expect(speed(chain)).toBeLessThanOrEqual(25 * 0.02 * (1 + 1e-9));
  });

  it('the limiter, the velocity is unbounded; brake bound, barrier and shield out, too, it passes limits', () => {
    const wantedRadPerS = Float64Array.of(9, 0, 0);
    const bound = chainWith({ wantedRadPerS, ...without('limiter', 'shield') });
    for (let i = 0; i < 30; i++) tick(bound);
    expect(bound.referenceRad[0]).toBeLessThanOrEqual(oddArm3.joints[0]!.positionMaxRad);
    const chain = chainWith({ wantedRadPerS, ...without('limiter', 'brakeBound', 'barrier', 'shield') });
    for (let i = 0; i < 30; i++) tick(chain);
    expect(speed(chain)).toBe(9);
    expect(chain.referenceRad[0]).toBeGreaterThan(oddArm3.joints[0]!.positionMaxRad);
  });

  it('the brake bound has the barrier not know of joint limits either', () => {
    // Down to the table, where the barrier acts, and against the limit of the first joint.
    const wantedRadPerS = Float64Array.of(9, 9, 0);
    const joints = oddArm3.joints.map((joint, i) => (i === 0 ? { ...joint, positionMaxRad: 0.4 } : joint));
    const model = { ...oddArm3, joints };
    const bits = { whole: 0, trial: 0 };
    const whole = chainWith({ wantedRadPerS, ...without('shield') }, model);
    const chain = chainWith({ wantedRadPerS, ...without('brakeBound', 'shield') }, model);
    for (let i = 0; i < 200; i++) {
      bits.whole |= tick(whole).bits;
      bits.trial |= tick(chain).bits;
    }
    expect(bits.trial & BARRIER_STEERED).toBe(BARRIER_STEERED);
    expect(whole.referenceRad[0]).toBeLessThanOrEqual(0.4);
    expect(chain.referenceRad[0]).toBeGreaterThan(0.4);
  });
});
