/** `controller_manager/list_controllers` and `switch_controller`, as ros2_control offers them. */

import type { ServiceType } from '../messages/message-type.ts';
import type { RosPort } from '../port/ros-port.ts';
import type { ControllerManager } from './controller-manager.ts';

interface ControllerState {
  readonly name: string;
  readonly state: string;
  readonly type: string;
  readonly claimed_interfaces: readonly string[];
  readonly required_command_interfaces: readonly string[];
  readonly required_state_interfaces: readonly string[];
  readonly is_chainable: boolean;
  readonly is_chained: boolean;
  readonly reference_interfaces: readonly string[];
  readonly chain_connections: readonly never[];
}

const LIST: ServiceType<object, { controller: readonly ControllerState[] }> = {
  name: 'controller_manager_msgs/srv/ListControllers',
};

interface SwitchRequest {
  readonly activate_controllers: readonly string[];
  readonly deactivate_controllers: readonly string[];
  /** The older names of the two, before Humble. */
  readonly start_controllers?: readonly string[];
  readonly stop_controllers?: readonly string[];
  readonly strictness: number;
}

const SWITCH: ServiceType<SwitchRequest, { ok: boolean; message: string }> = {
  name: 'controller_manager_msgs/srv/SwitchController',
};

const STRICT = 2;

/** Before the port's `start`. `isRefusing` is trouble on demand. */
export function serveManager(
  port: RosPort,
  manager: ControllerManager,
  isRefusing: () => boolean,
  say: (sentence: string) => void,
): void {
  port.serve(LIST, 'controller_manager/list_controllers', () => ({
    controller: manager.controllers.map(({ name, type, claims }) => ({
      name,
      state: manager.isActive(name) ? 'active' : 'inactive',
      type,
      claimed_interfaces: manager.isActive(name) ? claims : [],
      required_command_interfaces: claims,
      required_state_interfaces: [],
      is_chainable: false,
      is_chained: false,
      reference_interfaces: [],
      chain_connections: [],
    })),
  }));
  port.serve(SWITCH, 'controller_manager/switch_controller', (request) => {
    const activate = [...request.activate_controllers, ...(request.start_controllers ?? [])];
    const deactivate = [...request.deactivate_controllers, ...(request.stop_controllers ?? [])];
    const answer = isRefusing()
      ? { ok: false as const, message: 'a fault was injected: switching is refused' }
      : manager.switch({ activate, deactivate, isStrict: request.strictness === STRICT });
    say(
      answer.ok
        ? `switched: ${list('active now', activate)}${list('inactive now', deactivate)}`
        : `a switch of controllers was refused: ${answer.message}`,
    );
    return answer.ok ? { ok: true, message: '' } : answer;
  });
}

function list(words: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${words} ${names.join(', ')}; `;
}
