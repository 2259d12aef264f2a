import { describe, expect, it } from 'vitest';
import { createCommand, jointSpec } from '../../tests/support/adversary.ts';
import { fencedBases } from '../../tests/support/guarded-robots.ts';
import { carBase, diffBase } from '../../tests/support/robot-models.ts';
import { times } from '../../tests/support/times.ts';
import { createRobotState } from '../rows/index.ts';
import { SafetyChain } from './chain.ts';
import { createChainReport } from './chain-report.ts';

const DT_S = 1 / diffBase.controlHz;
/** Ticks of one policy step. */
const STEP = 5;

/** Drives `diffBase` by the commands of `actionAt` (a step's number), with odometry that measures the share `slip` of the motion. */
function drive(steps: number, actionAt: (step: number) => readonly [number, number] | null, slip = 1) {
  const chain = new SafetyChain({ model: diffBase, action: jointSpec(diffBase, 0.05), policyPeriodS: STEP * DT_S });
  const state = createRobotState(2, 0);
  const report = createChainReport();
  const command = createCommand(2, 2 * STEP * DT_S);
  const speeds: [number, number][] = [];
  chain.seed(state.positionRad);
  for (let tick = 0; tick < steps * STEP; tick++) {
    const action = actionAt(Math.floor(tick / STEP));
    if (action !== null && tick % STEP === 0) {
      command.action.set(action);
      command.seq++;
      command.issuedAtS = tick * DT_S;
    }
    chain.apply(action === null ? null : command, state, times(DT_S, tick * DT_S), report);
    for (let i = 0; i < 2; i++) state.positionRad[i] = slip * chain.referenceRad[i]!;
    speeds.push([chain.referenceVelocityRadPerS[0]!, chain.referenceVelocityRadPerS[1]!]);
  }
  return { chain, report, speeds };
}

describe('the chain of a mobile base', () => {
  it('drives at the speed that the action asks for: its way divided by the period', () => {
    const { speeds, chain } = drive(20, () => [0.8, -0.4]);
    expect(speeds.at(-1)![0]).toBeCloseTo(0.4, 6);
    expect(speeds.at(-1)![1]).toBeCloseTo(-0.2, 6);
    expect(chain.referenceRad[0]).toBeGreaterThan(0.7);
  });

  it('gains speed at no more than its acceleration', () => {
    const { speeds } = drive(20, () => [1, 0]);
    for (const [k, [speed]] of speeds.entries()) expect(speed).toBeLessThanOrEqual((k + 1) * DT_S * 1 + 1e-9);
  });

  it('is not held back by odometry that has drifted: no leash, no start guard', () => {
    const { speeds, report } = drive(200, () => [1, 1], 0.2);
    expect(report.bits).toBe(0);
    expect(speeds.at(-1)![0]).toBeCloseTo(0.5, 6);
  });

  it('brakes along its curve when commands end', () => {
    const { speeds } = drive(30, (step) => (step < 20 ? [1, 1] : null));
    const curve = speeds.slice(20 * STEP).filter(([speed]) => speed > 1e-9);
    expect(curve.length).toBeGreaterThan(10);
    for (const [speed, turn] of curve) expect(turn / speed).toBeCloseTo(1, 9);
    expect(speeds.at(-1)).toEqual([0, 0]);
  });

  it('keeps steering inside its stops, and has no tool for cartesian actions', () => {
    const action = jointSpec(carBase, 0.09);
    const chain = new SafetyChain({ model: carBase, action, policyPeriodS: 0.1 });
    const state = createRobotState(2, 0);
    const report = createChainReport();
    const command = createCommand(2, 0.2);
    chain.seed(state.positionRad);
    for (let tick = 0; tick < 100; tick++) {
      command.action.set([1, 1]);
      command.seq++;
      command.issuedAtS = tick * DT_S;
      chain.apply(command, state, times(DT_S, tick * DT_S), report);
      state.positionRad.set(chain.referenceRad);
    }
    expect(chain.referenceRad[1]).toBeGreaterThan(0.394);
    expect(chain.referenceRad[1]).toBeLessThanOrEqual(0.395);
    const tool = { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.1, unit: 'm' }] } as const;
    expect(() => new SafetyChain({ model: carBase, action: tool, policyPeriodS: 0.1 })).toThrow('no tool');
    const wrongUnit = { kind: 'joint', dimensions: [{ name: 'x', scale: 0.1, unit: 'rad' }] } as const;
    expect(() => new SafetyChain({ model: carBase, action: wrongUnit, policyPeriodS: 0.1 })).toThrow('in m, not rad');
  });

  it.each(fencedBases)('$name drives as far towards its fence again after it was put back', (base) => {
    const dtS = 1 / base.controlHz;
    const chain = new SafetyChain({ model: base, action: jointSpec(base, 0.05), policyPeriodS: STEP * dtS });
    const state = createRobotState(base.joints.length, 0);
    const report = createChainReport();
    const command = createCommand(base.joints.length, 2 * STEP * dtS);
    /** Drives ahead until the fence ends it; returns the distance, rad or m of the first axis. */
    const wayAhead = (): number => {
      const from = chain.referenceRad[0]!;
      for (let tick = 0; tick < 60 * base.controlHz; tick++) {
        command.action.fill(0);
        command.action[0] = 1;
        command.seq++;
        command.issuedAtS = tick * dtS;
        chain.apply(command, state, times(dtS, tick * dtS), report);
        state.positionRad.set(chain.referenceRad);
      }
      expect(chain.referenceVelocityRadPerS[0]).toBe(0);
      return chain.referenceRad[0]! - from;
    };
    chain.seed(state.positionRad);
    const way = wayAhead();
    expect(way).toBeGreaterThan(0);
    expect(wayAhead()).toBeCloseTo(0, 3);
    chain.putBack();
    chain.seed(state.positionRad);
    expect(wayAhead()).toBeCloseTo(way, 3);
  });
});
