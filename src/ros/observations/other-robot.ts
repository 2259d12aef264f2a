/**
 * Detects another publisher of the joints: a simulation beside the real robot would publish false measurements under
 * the same names. Simulations publish with the frame `SIMULATED_FRAME`, and do not count.
 */
import { JointState } from '../messages/definitions.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import type { RosPort, RosSubscription } from '../port/ros-port.ts';

/** `frame_id` of joint states of a simulation; those of robots leave it empty, or name a link. */
export const SIMULATED_FRAME = 'simulated';
/** Topic with a base's true pose, published by the same node as the odometry if that is a simulation; no real robot knows it. */
export const GROUND_TRUTH = 'ground_truth';
/** Time since the last message within which the robot counts as present, s. */
const HEARD_S = 2;

export class OtherRobot {
  readonly #port: RosPort;
  readonly #jointNames: readonly string[];
  readonly #subscription: RosSubscription;
  #heardAtS = Number.NEGATIVE_INFINITY;

  /** Listens to `topic`. Before the port's `start`. */
  constructor(port: RosPort, topic: string, jointNames: readonly string[]) {
    this.#port = port;
    this.#jointNames = jointNames;
    this.#subscription = port.subscribe(JointState, topic, SENSOR_QOS, ({ header, name }, receivedAtS) => {
      if (header.frame_id !== SIMULATED_FRAME && name.some((each) => jointNames.includes(each))) {
        this.#heardAtS = receivedAtS;
      }
    });
  }

  /** Publishers of the joints, as of `nowS` of the machine's clock; `undefined`: none. */
  heard(nowS: number): string | undefined {
    if (nowS - this.#heardAtS > HEARD_S) return undefined;
    const { topic } = this.#subscription;
    const nodes = this.#port.endpoints(topic, 'publishers').map(({ node }) => node);
    const others = [...new Set(nodes)].filter((node) => node !== this.#port.fullName).sort();
    return `${others.join(', ') || 'Another node'} publishes ${this.#jointNames.join(', ')} on ${topic}`;
  }
}
