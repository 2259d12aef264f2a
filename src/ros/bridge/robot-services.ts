/** Services of the robot: its controllers, through ros2_control's controller_manager, and the surroundings of a simulated one. */
import { ReinError, type SceneLayout } from '../../core/index.ts';
import type { RosAnswer, RosDriverOptions } from '../../drivers/index.ts';
import {
  ListControllers,
  type ListControllersAnswer,
  STRICTNESS,
  SwitchController,
  type SwitchControllerAnswer,
  type SwitchControllerRequest,
} from '../messages/controller-manager.ts';
import { ResetScene, type ResetSceneAnswer, type ResetSceneRequest } from '../messages/definitions.ts';
import type { RosClient, RosPort } from '../port/ros-port.ts';
import type { RobotReadings } from './robot-readings.ts';

const CONTROLLERS_ANSWER_MS = 800;

/** The robot's controllers, through ros2_control's controller_manager. */
export class Controllers {
  readonly #options: NonNullable<RosDriverOptions['controllerManager']>;
  readonly #list: RosClient<Record<string, never>, ListControllersAnswer>;
  readonly #switch: RosClient<SwitchControllerRequest, SwitchControllerAnswer>;

  /** Before the port's `start`. */
  constructor(port: RosPort, options: NonNullable<RosDriverOptions['controllerManager']>) {
    this.#options = options;
    this.#list = port.client(ListControllers, `${options.name}/list_controllers`);
    this.#switch = port.client(SwitchController, `${options.name}/switch_controller`);
  }

  /** Reason why the controllers cannot take commands, after activating them where that is asked for; `undefined` when they can. */
  async prepare(): Promise<string | undefined> {
    const { name, controllers, activateOnEnable } = this.#options;
    try {
      let idle = await this.#idle();
      if (typeof idle === 'string') return idle;
      if (idle.length > 0 && activateOnEnable) {
        const said = await this.#switch.call(request(idle, [], STRICTNESS.STRICT), CONTROLLERS_ANSWER_MS);
        if (!said.ok)
          return refusal(`The controller manager ${name} refused to activate ${idle.join(', ')}`, said.message);
        idle = await this.#idle();
        if (typeof idle === 'string') return idle;
      }
      if (idle.length === 0) return undefined;
      return `Of the controllers ${controllers.join(', ')} ${idle.join(', ')} ${idle.length === 1 ? 'is' : 'are'} not active.`;
    } catch (error) {
      return this.#noAnswer(error);
    }
  }

  /** Takes the controllers off the robot where a stop shall do that. Says why it could not. */
  async deactivate(): Promise<string | undefined> {
    const { name, controllers, deactivateOnStop } = this.#options;
    if (!deactivateOnStop) return undefined;
    try {
      const said = await this.#switch.call(request([], controllers, STRICTNESS.BEST_EFFORT), CONTROLLERS_ANSWER_MS);
      return said.ok ? undefined : refusal(`The controller manager ${name} refused to deactivate`, said.message);
    } catch (error) {
      return this.#noAnswer(error);
    }
  }

  #noAnswer(error: unknown): string {
    if (!(error instanceof ReinError)) throw error;
    return `The controller manager ${this.#options.name} does not answer: ${error.message}`;
  }

  /** The controllers that are not active, or a message about one that is not there. */
  async #idle(): Promise<string | readonly string[]> {
    const { controller } = await this.#list.call({}, CONTROLLERS_ANSWER_MS);
    const states = new Map(controller.map(({ name, state }) => [name, state]));
    const absent = this.#options.controllers.filter((name) => !states.has(name));
    if (absent.length > 0) {
      return `There is no controller named ${absent.join(', ')}; there are ${[...states.keys()].join(', ') || 'none'}.`;
    }
    return this.#options.controllers.filter((name) => states.get(name) !== 'active');
  }
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

const SCENE_ANSWER_MS = 1200;
/** Longest time that measurements from before the reset still arrive. */
const SETTLE_MS = 500;
/** Distance that counts as the layout's pose: the servos may sag a little under gravity. */
const NEAR_RAD = 0.02;

/** A simulated robot's surroundings, put back through its service. */
export class SceneClient {
  readonly #client: RosClient<ResetSceneRequest, ResetSceneAnswer>;
  readonly #service: string;
  readonly #readings: RobotReadings;

  /** Before the port's `start`. */
  constructor(port: RosPort, service: string, readings: RobotReadings) {
    this.#client = port.client(ResetScene, service);
    this.#service = service;
    this.#readings = readings;
  }

  /** Resolves when the robot has been measured where `layout` wants it. */
  async reset(layout: SceneLayout): Promise<RosAnswer> {
    const objects = Object.entries(layout.objects);
    try {
      const said = await this.#client.call(
        {
          joints_rad: [...layout.jointsRad],
          objects: objects.map(([name]) => name),
          poses: objects.flatMap(([, pose]) => [...pose]),
        },
        SCENE_ANSWER_MS,
      );
      if (!said.success) return { ok: false, reason: said.message };
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      return { ok: false, reason: error.message };
    }
    return this.#measuredAt(layout.jointsRad);
  }

  async #measuredAt(jointsRad: readonly number[]): Promise<RosAnswer> {
    const { state, measurements } = this.#readings;
    const limitMs = performance.now() + SETTLE_MS;
    while (performance.now() < limitMs) {
      const isThere = jointsRad.every((angle, i) => Math.abs(angle - state.positionRad[i]!) < NEAR_RAD);
      if (isThere && this.#readings.measurements > measurements) return { ok: true };
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return { ok: false, reason: `${this.#service} said that it was done, but the joints are elsewhere` };
  }
}
