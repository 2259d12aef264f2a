/**
 * Active controllers, as kept by ros2_control's controller_manager: two that claim the same joints are never
 * active together, and a strict switch is all or nothing.
 */
import {
  ListControllers,
  type RosPort,
  STRICTNESS,
  SwitchController,
  type SwitchControllerAnswer,
  type SwitchControllerRequest,
} from '../../../../src/ros/program.ts';
import type { Complaints, Trouble } from './injection.ts';

export interface ManagedController {
  readonly name: string;
  readonly type: string;
  /** Command interfaces that it writes to. Broadcasters claim none. */
  readonly claims: readonly string[];
  /** Joints or tool that it moves: only one of a group is active at a time, whatever interfaces its members claim. */
  readonly group?: string;
}

export interface SwitchRequest {
  readonly activate: readonly string[];
  readonly deactivate: readonly string[];
  /** Strict: all or nothing. Otherwise unknown controllers are ignored. */
  readonly isStrict: boolean;
}

export type SwitchAnswer = { readonly ok: true } | { readonly ok: false; readonly message: string };

export class ControllerManager {
  readonly controllers: readonly ManagedController[];
  readonly #active: Set<string>;
  readonly #onSwitch: (activated: readonly string[], deactivated: readonly string[]) => void;

  constructor(
    controllers: readonly ManagedController[],
    active: readonly string[],
    onSwitch: (activated: readonly string[], deactivated: readonly string[]) => void,
  ) {
    this.controllers = controllers;
    this.#active = new Set(active);
    this.#onSwitch = onSwitch;
  }

  isActive(name: string): boolean {
    return this.#active.has(name);
  }

  switch(request: SwitchRequest): SwitchAnswer {
    const unknown = [...request.activate, ...request.deactivate].filter((name) => this.#find(name) === undefined);
    if (unknown.length > 0 && request.isStrict) return refused(`there is no controller named "${unknown[0]}"`);
    const idle = request.deactivate.find((name) => this.#find(name) !== undefined && !this.isActive(name));
    if (idle !== undefined && request.isStrict) return refused(`"${idle}" is not active`);
    const deactivated = request.deactivate.filter((name) => this.isActive(name));
    const staying = [...this.#active].filter((name) => !deactivated.includes(name));
    const activated: string[] = [];
    for (const name of new Set(request.activate)) {
      if (this.#find(name) === undefined) continue;
      if (staying.includes(name)) {
        if (request.isStrict) return refused(`"${name}" is active already`);
        continue;
      }
      const rival = [...staying, ...activated].find((other) => this.#conflict(name, other));
      if (rival !== undefined) return refused(`"${name}" and "${rival}" command the same joints`);
      activated.push(name);
    }
    for (const name of deactivated) this.#active.delete(name);
    for (const name of activated) this.#active.add(name);
    if (activated.length + deactivated.length > 0) this.#onSwitch(activated, deactivated);
    return { ok: true };
  }

  #find(name: string): ManagedController | undefined {
    return this.controllers.find((controller) => controller.name === name);
  }

  #conflict(one: string, other: string): boolean {
    const group = this.#find(one)?.group;
    return group !== undefined && group === this.#find(other)?.group;
  }
}

function refused(message: string): SwitchAnswer {
  return { ok: false, message };
}

/** Controllers of a simulated robot at its port: listed and switched as in ros2_control, and commanded while active. */
export class ControllersAtPort {
  readonly #manager: ControllerManager;
  readonly #trouble: Trouble;
  readonly #complaints: Complaints;

  /** To be called before the port's `start`. */
  constructor(port: RosPort, manager: ControllerManager, trouble: Trouble, complaints: Complaints) {
    this.#manager = manager;
    this.#trouble = trouble;
    this.#complaints = complaints;
    port.serve(ListControllers, 'controller_manager/list_controllers', () => ({
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
    port.serve(SwitchController, 'controller_manager/switch_controller', (request) => this.#switch(request));
  }

  /** Passes a command to the controller called `name`, if it is active; reports the reason if it is rejected. */
  take(name: string, accept: () => string | undefined): void {
    if (this.#trouble.isRefusing) this.#complaints.say(`${name} ignores commands: a fault was injected`);
    else if (!this.#manager.isActive(name)) this.#complaints.say(`${name} is not active: its command is ignored`);
    else {
      const why = accept();
      if (why !== undefined) this.#complaints.say(`${name} refuses ${why}`);
    }
  }

  #switch(request: SwitchControllerRequest): SwitchControllerAnswer {
    const activate = [...request.activate_controllers, ...(request.start_controllers ?? [])];
    const deactivate = [...request.deactivate_controllers, ...(request.stop_controllers ?? [])];
    const answer = this.#trouble.isRefusing
      ? refused('a fault was injected: switching is refused')
      : this.#manager.switch({ activate, deactivate, isStrict: request.strictness === STRICTNESS.STRICT });
    this.#complaints.say(
      answer.ok
        ? `switched: ${list('active now', activate)}${list('inactive now', deactivate)}`
        : `a switch of controllers was refused: ${answer.message}`,
    );
    return answer.ok ? { ok: true, message: '' } : answer;
  }
}

function list(words: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${words} ${names.join(', ')}; `;
}
