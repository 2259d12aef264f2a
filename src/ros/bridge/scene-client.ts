/** Client of the service that resets a simulated robot's surroundings. */

import type { RosAnswer } from '../../drivers/index.ts';
import { ReinError } from '../../model/index.ts';
import type { SceneLayout } from '../../rows/index.ts';
import { ResetScene, type ResetSceneAnswer, type ResetSceneRequest } from '../messages/definitions.ts';
import type { RosClient, RosPort } from '../port/ros-port.ts';
import type { RobotReadings } from './robot-readings.ts';

const SCENE_ANSWER_MS = 1200;
/** Longest time for which measurements from before the reset still arrive. */
const SETTLE_MS = 500;
/** Distance that counts as the layout's pose: the servos may sag a little under gravity. */
const NEAR_RAD = 0.02;

/** Client of the service that resets a simulated robot's surroundings. */
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

  /** Resolves when the robot has been measured at the joint positions of `layout`. */
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
    return { ok: false, reason: `${this.#service} reported success, but the joints are elsewhere` };
  }
}
