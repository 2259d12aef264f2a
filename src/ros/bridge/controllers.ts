/** Access to the robot's controllers through ros2_control's controller_manager: inspects, switches and monitors them. */

import type { RosDriverOptions } from '../../drivers/index.ts';
import { ReinError } from '../../model/index.ts';
import {
  type ControllerState,
  ListControllers,
  type ListControllersAnswer,
  STRICTNESS,
  SwitchController,
  type SwitchControllerAnswer,
  type SwitchControllerRequest,
} from '../messages/controller-manager.ts';
import type { RosClient, RosPort } from '../port/ros-port.ts';
import { holdersOf, holdersText, orderFault } from './claims.ts';

const ANSWER_MS = 800;

type ControlledOptions = Pick<RosDriverOptions, 'rosJointNames' | 'command'> & {
  readonly controllerManager: NonNullable<RosDriverOptions['controllerManager']>;
};

/** Controllers of the robot, if its file names a controller manager. Before the port's `start`. */
export function controllersOf(port: RosPort, options: RosDriverOptions): Controllers | undefined {
  const { controllerManager } = options;
  return controllerManager && new Controllers(port, { ...options, controllerManager });
}

export class Controllers {
  readonly #options: ControlledOptions;
  readonly #list: RosClient<Record<string, never>, ListControllersAnswer>;
  readonly #switch: RosClient<SwitchControllerRequest, SwitchControllerAnswer>;
  /** Whether the controllers reported the order of their numbers at the last `prepare`. */
  isOrderKnown = true;

  /** Before the port's `start`. */
  constructor(port: RosPort, options: ControlledOptions) {
    const { name } = options.controllerManager;
    this.#options = options;
    this.#list = port.client(ListControllers, `${name}/list_controllers`);
    this.#switch = port.client(SwitchController, `${name}/switch_controller`);
  }

  /**
   * Returns the reason why the controllers cannot take commands, after activating them if configured; `undefined` if
   * they can. No controller is activated that would take a command for other joints.
   */
  prepare(): Promise<string | undefined> {
    return this.#asking(async () => {
      const { controllerManager, rosJointNames } = this.#options;
      const { name, controllers, activateOnEnable } = controllerManager;
      let all = await this.#all();
      const fault = this.#absent(all) ?? this.#orderFault(all);
      if (fault !== undefined) return fault;
      let idle = idleOf(all, controllers);
      if (idle.length > 0 && activateOnEnable) {
        const blocked = this.#blocked(all, idle);
        if (blocked !== undefined) return blocked;
        const off = controllerManager.deactivate.filter((each) => isActive(all, each));
        const said = await this.#switch.call(request(idle, off, STRICTNESS.STRICT), ANSWER_MS);
        if (!said.ok) {
          const holders = holdersOf(all, [...controllers, ...off], rosJointNames);
          const why = [said.message, holdersText(holders)].filter((each) => each !== undefined && each !== '');
          return refusal(`The controller manager ${name} refused to activate ${idle.join(', ')}`, why.join('; '));
        }
        all = await this.#all();
        idle = idleOf(all, controllers);
      }
      return idle.length === 0 ? undefined : this.#notActive(all, idle);
    });
  }

  /**
   * Reason why the file's controllers are no longer active, with the controllers that took the robot; `undefined` if
   * they are active. A manager that does not answer is no evidence: motion is measured in any case.
   */
  async taken(): Promise<string | undefined> {
    const { controllerManager, rosJointNames } = this.#options;
    const { controllers } = controllerManager;
    try {
      const all = await this.#all();
      const idle = idleOf(all, controllers);
      if (idle.length === 0) return undefined;
      const holders = holdersText(holdersOf(all, controllers, rosJointNames));
      return `${idle.join(', ')} ${isAre(idle)} not active any more${holders === '' ? '' : `: ${holders}`}. The robot is stopped.`;
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      return undefined;
    }
  }

  /** Deactivates the controllers if a stop is configured to. Returns the reason of a failure. */
  deactivate(): Promise<string | undefined> {
    const { name, controllers, deactivateOnStop } = this.#options.controllerManager;
    if (!deactivateOnStop) return Promise.resolve(undefined);
    return this.#asking(async () => {
      const said = await this.#switch.call(request([], controllers, STRICTNESS.BEST_EFFORT), ANSWER_MS);
      return said.ok ? undefined : refusal(`The controller manager ${name} refused to deactivate`, said.message);
    });
  }

  async #asking(ask: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      return `The controller manager ${this.#options.controllerManager.name} does not answer: ${error.message}`;
    }
  }

  async #all(): Promise<readonly ControllerState[]> {
    return (await this.#list.call({}, ANSWER_MS)).controller;
  }

  #absent(all: readonly ControllerState[]): string | undefined {
    const names = all.map(({ name }) => name);
    const absent = this.#options.controllerManager.controllers.filter((name) => !names.includes(name));
    if (absent.length === 0) return undefined;
    return `There is no controller named ${absent.join(', ')}; there are ${names.join(', ') || 'none'}.`;
  }

  #orderFault(all: readonly ControllerState[]): string | undefined {
    const { controllers } = this.#options.controllerManager;
    const fault = orderFault(
      all.filter(({ name }) => controllers.includes(name)),
      this.#options,
    );
    this.isOrderKnown = fault !== 'unknown';
    return this.isOrderKnown ? fault : undefined;
  }

  /** Reason why `idle` cannot be activated: another controller holds their interfaces, and the file does not allow its deactivation. */
  #blocked(all: readonly ControllerState[], idle: readonly string[]): string | undefined {
    const { controllerManager, rosJointNames } = this.#options;
    const needing = all.filter(({ name }) => idle.includes(name));
    const ours = [...controllerManager.controllers, ...controllerManager.deactivate];
    const holders = holdersOf(all, ours, rosJointNames, needing);
    if (holders.length === 0) return undefined;
    const names = holders.map(({ name }) => name).join(', ');
    return `${idle.join(', ')} cannot be activated: ${holdersText(holders)}. Write deactivate: [${names}] under driver.controllerManager of the robot's file, or switch yourself: ${this.#switchCommand(holders, idle)}`;
  }

  #notActive(all: readonly ControllerState[], idle: readonly string[]): string {
    const { controllerManager, rosJointNames } = this.#options;
    const { controllers } = controllerManager;
    const holders = holdersOf(all, controllers, rosJointNames);
    const held = holders.length === 0 ? '' : ` ${holdersText(holders)}.`;
    return `Of the controllers ${controllers.join(', ')} ${idle.join(', ')} ${isAre(idle)} not active.${held} Activate: ${this.#switchCommand(holders, idle)}`;
  }

  #switchCommand(holders: readonly { readonly name: string }[], idle: readonly string[]): string {
    const { name } = this.#options.controllerManager;
    const off = holders.length === 0 ? '' : ` --deactivate ${holders.map((each) => each.name).join(' ')}`;
    return `ros2 control switch_controllers -c ${name}${off} --activate ${idle.join(' ')}`;
  }
}

function idleOf(all: readonly ControllerState[], controllers: readonly string[]): readonly string[] {
  return controllers.filter((name) => !isActive(all, name));
}

function isActive(all: readonly ControllerState[], wanted: string): boolean {
  return all.some(({ name, state }) => name === wanted && state === 'active');
}

function isAre(names: readonly string[]): string {
  return names.length === 1 ? 'is' : 'are';
}

function request(
  activate: readonly string[],
  deactivate: readonly string[],
  strictness: number,
): SwitchControllerRequest {
  return {
    activate_controllers: activate,
    deactivate_controllers: deactivate,
    strictness,
    activate_asap: true,
    timeout: { sec: 1, nanosec: 0 },
  };
}

function refusal(what: string, why: string | undefined): string {
  return why === undefined || why === '' ? `${what}.` : `${what}: ${why}`;
}
