import { describe, expect, it } from 'vitest';
import { type ActionCommand, DECIDERS, SAFETY_STATES, type SafetyStateName } from '../../core/index.ts';
import {
  COMMAND_LATE,
  EMERGENCY_STOP,
  ENCODER_JUMP,
  FAULTS,
  FaultLatch,
  faultsOf,
  isAtLeast,
  STOP_ACTIONS,
  TICK_STALLED,
  worstAction,
} from '../faults.ts';
import {
  admitCommand,
  answerRequest,
  deciderOf,
  hasTorque,
  nextSafetyState,
  type RequestKind,
  type SafetyInput,
} from './safety-state.ts';

const REQUESTS: readonly RequestKind[] = [
  'none',
  'enable',
  'activate',
  'hold',
  'stop',
  'acknowledge',
  'disable',
  'resetScene',
];
const ALL_FLAGS = FAULTS.reduce((bits, fault) => bits | fault.bit, 0);

/** Every input there is: all flag sets × requests × deciders × connection × rest. One object, reused. */
function* everyInput(): Generator<SafetyInput> {
  const input: SafetyInput = { flags: 0, request: 'none', decider: 'hold', isConnected: true, isAtRest: true };
  for (let flags = 0; flags <= ALL_FLAGS; flags++) {
    for (const request of REQUESTS) {
      for (const decider of DECIDERS) {
        for (let k = 0; k < 4; k++) {
          input.flags = flags;
          input.request = request;
          input.decider = decider;
          input.isConnected = (k & 1) !== 0;
          input.isAtRest = (k & 2) !== 0;
          yield input;
        }
      }
    }
  }
}

const healthy: SafetyInput = { flags: 0, request: 'none', decider: 'hold', isConnected: true, isAtRest: true };
const isActive = (state: SafetyStateName): boolean => state.startsWith('active');

function walk(from: SafetyStateName, ...inputs: Partial<SafetyInput>[]): SafetyStateName {
  return inputs.reduce<SafetyStateName>((state, change) => nextSafetyState(state, { ...healthy, ...change }), from);
}

describe('the safety states, over every input', () => {
  it('holds every rule in every state', () => {
    const broken = new Set<string>();
    const rule = (isKept: boolean, name: string): void => {
      if (!isKept) broken.add(name);
    };
    for (const input of everyInput()) {
      const action = worstAction(input.flags);
      for (const state of SAFETY_STATES) {
        const next = nextSafetyState(state, input);
        const wasActive = isActive(state);
        rule(SAFETY_STATES.includes(next), 'the result is a state');
        rule(
          !isActive(next) || wasActive || (state === 'ready' && input.request === 'activate'),
          'motion by activate only',
        );
        rule(!isActive(next) || !isAtLeast(action, 'cat2'), 'no motion with a stopping fault');
        rule(!isActive(next) || input.isConnected, 'no motion without a robot');
        if (state === 'fault') {
          rule(
            next === 'fault' || (next === 'standby' && input.request === 'acknowledge'),
            'fault leads to standby only',
          );
          rule(next === 'fault' || !isAtLeast(action, 'cat2'), 'a fault that is present stays');
        }
        if (state === 'stopped') rule(next !== 'ready' || input.request === 'acknowledge', 'stopped needs acknowledge');
        if (state === 'standby') rule(!hasTorque(next) || input.request === 'enable', 'torque by enable only');
        if (wasActive) {
          rule(input.request !== 'stop' || !isActive(next), 'stop stops');
          rule(input.request !== 'hold' || !isActive(next), 'hold holds');
          rule(action !== 'cat0' || next === 'fault', 'category 0 acts at once');
        }
        if (state === 'active.human' && input.decider !== 'human' && input.request !== 'activate') {
          rule(!isActive(next), 'a person who lets go leaves a standing arm');
        }
        if (state === 'stopping' && input.isAtRest) rule(next !== 'stopping', 'stopping ends at rest');
      }
    }
    expect([...broken]).toEqual([]);
  });

  it('reaches motion from a fault only through acknowledge, enable and activate in this order', () => {
    // Breadth first over (state, how many of the three were asked for in order).
    const wanted: readonly RequestKind[] = ['acknowledge', 'enable', 'activate'];
    const seen = new Set<string>(['fault 0']);
    const queue: [SafetyStateName, number][] = [['fault', 0]];
    const activeAfter = new Set<number>();
    // The flags matter only through their sternest action; one flag of each action and none cover all.
    const flagSets = [0, ...STOP_ACTIONS.map((action) => FAULTS.find((f) => f.action === action)?.bit ?? 0)];
    for (let head = 0; head < queue.length; head++) {
      const [state, done] = queue[head]!;
      if (isActive(state)) {
        activeAfter.add(done);
        continue;
      }
      for (const flags of flagSets) {
        for (const request of REQUESTS) {
          for (const decider of DECIDERS) {
            for (let k = 0; k < 4; k++) {
              const input = { flags, request, decider, isConnected: (k & 1) !== 0, isAtRest: (k & 2) !== 0 };
              const next = nextSafetyState(state, input);
              const progress = request === wanted[done] ? done + 1 : done;
              const key = `${next} ${progress}`;
              if (!seen.has(key)) {
                seen.add(key);
                queue.push([next, progress]);
              }
            }
          }
        }
      }
    }
    expect([...activeAfter]).toEqual([3]);
  });
});

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

  it('answers wishes, and gives the reason when it cannot grant one', () => {
    expect(answerRequest('standby', { ...healthy, request: 'enable' })).toEqual({ ok: true });
    expect(answerRequest('ready', healthy)).toEqual({ ok: true });
    expect(answerRequest('standby', { ...healthy, request: 'activate' })).toEqual({
      ok: false,
      reason: 'activate is not possible in the state standby',
    });
    const stalled = answerRequest('stopped', { ...healthy, request: 'acknowledge', flags: TICK_STALLED });
    expect(stalled).toMatchObject({ ok: false, reason: expect.stringContaining('three control periods') });
  });
});

describe('who may move the arm', () => {
  const command: ActionCommand = {
    seq: 1,
    decider: 'policy',
    issuedAtS: 5,
    leaseS: 0.1,
    policyVersion: 0,
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
      expect(fault.sentence).toMatch(/\.$/);
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
