/**
 * Every state with all its inputs. Flags affect the states only through their sternest action and the permitted movers
 * (`stateUnder` does not receive them), which is enumerated for sets of flags: all of up to four, all but up to four,
 * and many between; the rest is enumerated completely.
 */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { DECIDERS, type Decider, SAFETY_STATES, type SafetyStateName } from '../../rows/index.ts';
import { STOP_ACTIONS, type StopAction } from '../fault-table/fault-row.ts';
import { FAULTS, isAtLeast, PERSON_ONLY, worstAction } from '../faults.ts';
import {
  hasTorque,
  type Movers,
  moversUnder,
  nextSafetyState,
  type RequestKind,
  stateUnder,
  type UnflaggedInput,
} from './safety-state.ts';

const REQUESTS: readonly RequestKind[] = [
  ...(['none', 'enable', 'activate', 'hold', 'stop', 'acknowledge', 'disable', 'resetScene', 'permit'] as const),
];
const MOVERS: readonly Movers[] = ['anybody', 'people'];
type Reducer = typeof stateUnder;

interface Case {
  readonly action: StopAction;
  readonly movers: Movers;
  readonly state: SafetyStateName;
  readonly input: UnflaggedInput;
}

const INPUTS: readonly UnflaggedInput[] = REQUESTS.flatMap((request) =>
  DECIDERS.flatMap((decider: Decider) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((k) => ({
      request,
      decider,
      isConnected: (k & 1) !== 0,
      isAtRest: (k & 2) !== 0,
      isLetDown: (k & 4) !== 0,
    })),
  ),
);
const CASES: readonly Case[] = STOP_ACTIONS.flatMap((action) =>
  MOVERS.flatMap((movers) =>
    SAFETY_STATES.flatMap((state) => INPUTS.map((input) => ({ action, movers, state, input }))),
  ),
);
const isActive = (state: SafetyStateName): boolean => state.startsWith('active');

/** Returns the rules violated by `reduce` in any case. */
function brokenRules(reduce: Reducer): readonly string[] {
  const broken = new Set<string>();
  for (const each of CASES) {
    const next = reduce(each.action, each.movers, each.state, each.input);
    for (const [name, isKept] of Object.entries(rules(each, next))) if (!isKept) broken.add(name);
  }
  if (activeAfter(reduce).some((steps) => steps !== 3)) broken.add('from a fault: acknowledge, enable, activate');
  if (stuck(reduce).length > 0) broken.add('every state that moves comes to rest when it must stop');
  return [...broken];
}

function rules(
  { action, movers, state, input: requested }: Case,
  next: SafetyStateName,
): Readonly<Record<string, boolean>> {
  const was = isActive(state);
  const moves = isActive(next);
  const mustStop = isAtLeast(action, 'cat2');
  return {
    'the result is a state': SAFETY_STATES.includes(next),
    'motion by activate only': !moves || was || (state === 'ready' && requested.request === 'activate'),
    'no motion with a stopping fault': !moves || !mustStop,
    'no motion without a robot': !moves || requested.isConnected,
    'no policy where only people may move': next !== 'active.policy' || movers === 'anybody',
    'a fault leads to standby only': state !== 'fault' || next === 'fault' || next === 'standby',
    'a fault is left by acknowledge only': state !== 'fault' || next === 'fault' || requested.request === 'acknowledge',
    'a fault that is present stays': state !== 'fault' || next === 'fault' || !mustStop,
    'a stop is left by acknowledge or disable':
      state !== 'stopped' || next !== 'ready' || requested.request === 'acknowledge',
    'no torque comes on without enable': hasTorque(state) || !hasTorque(next) || requested.request === 'enable',
    'stop stops': !was || requested.request !== 'stop' || !moves,
    'hold holds': !was || requested.request !== 'hold' || !moves,
    'category 0 acts at once': action !== 'cat0' || !hasTorque(next) || !requested.isLetDown,
    'torque goes off under no arm that it holds up': !hasTorque(state) || hasTorque(next) || requested.isLetDown,
    'an arm that is let down at rest has no torque where it is to have none':
      !(isAtLeast(action, 'cat1') || !requested.isConnected) ||
      !requested.isAtRest ||
      !requested.isLetDown ||
      isActive(state) ||
      state === 'ready' ||
      !hasTorque(next),
    'disable lets an arm down where it stands':
      requested.request !== 'disable' ||
      !requested.isAtRest ||
      isActive(state) ||
      mustStop ||
      hasTorque(next) !== requested.isLetDown ||
      !hasTorque(state),
    'a robot that is lost brakes until it rests, then has no torque':
      requested.isConnected ||
      !hasTorque(state) ||
      requested.isAtRest ||
      (action === 'cat0' && requested.isLetDown) ||
      next === 'stopping',
    'a robot that is lost has torque only to brake': requested.isConnected || !hasTorque(next) || next === 'stopping',
    'a robot that is lost has no torque at rest':
      requested.isConnected || !requested.isAtRest || !requested.isLetDown || !hasTorque(next),
    'a robot that is lost gets no torque': requested.isConnected || hasTorque(state) || !hasTorque(next),
    'category 1 cuts the torque at rest': action !== 'cat1' || !was || next === 'stopping' || next === 'fault',
    'category 1 leaves no torque at rest':
      action !== 'cat1' ||
      !requested.isAtRest ||
      !requested.isLetDown ||
      !['stopping', 'stopped'].includes(state) ||
      next === 'fault',
    'torque is not cut in motion but for category 0':
      !was || requested.isAtRest || hasTorque(next) || action === 'cat0',
    'braking ends in fault, stopped, or goes on':
      state !== 'stopping' || ['stopping', 'stopped', 'fault'].includes(next) || requested.request === 'disable',
    'braking goes on until it rests':
      state !== 'stopping' || requested.isAtRest || next === 'stopping' || !hasTorque(next),
    'stopping ends at rest, and where the arm is let down':
      state !== 'stopping' || !requested.isAtRest || !requested.isLetDown || next !== 'stopping',
    'an arm that need not be let down is not':
      state !== 'stopping' ||
      !requested.isAtRest ||
      !requested.isConnected ||
      isAtLeast(action, 'cat1') ||
      requested.request === 'disable' ||
      next === 'stopped',
    'who lets go leaves a standing arm':
      state !== 'active.human' || requested.decider === 'human' || requested.request === 'activate' || !moves,
    'a person takes over at once':
      state !== 'active.policy' || requested.decider !== 'human' || next !== 'active.policy',
  };
}

/**
 * Breadth-first search from `fault`: returns how many of acknowledge, enable, activate had been requested, in this
 * order, when it became active.
 */
function activeAfter(reduce: Reducer): readonly number[] {
  const wanted: readonly RequestKind[] = ['acknowledge', 'enable', 'activate'];
  const seen = new Set(['fault 0']);
  const queue: [SafetyStateName, number][] = [['fault', 0]];
  const found = new Set<number>();
  for (let head = 0; head < queue.length; head++) {
    const [state, done] = queue[head]!;
    if (isActive(state)) {
      found.add(done);
      continue;
    }
    for (const { action, movers, input: requested } of CASES.filter((each) => each.state === state)) {
      const next = reduce(action, movers, state, requested);
      const progress = requested.request === wanted[done] ? done + 1 : done;
      if (seen.has(`${next} ${progress}`)) continue;
      seen.add(`${next} ${progress}`);
      queue.push([next, progress]);
    }
  }
  return [...found];
}

/**
 * Returns the states with torque from which a lasting stop (category 2 or sterner, at rest) does not lead to standstill
 * within two steps.
 */
function stuck(reduce: Reducer): readonly Case[] {
  const stern = CASES.filter(
    ({ action, input: requested }) =>
      isAtLeast(action, 'cat2') && requested.isAtRest && requested.isLetDown && requested.request === 'none',
  );
  return stern.filter(({ action, movers, state, input: requested }) => {
    if (!hasTorque(state)) return false;
    const after = reduce(action, movers, reduce(action, movers, state, requested), requested);
    return after !== 'stopped' && after !== 'fault';
  });
}

describe('the safety states, whole', () => {
  it('keep every rule in every state, whatever is asked, decides, is connected, is at rest, or must be done', () => {
    expect(CASES).toHaveLength(STOP_ACTIONS.length * 2 * SAFETY_STATES.length * REQUESTS.length * 4 * 8);
    expect(brokenRules(stateUnder)).toEqual([]);
  });

  it('see of every set of flags only the sternest action and who may move', () => {
    const all = FAULTS.reduce((bits, { bit }) => bits | bit, 0);
    expect(all).toBe(2 ** FAULTS.length - 1);
    let wrong = 0;
    let seen = 0;
    const look = (flags: number): void => {
      let sternest = 0;
      let isPersonOnly = false;
      for (const { bit, action, mayMove } of FAULTS) {
        if ((flags & bit) === 0) continue;
        sternest = Math.max(sternest, STOP_ACTIONS.indexOf(action));
        isPersonOnly ||= mayMove === 'human';
      }
      if (worstAction(flags) !== STOP_ACTIONS[sternest]) wrong++;
      if ((moversUnder(flags) === 'people') !== isPersonOnly || isPersonOnly !== ((flags & PERSON_ONLY) !== 0)) wrong++;
      // A set of flags affects states only through these two.
      const { state, input: requested } = CASES[(seen++ * 7919) % CASES.length]!;
      const expected = stateUnder(worstAction(flags), moversUnder(flags), state, requested);
      if (nextSafetyState(state, { ...requested, flags }) !== expected) wrong++;
    };
    const bits = FAULTS.map(({ bit }) => bit);
    for (let i = 0; i < bits.length; i++)
      for (let j = i; j < bits.length; j++)
        for (let k = j; k < bits.length; k++)
          for (let l = k; l < bits.length; l++) {
            const few = bits[i]! | bits[j]! | bits[k]! | bits[l]!;
            look(few);
            look(all & ~few);
          }
    const rng = new Rng(1);
    for (let n = 0; n < 200_000; n++) look(rng.nextU32() & all);
    expect(seen).toBeGreaterThan(290_000);
    expect(wrong).toBe(0);
    expect(worstAction(0)).toBe('none');
  });
});

describe('the model check', () => {
  /** Returns the reducer with one fault. */
  const mutants: Readonly<Record<string, (reduce: Reducer) => Reducer>> = {
    'enable leads out of a fault': (reduce) => (action, movers, state, input) =>
      state === 'fault' && input.request === 'enable' ? 'ready' : reduce(action, movers, state, input),
    'a fault clears by itself': (reduce) => (action, movers, state, input) =>
      state === 'fault' && action === 'none' && input.isConnected ? 'standby' : reduce(action, movers, state, input),
    'acknowledge goes straight to ready': (reduce) => (action, movers, state, input) => {
      const next = reduce(action, movers, state, input);
      return state === 'fault' && next === 'standby' ? 'ready' : next;
    },
    'acknowledge forgives what is present': (reduce) => (action, movers, state, input) =>
      state === 'fault' && input.request === 'acknowledge' && input.isConnected && action !== 'cat0'
        ? 'standby'
        : reduce(action, movers, state, input),
    'category 1 is taken for category 2': (reduce) => (action, movers, state, input) =>
      reduce(action === 'cat1' ? 'cat2' : action, movers, state, input),
    'category 2 is only told': (reduce) => (action, movers, state, input) =>
      reduce(action === 'cat2' ? 'warn' : action, movers, state, input),
    'category 0 brakes first': (reduce) => (action, movers, state, input) =>
      reduce(action === 'cat0' ? 'cat1' : action, movers, state, input),
    'a robot that is lost goes on': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, { ...input, isConnected: true }),
    'a robot that is lost goes limp in motion': (reduce) => (action, movers, state, input) =>
      input.isConnected || !hasTorque(state) ? reduce(action, movers, state, input) : 'fault',
    'a robot that is lost keeps its torque': (reduce) => (action, movers, state, input) =>
      input.isConnected || !hasTorque(state) ? reduce(action, movers, state, input) : 'stopping',
    'the policy goes on where a person lets go': (reduce) => (action, movers, state, input) => {
      const next = reduce(action, movers, state, input);
      return state === 'active.human' && next === 'ready' && input.request === 'none' ? 'active.policy' : next;
    },
    'braking never ends': (reduce) => (action, movers, state, input) =>
      state === 'stopping' ? 'stopping' : reduce(action, movers, state, input),
    'braking ends before it rests': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, { ...input, isAtRest: true }),
    'an arm falls at category 0': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, action === 'cat0' ? { ...input, isLetDown: true } : input),
    'an arm falls where it is not heard': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, input.isConnected ? input : { ...input, isLetDown: true }),
    'an arm falls where it is disabled': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, input.request === 'disable' ? { ...input, isLetDown: true } : input),
    'an arm falls at category 1': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, action === 'cat1' ? { ...input, isLetDown: true } : input),
    'an arm is let down for ever': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, { ...input, isLetDown: false }),
    'a policy moves what stands outside': (reduce) => (action, _movers, state, input) =>
      reduce(action, 'anybody', state, input),
    'stop is not heard': (reduce) => (action, movers, state, input) =>
      reduce(action, movers, state, input.request === 'stop' ? { ...input, request: 'none' } : input),
    'torque comes on by itself': (reduce) => (action, movers, state, input) => {
      const next = reduce(action, movers, state, input);
      return state === 'disconnected' && next === 'standby' ? 'ready' : next;
    },
  };

  it.each(Object.entries(mutants))('sees that %s', (_name, mutate) => {
    expect(brokenRules(mutate(stateUnder))).not.toEqual([]);
  });
});

describe('the flags', () => {
  it('are ordered by their actions, and 0 is healthy', () => {
    expect(new Set(STOP_ACTIONS).size).toBe(STOP_ACTIONS.length);
    for (const [i, a] of STOP_ACTIONS.entries()) {
      for (const [k, b] of STOP_ACTIONS.entries()) expect(isAtLeast(a, b)).toBe(i >= k);
    }
    expect(worstAction(0)).toBe('none');
  });

  it('declare action, when they go away, and who may move: nobody where it stops', () => {
    for (const { flag, action, clears, mayMove } of FAULTS) {
      const stops = isAtLeast(action, 'cat2');
      expect(mayMove === 'nobody', flag).toBe(stops);
      if (stops) expect(clears, flag).toBe('acknowledged');
      if (mayMove === 'human') expect(action, flag).toBe('slow');
    }
  });
});
