/**
 * Services of ros2_control's controller_manager, with the fields that are used. Hand-written instead of generated:
 * distributions differ in them, and missing fields have their defaults.
 */
import type { Time } from './definitions.ts';
import type { ServiceType } from './message-type.ts';

export interface ControllerState {
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
export interface ListControllersAnswer {
  readonly controller: readonly ControllerState[];
}
export const ListControllers: ServiceType<Record<string, never>, ListControllersAnswer> = {
  name: 'controller_manager_msgs/srv/ListControllers',
};

export interface SwitchControllerRequest {
  readonly activate_controllers: readonly string[];
  readonly deactivate_controllers: readonly string[];
  /** Names of the two before Humble. */
  readonly start_controllers?: readonly string[];
  readonly stop_controllers?: readonly string[];
  readonly strictness: number;
  readonly activate_asap?: boolean;
  readonly timeout?: Readonly<Time>;
}
export interface SwitchControllerAnswer {
  readonly ok: boolean;
  /** Since Jazzy. */
  readonly message?: string;
}
export const SwitchController: ServiceType<SwitchControllerRequest, SwitchControllerAnswer> = {
  name: 'controller_manager_msgs/srv/SwitchController',
};
export const STRICTNESS = { BEST_EFFORT: 1, STRICT: 2 } as const;
