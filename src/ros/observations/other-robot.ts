/**
 * Whether another robot tells where these joints are: a simulation beside it would publish false measurements under the same names. What
 * simulations publish has `SIMULATED_FRAME` as its frame, and counts for none.
 */
import { JointState } from '../messages/definitions.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import type { RosPort, RosSubscription } from '../port/ros-port.ts';

/** `frame_id` of joint states that nothing real stands behind; those of robots leave it empty, or name a link. */
export const SIMULATED_FRAME = 'simulated';
/** Where a base truly is: topic of what publishes its odometry, too, where that is a simulation; nothing else knows it. */
export const GROUND_TRUTH = 'ground_truth';
/** One that was heard within so long is there, s. */
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

  /** Who says it of which joints, as of `nowS` of the machine's clock; `undefined`: nobody. */
  heard(nowS: number): string | undefined {
    if (nowS - this.#heardAtS > HEARD_S) return undefined;
    const { topic } = this.#subscription;
    const nodes = this.#port.endpoints(topic, 'publishers').map(({ node }) => node);
    const others = [...new Set(nodes)].filter((node) => node !== this.#port.fullName).sort();
    return `${others.join(', ') || 'Another node'} publishes ${this.#jointNames.join(', ')} on ${topic}`;
  }
}
