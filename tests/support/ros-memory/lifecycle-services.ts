/** The services by which tools see and change a lifecycle node's state. */
import type { FaultReporter } from '../../../src/ros/port/fault-reporter.ts';
import { LIFECYCLE_STATE_IDS, requestedTransition, type TransitionRequest } from '../../../src/ros/port/lifecycle.ts';
import type { LifecycleMachine } from './lifecycle-machine.ts';
import type { OwnService } from './parameter-services.ts';

export function lifecycleServices(machine: LifecycleMachine, faults: FaultReporter): readonly OwnService[] {
  const change = (request: TransitionRequest): { success: boolean } => {
    const asked = requestedTransition(request, machine.state);
    if ('transition' in asked) return { success: machine.take(asked.transition) === 'success' };
    faults.report('refused', 'change_state', asked.refusal);
    return { success: false };
  };
  return [
    {
      name: '~/get_state',
      type: { name: 'lifecycle_msgs/srv/GetState' },
      handler: () => ({
        current_state: { id: LIFECYCLE_STATE_IDS[machine.state], label: machine.state.toLowerCase() },
      }),
    },
    {
      name: '~/change_state',
      type: { name: 'lifecycle_msgs/srv/ChangeState' },
      handler: (request) => change((request as { readonly transition: TransitionRequest }).transition),
    },
  ];
}
