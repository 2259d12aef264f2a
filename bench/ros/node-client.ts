/** Client of a robot's node over ROS: lifecycle, and services without arguments. */
import { setTimeout as delay } from 'node:timers/promises';
import { ReinError } from '../../src/model/index.ts';
import type { ServiceType } from '../../src/ros/messages/message-type.ts';
import type { RosClient, RosPort } from '../../src/ros/port/ros-port.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';

type Change = { readonly transition: { readonly id: number; readonly label: string } };
const CHANGE: ServiceType<Change, { readonly success: boolean }> = { name: 'lifecycle_msgs/srv/ChangeState' };
const STATE: ServiceType<object, { readonly current_state: { readonly label: string } }> = {
  name: 'lifecycle_msgs/srv/GetState',
};
const TRANSITIONS = { configure: 1, activate: 3 } as const;
const CALL_MS = 5000;
const POLL_MS = 20;

export class NodeClient {
  readonly #port: RosPort;
  readonly #change: RosClient<Change, { readonly success: boolean }>;
  readonly #state: RosClient<object, { readonly current_state: { readonly label: string } }>;

  private constructor(port: RosPort, node: string) {
    this.#port = port;
    this.#change = port.client(CHANGE, `${node}/change_state`);
    this.#state = port.client(STATE, `${node}/get_state`);
    port.start();
  }

  static async open(node = '/rein'): Promise<NodeClient> {
    return new NodeClient(await openRosPort({ nodeName: 'rein_bench_client', onFault: () => undefined }), node);
  }

  /** Resolves as soon as the node is in the lifecycle state `label`; rejects after `limitMs`. */
  async reached(label: 'unconfigured' | 'inactive' | 'active', limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs;
    for (;;) {
      if (this.#state.isReady) {
        const answer = await this.#state.call({}, CALL_MS).catch(() => undefined);
        if (answer?.current_state.label === label) return;
      }
      if (performance.now() > endMs)
        throw new ReinError('environment', `The node is not ${label} after ${limitMs} ms.`);
      await delay(POLL_MS);
    }
  }

  async transition(name: keyof typeof TRANSITIONS): Promise<void> {
    const { success } = await this.#change.call({ transition: { id: TRANSITIONS[name], label: '' } }, CALL_MS);
    if (!success) throw new ReinError('environment', `The node refuses to ${name}.`);
  }

  close(): Promise<void> {
    return this.#port.close();
  }
}
