/** The services by which tools see and change a lifecycle node's state. */
import type { LifecycleState, LifecycleTransition } from '../port/index.ts';
import type { LifecycleMachine } from './lifecycle-machine.ts';
import type { OwnService } from './parameter-services.ts';

/** Numbers of `lifecycle_msgs/msg/State`. */
const STATES: Readonly<Record<LifecycleState, number>> = {
  unconfigured: 1,
  inactive: 2,
  active: 3,
  finalized: 4,
  errorProcessing: 15,
};

/** Numbers of `lifecycle_msgs/msg/Transition`; shutting down has one for each state. */
const TRANSITIONS: Readonly<Record<string, LifecycleTransition>> = {
  '1': 'configure',
  '2': 'cleanup',
  '3': 'activate',
  '4': 'deactivate',
  '5': 'shutdown',
  '6': 'shutdown',
  '7': 'shutdown',
};

interface ChangeState {
  readonly transition: { readonly id: number; readonly label: string };
}

export function lifecycleServices(machine: LifecycleMachine): readonly OwnService[] {
  const change = ({ transition }: ChangeState): { success: boolean } => {
    const name = (transition.label || TRANSITIONS[transition.id]) as LifecycleTransition | undefined;
    if (name === undefined || !machine.available().includes(name)) return { success: false };
    return { success: machine.take(name) === 'success' };
  };
  return [
    {
      name: '~/get_state',
      type: { name: 'lifecycle_msgs/srv/GetState' },
      handler: () => ({ current_state: { id: STATES[machine.state], label: machine.state.toLowerCase() } }),
    },
    {
      name: '~/change_state',
      type: { name: 'lifecycle_msgs/srv/ChangeState' },
      handler: (request) => change(request as ChangeState),
    },
  ];
}
