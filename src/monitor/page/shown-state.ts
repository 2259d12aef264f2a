/**
 * Robot state as shown to operators and programs: derived from the guard's state and from what holds the robot, so that
 * no decider is shown as driving that cannot. Pure; imports nothing that a browser lacks.
 */
import type { Decider, SafetyStateName } from '../../rows/index.ts';
import type { RunStatus } from '../../session/index.ts';

type Operator = RunStatus['operator'];
/** Parts of the run's status from which it is derived. */
type Told = Pick<RunStatus, 'operator' | 'policy'>;

export interface ShownState {
  readonly state: SafetyStateName;
  readonly decider: Decider;
}

/**
 * The guard stays in `active.human` while the commands of the operator who stopped the robot request no motion, and is
 * `active.policy` before anything has decided, and without a policy. `told`: `undefined` before the run has sent a
 * status.
 */
export function shownState({ state, decider }: ShownState, told: Told | undefined): ShownState {
  const operator = told?.operator;
  if (state !== 'active.policy' && state !== 'active.human') return { state, decider };
  if (operator?.held?.kind === 'stopped' || operator?.held?.kind === 'fault')
    return { state: 'stopped', decider: 'hold' };
  const isWaiting = operator?.held?.kind === 'paused' || (state === 'active.policy' && isUndriven(told));
  return isWaiting ? { state: 'ready', decider: 'hold' } : { state, decider };
}

/** True if nothing decides while the guard does not follow an operator. */
function isUndriven(told: Told | undefined): boolean {
  const driving = told?.operator.driving;
  return driving === 'nobody' || (told?.policy.isAbsent === true && plain(driving ?? '') === 'policy');
}

/** Sign, word and colour, any one of which suffices, and the operator's button that ends the state, if any. */
export interface Badge {
  readonly sign: string;
  readonly word: string;
  readonly kind: 'go' | 'person' | 'hold' | 'stop';
  /** One sentence; empty if no button ends it. */
  readonly ends: string;
}

const START = 'Start lets it go on.';

/** Badge of a state of `shownState`. `isYou`: this page's operator drives. */
export function badgeOf(state: SafetyStateName, told: Told | undefined, isYou: boolean): Badge {
  const { operator, policy } = told ?? {};
  const { held, driving = 'nobody', by, prompt } = operator ?? {};
  switch (state) {
    case 'active.policy':
      return badge('▶', driving === 'you' ? 'policy drives' : `${plain(driving)} drives`, 'go');
    case 'active.human':
      if (driving === 'scripted operator') return badge('▶', `${driving} drives`, 'go');
      return badge('◆', isYou ? 'you drive' : `${by?.person || 'a person'} drives`, 'person');
    case 'ready':
      if (held?.kind === 'paused') return badge('❚❚', 'paused', 'hold', START);
      if (policy?.isAbsent === true && prompt === undefined) return badge('○', 'no driver: it stands', 'hold');
      return driving === 'nobody' || policy?.isAbsent === true
        ? badge('○', 'waits', 'hold')
        : badge('❚❚', 'holds', 'hold');
    case 'standby':
      return badge('○', 'no torque', 'hold');
    case 'stopping':
      return badge('■', `braking${stoppedBy(held)}`, 'stop');
    case 'stopped':
      return badge(
        '■',
        `stopped${stoppedBy(held)}`,
        'stop',
        held?.kind === 'fault' ? `${held.by} Once the cause is gone, Start lets it go on.` : START,
      );
    case 'fault':
      return badge('▲', 'fault', 'stop', `${held?.by ?? ''} Once the cause is gone, Start lets it go on.`.trim());
    case 'disconnected':
      return badge('✕', 'no robot', 'stop');
  }
}

function badge(sign: string, word: string, kind: Badge['kind'], ends = ''): Badge {
  return { sign, word, kind, ends };
}

/** Name of the driver while the guard does not follow an operator. */
function plain(driving: string): string {
  return ['base policy', 'scripted operator'].includes(driving) ? driving : 'policy';
}

/** Text of the reason that keeps the robot from moving. */
export function heldText({ kind, by }: NonNullable<Operator['held']>): string {
  return kind === 'fault' ? by : `${kind} by ${by}`;
}

function stoppedBy(held: Operator['held']): string {
  if (held === undefined) return '';
  return held.kind === 'fault' ? ' by a fault' : ` by ${held.by}`;
}
