/** States and transitions of a lifecycle node, as defined by ROS 2. */
import type { LifecycleState, LifecycleTransition } from './ros-port.ts';

/** Numbers of `lifecycle_msgs/msg/State`; intermediate ones are not observable, since hooks are synchronous. */
export const LIFECYCLE_STATE_IDS: Readonly<Record<LifecycleState, number>> = {
  unconfigured: 1,
  inactive: 2,
  active: 3,
  finalized: 4,
  errorProcessing: 15,
};

/** States in which each transition is possible, with its number in `lifecycle_msgs/msg/Transition` there. */
const POSSIBLE: Readonly<Record<LifecycleTransition, Partial<Readonly<Record<LifecycleState, number>>>>> = {
  configure: { unconfigured: 1 },
  activate: { inactive: 3 },
  deactivate: { active: 4 },
  cleanup: { inactive: 2 },
  shutdown: { unconfigured: 5, inactive: 6, active: 7 },
};

/** Transition named in `change_state`: a label takes precedence over a number. */
export interface TransitionRequest {
  readonly id: number;
  readonly label: string;
}

export function isPossible(transition: LifecycleTransition, state: LifecycleState): boolean {
  return POSSIBLE[transition][state] !== undefined;
}

/** Requested transition, or the reason, without its full stop, why it cannot be taken from `state`. */
export function requestedTransition(
  { id, label }: TransitionRequest,
  state: LifecycleState,
): { readonly transition: LifecycleTransition } | { readonly refusal: string } {
  const names = Object.keys(POSSIBLE) as LifecycleTransition[];
  const transition = names.find((name) => (label === '' ? Object.values(POSSIBLE[name]).includes(id) : name === label));
  if (transition === undefined) return { refusal: `there is no transition ${label === '' ? id : `"${label}"`}` };
  const isOfThisState = label !== '' || POSSIBLE[transition][state] === id;
  return isOfThisState && isPossible(transition, state)
    ? { transition }
    : { refusal: refusalOf(transition, state, isPossible(transition, state) ? ` by the number ${id}` : '') };
}

/** Reason without its full stop. */
export function refusalOf(transition: LifecycleTransition, state: LifecycleState, how = ''): string {
  return `the node is ${state}, it cannot ${transition} now${how}`;
}
