import { describe, expect, it } from 'vitest';
import { IDENTIFY_ANEW } from '../model/index.ts';
import { TORQUE_RESIDUAL, TRACKING_ERROR } from './fault-table/flags.ts';
import {
  FAULTS,
  type Fault,
  faultsOf,
  isAtLeast,
  mayGoOnInSimulation,
  messageOf,
  withRow,
  worstAction,
} from './faults.ts';

const joints = [
  { name: 'lift', kind: 'prismatic' },
  { name: 'wrist', kind: 'revolute' },
] as const;

function fault(flag: number): Fault {
  return faultsOf(flag)[0]!;
}

describe('what a fault says to people', () => {
  it('names joint and amount of a torque that is off, in N of a joint that slides', () => {
    const reported = fault(TORQUE_RESIDUAL);
    const start = reported.message.slice(0, -1);
    expect(messageOf(reported, { residualJoint: 1, residualNm: -8.26 }, joints)).toBe(`${start} (wrist: -8.3 N·m).`);
    expect(messageOf(reported, { residualJoint: 0, residualNm: 60 }, joints)).toBe(`${start} (lift: 60.0 N).`);
    expect(messageOf(reported, { residualJoint: 1, residualNm: Number.NaN }, joints)).toBe(
      `${start} (wrist: no torque is measured).`,
    );
  });

  it('names no joint where none is known, and none of a fault that is not about torques', () => {
    const reported = fault(TORQUE_RESIDUAL);
    expect(messageOf(reported, { residualJoint: -1, residualNm: 0 }, joints)).toBe(reported.message);
    const other = fault(TRACKING_ERROR);
    expect(messageOf(other, { residualJoint: 1, residualNm: 9 }, joints)).toBe(other.message);
  });

  it('asks for the observer to be taken out before servos are identified anew: it would stop that', () => {
    const remedies = FAULTS.map(({ remedy }) => remedy).filter((remedy) => remedy.includes('safety identify'));
    expect(remedies).toEqual([expect.stringContaining(IDENTIFY_ANEW)]);
  });

  it('ends with its row', () => {
    expect(withRow('The robot does not answer.', 10)).toBe('The robot does not answer (fault 10).');
  });
});

describe('the action that faults ask for', () => {
  it('is the sternest of theirs, and lets a simulated robot go on below category 1 only', () => {
    expect(mayGoOnInSimulation(0)).toBe(true);
    for (const { bit, action } of FAULTS) {
      expect(worstAction(bit)).toBe(action);
      expect(mayGoOnInSimulation(bit)).toBe(action !== 'cat1' && action !== 'cat0');
      for (const other of FAULTS) {
        const both = worstAction(bit | other.bit);
        expect([action, other.action]).toContain(both);
        expect(isAtLeast(both, action)).toBe(true);
      }
    }
  });
});
