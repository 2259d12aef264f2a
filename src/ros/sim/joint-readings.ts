/** From what is true of the joints to what `joint_states` says: order of the names, and trouble on demand. */
import type { RobotState } from '../../core/index.ts';
import { JointState } from '../messages/definitions.ts';
import type { Trouble } from './injection.ts';

export class JointReadings {
  /** Filled by `fill`; its header is the caller's. */
  readonly message: JointState = JointState.create();
  readonly #robotNames: readonly string[];
  readonly #names: readonly string[];
  readonly #trouble: Trouble;

  /** `jointNames` in the robot's order. */
  constructor(jointNames: readonly string[], isShuffled: boolean, trouble: Trouble) {
    this.#robotNames = jointNames;
    this.#names = isShuffled ? [...jointNames].sort() : jointNames;
    this.#trouble = trouble;
  }

  fill(state: RobotState): void {
    if (this.#trouble.isFrozen && this.message.name.length > 0) return;
    const message = this.message;
    message.name = this.#names.filter((name) => !this.#trouble.lost.has(name));
    const joints = message.name.length;
    if (message.position.length !== joints) {
      message.position = new Float64Array(joints);
      message.velocity = new Float64Array(joints);
      message.effort = new Float64Array(joints);
    }
    for (const [at, name] of message.name.entries()) {
      const joint = this.#robotNames.indexOf(name);
      const offsetRad = this.#trouble.offsetsRad.get(name) ?? 0;
      message.position[at] = this.#trouble.notFinite.has(name) ? Number.NaN : state.positionRad[joint]! + offsetRad;
      message.velocity[at] = state.velocityRadPerS[joint]!;
      message.effort[at] = state.torqueNm[joint]!;
    }
  }
}
