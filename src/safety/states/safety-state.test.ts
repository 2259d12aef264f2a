import { describe, expect, it } from 'vitest';
import { type ActionCommand, SAFETY_STATES, type SafetyStateName } from '../../rows/index.ts';
import { COMMAND_LATE, EMERGENCY_STOP, ENCODER_JUMP, START_OUTSIDE, TICK_STALLED } from '../fault-table/flags.ts';
import { FAULTS, FaultLatch, faultsOf, isAtLeast, worstAction } from '../faults.ts';
import {
  admitCommand,
  answerRequest,
  deciderOf,
  hasTorque,
  nextSafetyState,
  type SafetyInput,
} from './safety-state.ts';

const ALL_FLAGS = FAULTS.reduce((bits, fault) => bits | fault.bit, 0);
const healthy: SafetyInput = {
  flags: 0,
  request: 'none',
  decider: 'hold',
  isConnected: true,
  isAtRest: true,
  isLetDown: true,
};
const isActive = (state: SafetyStateName): boolean => state.startsWith('active');

function walk(from: SafetyStateName, ...inputs: Partial<SafetyInput>[]): SafetyStateName {
  return inputs.reduce<SafetyStateName>((state, change) => nextSafetyState(state, { ...healthy, ...change }), from);
}

describe('the usual ways through the states', () => {
  it('goes from the cable to motion and back', () => {
    expect(walk('disconnected', {}, { request: 'enable' })).toBe('ready');
    expect(walk('ready', { request: 'activate' })).toBe('active.policy');
    expect(walk('ready', { request: 'activate', decider: 'human' })).toBe('active.human');
    expect(walk('active.policy', { request: 'hold' })).toBe('ready');
    expect(walk('active.policy', { request: 'resetScene' })).toBe('ready');
    expect(walk('active.policy', { request: 'disable', isAtRest: false }, {}, { request: 'disable' })).toBe('standby');
    expect(walk('ready', { request: 'disable' })).toBe('standby');
    expect(walk('ready', { request: 'disable', isAtRest: false })).toBe('stopping');
    expect(walk('standby', { isConnected: false })).toBe('disconnected');
  });

  it('lets a person take over at once, and hands back by activate only', () => {
    expect(walk('active.policy', { decider: 'human' })).toBe('active.human');
    expect(walk('active.policy', { decider: 'human' }, { decider: 'policy' })).toBe('ready');
    expect(walk('active.human', { decider: 'policy', request: 'activate' })).toBe('active.policy');
    expect(walk('active.human', { decider: 'human', request: 'activate' })).toBe('active.human');
  });

  it('brakes, then cuts the torque for category 1 and holds for category 2', () => {
    const moving = { isAtRest: false };
    const cat1 = { flags: ENCODER_JUMP };
    const cat2 = { flags: TICK_STALLED };
    expect(walk('active.policy', { ...cat1, ...moving })).toBe('stopping');
    expect(walk('active.policy', { ...cat1, ...moving }, { ...cat1, ...moving }, cat1)).toBe('fault');
    expect(walk('active.policy', { ...cat2, ...moving }, cat2)).toBe('stopped');
    expect(walk('stopped', { request: 'acknowledge' })).toBe('ready');
    expect(walk('stopped', cat1)).toBe('fault');
    expect(walk('standby', cat1)).toBe('fault');
    expect(walk('ready', { flags: EMERGENCY_STOP })).toBe('fault');
    expect(walk('active.policy', { flags: COMMAND_LATE })).toBe('active.policy');
    expect(walk('active.policy', { isConnected: false })).toBe('fault');
  });

  it('keeps torque on under an arm without brakes until it is let down', () => {
    const held = { isLetDown: false };
    for (const flags of [ENCODER_JUMP, EMERGENCY_STOP]) {
      expect(walk('active.policy', { flags, isAtRest: false, ...held }, { flags, ...held })).toBe('stopping');
      expect(walk('stopping', { flags, ...held }, { flags })).toBe('fault');
      expect(walk('stopped', { flags, ...held })).toBe('stopping');
    }
    const lost = { isConnected: false, ...held };
    expect(walk('active.policy', lost, lost, lost)).toBe('stopping');
    expect(walk('stopping', { isConnected: false })).toBe('fault');
    const disabled = { request: 'disable', ...held } as const;
    expect(walk('ready', disabled, disabled)).toBe('stopping');
    expect(walk('ready', disabled, { request: 'disable' })).toBe('standby');
    expect(walk('active.policy', { request: 'stop', ...held }, held)).toBe('stopped');
  });

  it('lets only a person move an arm that stands outside its limits', () => {
    const outside = { flags: START_OUTSIDE };
    expect(walk('standby', { ...outside, request: 'enable' })).toBe('ready');
    expect(walk('ready', { ...outside, request: 'activate', decider: 'policy' })).toBe('ready');
    expect(walk('ready', { ...outside, request: 'activate', decider: 'human' })).toBe('active.human');
    expect(walk('active.human', { ...outside, decider: 'hold' })).toBe('ready');
    expect(walk('active.policy', { ...outside, decider: 'policy' })).toBe('ready');
    const refused = answerRequest('ready', { ...healthy, ...outside, request: 'activate', decider: 'policy' });
    expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining('outside') });
  });

  it('answers wishes, and gives the reason when it cannot grant one', () => {
    expect(answerRequest('standby', { ...healthy, request: 'enable' })).toEqual({ ok: true });
    expect(answerRequest('ready', healthy)).toEqual({ ok: true });
    expect(answerRequest('standby', { ...healthy, request: 'activate' })).toEqual({
      ok: false,
      reason: 'activate is not possible in the state standby',
      needs: 'state',
    });
    const stalled = answerRequest('stopped', { ...healthy, request: 'acknowledge', flags: TICK_STALLED });
    expect(stalled).toEqual({ ok: false, reason: expect.stringContaining('three control periods') });
  });
});

describe('who may move the arm', () => {
  const command: ActionCommand = {
    seq: 1,
    decider: 'policy',
    issuedAtS: 5,
    leaseS: 0.1,
    policyVersion: 0,
    policyRun: 0,
    action: new Float64Array(1),
  };
  const human: ActionCommand = { ...command, decider: 'human' };

  it('admits nothing unless active, and only the person while a person acts', () => {
    for (const state of SAFETY_STATES) {
      expect(admitCommand(state, null)).toBeNull();
      expect(admitCommand(state, command)).toBe(state === 'active.policy' ? command : null);
      expect(admitCommand(state, human)).toBe(isActive(state) ? human : null);
    }
  });

  it('takes a command whose lease is over for nobody', () => {
    expect(deciderOf(human, 5.05)).toBe('human');
    expect(deciderOf(human, 5.2)).toBe('hold');
    expect(deciderOf(human, Number.NaN)).toBe('hold');
    expect(deciderOf(null, 5)).toBe('hold');
  });

  it('has torque exactly where the arm holds or moves', () => {
    expect(SAFETY_STATES.filter(hasTorque)).toEqual(['ready', 'active.policy', 'active.human', 'stopping', 'stopped']);
  });
});

describe('the fault table', () => {
  it('gives every flag its own bit and name, and says what to do', () => {
    expect(new Set(FAULTS.map((f) => f.bit)).size).toBe(FAULTS.length);
    expect(new Set(FAULTS.map((f) => f.flag)).size).toBe(FAULTS.length);
    for (const fault of FAULTS) {
      expect(Math.log2(fault.bit) % 1).toBe(0);
      expect(fault.message).toMatch(/\.$/);
      expect(fault.remedy).toMatch(/\.$/);
      expect(worstAction(fault.bit)).toBe(fault.action);
    }
  });

  it('never lets a stopping fault clear by itself', () => {
    for (const fault of FAULTS) {
      if (isAtLeast(fault.action, 'cat2')) expect(fault.clears).toBe('acknowledged');
    }
  });

  it('keeps what must be acknowledged, and only that', () => {
    const latch = new FaultLatch();
    expect(latch.update(TICK_STALLED | COMMAND_LATE)).toBe(TICK_STALLED | COMMAND_LATE);
    expect(latch.update(0)).toBe(TICK_STALLED);
    latch.acknowledge(ENCODER_JUMP);
    expect(latch.flags).toBe(ENCODER_JUMP);
    expect(faultsOf(latch.flags).map((f) => f.flag)).toEqual(['encoderJump']);
  });

  it('asks for the sternest action of all that are set', () => {
    expect(worstAction(0)).toBe('none');
    expect(worstAction(COMMAND_LATE | TICK_STALLED)).toBe('cat2');
    expect(worstAction(TICK_STALLED | ENCODER_JUMP)).toBe('cat1');
    expect(worstAction(ALL_FLAGS)).toBe('cat0');
  });
});
