/**
 * A robot behind ros2_control's topics and services that behaves as mock hardware does: at each cycle the joints are where they were last
 * commanded. Its controllers have orders of their own. Not the project's simulator.
 */
import {
  ListControllers,
  STRICTNESS,
  SwitchController,
  type SwitchControllerRequest,
} from '../../../src/ros/messages/controller-manager.ts';
import { Float64MultiArray, JointState } from '../../../src/ros/messages/definitions.ts';
import { COMMAND_QOS, STATE_QOS } from '../../../src/ros/port/qos.ts';
import type { RosPort } from '../../../src/ros/port/ros-port.ts';
import type { MemoryGraph } from './memory-graph.ts';
import { memoryPorts } from './memory-port.ts';

const PERIOD_MS = 10;

interface Controller {
  readonly joints: readonly string[];
  isActive: boolean;
}

export class StandInArm {
  /** Controllers by name, with the order of their commands. */
  readonly controllers: Map<string, Controller>;
  readonly positionRad: Map<string, number>;
  /** The largest step of a joint in one cycle so far, rad. */
  leapRad = 0;
  /** Commands that an active controller took. */
  taken = 0;
  readonly switches: SwitchControllerRequest[] = [];
  readonly #target: Map<string, number>;
  readonly #port: RosPort;
  readonly #timer: NodeJS.Timeout;

  static async start(
    graph: MemoryGraph,
    joints: readonly string[],
    controllers: Readonly<Record<string, Controller>>,
    homeRad: readonly number[] = joints.map(() => 0),
  ): Promise<StandInArm> {
    const port = await memoryPorts(graph)({ nodeName: 'stand_in', onFault: () => undefined });
    return new StandInArm(port, joints, controllers, homeRad);
  }

  private constructor(
    port: RosPort,
    joints: readonly string[],
    controllers: Readonly<Record<string, Controller>>,
    homeRad: readonly number[],
  ) {
    this.#port = port;
    this.controllers = new Map(Object.entries(controllers));
    this.positionRad = new Map(joints.map((joint, i) => [joint, homeRad[i]!]));
    this.#target = new Map(this.positionRad);
    const states = port.advertise(JointState, 'joint_states', STATE_QOS);
    for (const [name, controller] of this.controllers) {
      port.subscribe(Float64MultiArray, `${name}/commands`, COMMAND_QOS, ({ data }) => {
        if (!controller.isActive) return;
        this.taken++;
        for (const [i, joint] of controller.joints.entries()) this.#target.set(joint, data[i]!);
      });
    }
    port.serve(ListControllers, 'controller_manager/list_controllers', () => ({ controller: this.#list() }));
    port.serve(SwitchController, 'controller_manager/switch_controller', (request) => this.#switch(request));
    port.start();
    const message = JointState.create();
    message.name = [...joints].sort();
    message.velocity = new Float64Array(joints.length);
    message.effort = new Float64Array(joints.length);
    this.#timer = setInterval(() => {
      for (const [joint, at] of this.positionRad) {
        const to = this.#target.get(joint)!;
        this.leapRad = Math.max(this.leapRad, Math.abs(to - at));
        this.positionRad.set(joint, to);
      }
      message.position = Float64Array.from(message.name, (joint) => this.positionRad.get(joint)!);
      states.publish(message);
    }, PERIOD_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#port.close();
  }

  /** From one controller to another, as somebody else does it: `ros2 control switch_controllers`. */
  hand(from: string, to: string): void {
    this.controllers.get(from)!.isActive = false;
    this.controllers.get(to)!.isActive = true;
  }

  #list() {
    return [...this.controllers].map(([name, { joints, isActive }]) => {
      const interfaces = joints.map((joint) => `${joint}/position`);
      return {
        name,
        state: isActive ? 'active' : 'inactive',
        type: 'position_controllers/JointGroupPositionController',
        claimed_interfaces: isActive ? interfaces : [],
        required_command_interfaces: interfaces,
        required_state_interfaces: [],
        is_chainable: false,
        is_chained: false,
        reference_interfaces: [],
        chain_connections: [],
      };
    });
  }

  /** A strict switch is done whole or not at all, and Humble does not say why not. */
  #switch(request: SwitchControllerRequest): { readonly ok: boolean } {
    this.switches.push(request);
    const { activate_controllers: on, deactivate_controllers: off, strictness } = request;
    const held = [...this.controllers].flatMap(([name, { joints, isActive }]) =>
      isActive && !off.includes(name) ? joints : [],
    );
    const hasClash = on.some(
      (name) => this.controllers.get(name)?.joints.some((joint) => held.includes(joint)) ?? true,
    );
    const isIdle = off.some((name) => this.controllers.get(name)?.isActive !== true);
    if ((hasClash || isIdle) && strictness === STRICTNESS.STRICT) return { ok: false };
    for (const name of off) this.controllers.get(name)!.isActive = false;
    for (const name of on) this.controllers.get(name)!.isActive = true;
    return { ok: true };
  }
}
