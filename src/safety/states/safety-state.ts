/**
 * The guard's state machine as a pure function. Transitions not listed here are impossible: from `fault` the only way
 * out is `acknowledge`, to `standby`, and nothing but `activate` leads to motion.
 */
import type { ActionCommand, Decider, GuardAnswer, GuardRequest, SafetyStateName } from '../../rows/index.ts';
import type { StopAction } from '../fault-table/fault-row.ts';
import { type Fault, faultsOf, isAtLeast, PERSON_ONLY, worstAction } from '../faults.ts';

export type RequestKind = GuardRequest['kind'] | 'none';

/** Inputs of the state transition besides the present state. */
export interface SafetyInput {
  /** Fault flags including latched ones; 0 is healthy. */
  flags: number;
  request: RequestKind;
  /** Decider of the command whose lease is running. */
  decider: Decider;
  /** True if the driver answers. */
  isConnected: boolean;
  /** True if the joints are at rest, or have had the time to come to rest. */
  isAtRest: boolean;
  /** True if torque may be switched off: the robot holds itself without it, or its exit ramp is over (`ExitRamp`). */
  isLetDown: boolean;
}

/** Inputs of the state transition besides the flags. */
export type UnflaggedInput = Omit<SafetyInput, 'flags'>;

/** Deciders that may move the robot: the only effect of flags on states besides their sternest action. */
export type Movers = 'anybody' | 'people';

/** Returns the state after `input`. Total and tick-safe. */
export function nextSafetyState(state: SafetyStateName, input: SafetyInput): SafetyStateName {
  return stateUnder(worstAction(input.flags), moversUnder(input.flags), state, input);
}

/** Returns the deciders that may move the robot under these flags, if any may. Tick-safe. */
export function moversUnder(flags: number): Movers {
  return (flags & PERSON_ONLY) === 0 ? 'anybody' : 'people';
}

/**
 * Returns the state after `input` if the sternest action of all flags is `action`. The flags themselves are not read,
 * so that the whole state space can be enumerated. Total and tick-safe.
 */
export function stateUnder(
  action: StopAction,
  movers: Movers,
  state: SafetyStateName,
  input: UnflaggedInput,
): SafetyStateName {
  if (!input.isConnected && (state === 'standby' || state === 'disconnected')) return 'disconnected';
  // An arm without brakes would fall if its torque went off: it brakes, and is let down.
  if (action === 'cat0') return hasTorque(state) && !input.isLetDown ? 'stopping' : 'fault';
  if (!input.isConnected && state !== 'fault') return brakeBlind(input);
  const mustStop = isAtLeast(action, 'cat2');
  const mustCutTorque = isAtLeast(action, 'cat1');
  switch (state) {
    case 'disconnected':
      return 'standby';
    case 'standby':
      if (mustCutTorque) return 'fault';
      return input.request === 'enable' && !mustStop ? 'ready' : 'standby';
    case 'ready':
      if (mustStop || input.request === 'stop') return 'stopping';
      if (input.request === 'disable') return maySwitchOff(input) ? 'standby' : 'stopping';
      return input.request === 'activate' ? activeState(movers, input.decider) : 'ready';
    case 'active.policy':
    case 'active.human':
      return mustStop ? 'stopping' : nextActive(state, movers, input);
    case 'stopping':
      if (!input.isAtRest) return 'stopping';
      if (mustCutTorque) return input.isLetDown ? 'fault' : 'stopping';
      if (input.request === 'disable') return input.isLetDown ? 'standby' : 'stopping';
      return 'stopped';
    case 'stopped':
      if (mustCutTorque) return maySwitchOff(input) ? 'fault' : 'stopping';
      if (input.request === 'disable') return input.isLetDown ? 'standby' : 'stopping';
      return input.request === 'acknowledge' && !mustStop ? 'ready' : 'stopped';
    case 'fault':
      return input.request === 'acknowledge' && input.isConnected && !mustStop ? 'standby' : 'fault';
  }
}

/**
 * Handles a robot with torque that does not answer: it may still receive. Category 1 without measurements: the verified
 * brake path is sent to its end, then torque is switched off. Requests are ignored meanwhile.
 */
function brakeBlind(input: UnflaggedInput): SafetyStateName {
  return maySwitchOff(input) ? 'fault' : 'stopping';
}

function maySwitchOff({ isAtRest, isLetDown }: UnflaggedInput): boolean {
  return isAtRest && isLetDown;
}

function nextActive(state: 'active.policy' | 'active.human', movers: Movers, input: UnflaggedInput): SafetyStateName {
  switch (input.request) {
    case 'stop':
    case 'disable':
      return 'stopping';
    case 'hold':
    case 'resetScene':
      return 'ready';
    case 'activate':
      return activeState(movers, input.decider);
    default:
      if (input.decider === 'human') return 'active.human';
      // An operator who lets go leaves a standing arm: the policy continues only after `activate`.
      return state === 'active.human' ? 'ready' : activeState(movers, 'policy');
  }
}

/** Outside its limits only a human moves a robot. */
function activeState(movers: Movers, decider: Decider): SafetyStateName {
  if (decider === 'human') return 'active.human';
  return movers === 'people' ? 'ready' : 'active.policy';
}

/** Returns the guard's answer to `input.request` made in `state`; `report` words a fault. For display; may allocate. */
export function answerRequest(
  state: SafetyStateName,
  input: SafetyInput,
  report: (fault: Fault) => string = ({ message }) => message,
): GuardAnswer {
  const next = nextSafetyState(state, input);
  const isGranted = GRANTED[input.request]?.includes(next) ?? true;
  if (isGranted) return { ok: true };
  const faults = faultsOf(input.flags).filter(({ mayMove }) => mayMove !== 'anybody');
  if (faults.length > 0) return { ok: false, reason: faults.map(report).join(' ') };
  return { ok: false, reason: `${input.request} is not possible in the state ${state}`, needs: 'state' };
}

/** Resulting states that count as granting each request. */
const GRANTED: Readonly<Partial<Record<RequestKind, readonly SafetyStateName[]>>> = {
  enable: ['ready', 'active.policy', 'active.human'],
  permit: ['ready', 'active.policy', 'active.human'],
  activate: ['active.policy', 'active.human'],
  hold: ['ready', 'stopping', 'stopped', 'standby', 'fault', 'disconnected'],
  stop: ['stopping', 'stopped', 'standby', 'fault', 'disconnected'],
  acknowledge: ['standby', 'ready', 'active.policy', 'active.human'],
  disable: ['standby', 'stopping', 'fault', 'disconnected'],
  resetScene: ['standby', 'ready', 'stopped'],
};

/** True if the servos hold or move the arm in this state; torque is off in the others. Tick-safe. */
export function hasTorque(state: SafetyStateName): boolean {
  return state !== 'disconnected' && state !== 'standby' && state !== 'fault';
}

/** Returns the command that may reach the chain in `state`; null makes it brake and hold. Tick-safe. */
export function admitCommand(state: SafetyStateName, command: ActionCommand | null): ActionCommand | null {
  if (command === null) return null;
  if (state === 'active.policy') return command;
  return state === 'active.human' && command.decider === 'human' ? command : null;
}

/** Returns the decider of `command` at `nowS`; `hold` once its lease is over. Tick-safe. */
export function deciderOf(command: ActionCommand | null, nowS: number): Decider {
  return command !== null && nowS - command.issuedAtS <= command.leaseS ? command.decider : 'hold';
}
