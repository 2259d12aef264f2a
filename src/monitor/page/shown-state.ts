/**
 * What people and programs are told of the robot's state: made of the guard's state and of what holds the robot, so that nobody drives
 * who cannot. Pure; imports nothing that a browser lacks.
 */
import type { Decider, SafetyStateName } from '../../core/index.ts';
import type { RunStatus } from '../../session/index.ts';

type Operator = RunStatus['operator'];
/** What of a run's status it is made of. */
type Told = Pick<RunStatus, 'operator' | 'policy'>;

export interface ShownState {
  readonly state: SafetyStateName;
  readonly decider: Decider;
}

/**
 * The guard goes on in `active.human` while the commands of whoever stopped the robot ask for no motion, and is `active.policy` before
 * anybody has decided anything, and where no policy is. `told`: `undefined` before a run has told of it.
 */
export function shownState({ state, decider }: ShownState, told: Told | undefined): ShownState {
  const operator = told?.operator;
  if (state !== 'active.policy' && state !== 'active.human') return { state, decider };
  if (operator?.held?.kind === 'stopped' || operator?.held?.kind === 'fault')
    return { state: 'stopped', decider: 'hold' };
  const isWaiting = operator?.held?.kind === 'paused' || (state === 'active.policy' && isUndriven(told));
  return isWaiting ? { state: 'ready', decider: 'hold' } : { state, decider };
}

/** Nothing decides where the guard follows no person. */
function isUndriven(told: Told | undefined): boolean {
  const driving = told?.operator.driving;
  return driving === 'nobody' || (told?.policy.isAbsent === true && plain(driving ?? '') === 'policy');
}

/** A sign, a word and a colour, any one of which is enough, and what a person does to end it, where that is a button. */
export interface Badge {
  readonly sign: string;
  readonly word: string;
  readonly kind: 'go' | 'person' | 'hold' | 'stop';
  /** One sentence; empty where nothing ends it by a button. */
  readonly ends: string;
}

const START = 'Start lets it go on.';

/** Of a state of `shownState`. `isYou`: the person at this page drives. */
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
      if (policy?.isAbsent === true && prompt === undefined) return badge('○', 'nobody drives: it stands', 'hold');
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

/** Whoever drives where the guard follows no person. */
function plain(driving: string): string {
  return ['base policy', 'scripted operator'].includes(driving) ? driving : 'policy';
}

/** What keeps the robot from moving. */
export function heldText({ kind, by }: NonNullable<Operator['held']>): string {
  return kind === 'fault' ? by : `${kind} by ${by}`;
}

function stoppedBy(held: Operator['held']): string {
  if (held === undefined) return '';
  return held.kind === 'fault' ? ' by a fault' : ` by ${held.by}`;
}
