/**
 * The guard's states as a pure function. What is not written here cannot happen: from `fault` the only way out is
 * `acknowledge`, to `standby`, and nothing but `activate` leads to motion.
 */
import type { ActionCommand, Decider, GuardAnswer, GuardRequest, SafetyStateName } from '../../core/index.ts';
import type { StopAction } from '../fault-table/fault-row.ts';
import { type Fault, faultsOf, isAtLeast, PERSON_ONLY, worstAction } from '../faults.ts';

export type RequestKind = GuardRequest['kind'] | 'none';

/** What the next state depends on besides the present one. */
export interface SafetyInput {
  /** Fault flags with what is latched; 0 is healthy. */
  flags: number;
  request: RequestKind;
  /** Who gives commands whose lease runs. */
  decider: Decider;
  /** The driver answers. */
  isConnected: boolean;
  /** The joints are at rest, or have had their time to come to it. */
  isAtRest: boolean;
  /** Torque may go off: the robot holds itself without it, or its exit ramp is over (`ExitRamp`). */
  isLetDown: boolean;
}

/** What the next state depends on besides the flags. */
export type UnflaggedInput = Omit<SafetyInput, 'flags'>;

/** Who may be moving the robot: all that flags mean to the states, besides their sternest action. */
export type Movers = 'anybody' | 'people';

/** The state after `input`. Total and tick-safe. */
export function nextSafetyState(state: SafetyStateName, input: SafetyInput): SafetyStateName {
  return stateUnder(worstAction(input.flags), moversUnder(input.flags), state, input);
}

/** Who may move the robot under these flags, as far as anybody may. Tick-safe. */
export function moversUnder(flags: number): Movers {
  return (flags & PERSON_ONLY) === 0 ? 'anybody' : 'people';
}

/**
 * The state after `input` where the sternest action of all flags is `action`. The flags themselves are not looked at, so that
 * all there is can be gone through. Total and tick-safe.
 */
export function stateUnder(
  action: StopAction,
  movers: Movers,
  state: SafetyStateName,
  input: UnflaggedInput,
): SafetyStateName {
  if (!input.isConnected && (state === 'standby' || state === 'disconnected')) return 'disconnected';
  // Torque that goes off under an arm without brakes lets it fall: it brakes, and is let down.
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
 * A robot with torque that does not answer: it may still receive. Category 1 without measurements: the verified brake path is sent to its
 * end, then torque goes off. Nothing that is asked for is heard meanwhile.
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
      // A person who lets go leaves a standing arm: the policy goes on only after `activate`.
      return state === 'active.human' ? 'ready' : activeState(movers, 'policy');
  }
}

/** Outside its limits nobody but a person moves a robot. */
function activeState(movers: Movers, decider: Decider): SafetyStateName {
  if (decider === 'human') return 'active.human';
  return movers === 'people' ? 'ready' : 'active.policy';
}

/** How the guard answers `input.request` made in `state`; `tell` says what a fault is. For people; may allocate. */
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

/** The states that each wish leads to when it is granted. */
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

/** The servos hold or move the arm in this state; off in the others. Tick-safe. */
export function hasTorque(state: SafetyStateName): boolean {
  return state !== 'disconnected' && state !== 'standby' && state !== 'fault';
}

/** The command that may reach the chain in `state`: null makes it brake and hold. Tick-safe. */
export function admitCommand(state: SafetyStateName, command: ActionCommand | null): ActionCommand | null {
  if (command === null) return null;
  if (state === 'active.policy') return command;
  return state === 'active.human' && command.decider === 'human' ? command : null;
}

/** Who decides by `command` at `nowS`; `hold` once its lease is over. Tick-safe. */
export function deciderOf(command: ActionCommand | null, nowS: number): Decider {
  return command !== null && nowS - command.issuedAtS <= command.leaseS ? command.decider : 'hold';
}
