/**
 * Simulated arm as ROS sees one behind ros2_control: command topics of five controllers, of which one is active,
 * `joint_states`, a tared force-torque sensor, the insertion depth of the peg, and a service that resets the scene.
 */
import type { Clock, RobotModel } from '../../../../src/model/index.ts';
import {
  COMMAND_QOS,
  Float64,
  Float64MultiArray,
  JointState,
  JointTrajectory,
  OtherRobot,
  PoseStamped,
  ResetScene,
  type ResetSceneAnswer,
  type ResetSceneRequest,
  type RosPort,
  type RosPublisher,
  SENSOR_QOS,
  SIMULATED_FRAME,
  STATE_QOS,
  WrenchStamped,
} from '../../../../src/ros/program.ts';
import type { RobotState } from '../../../../src/rows/index.ts';
import { type ArmController, CartesianPoseController, ForwardCommandController } from './arm-controllers.ts';
import { ControllerManager, ControllersAtPort } from './controller-manager.ts';
import { type Complaints, Trouble } from './injection.ts';
import { JointTrajectoryController } from './joint-trajectory.ts';
import type { SimClock } from './sim-time.ts';
import type { SimulatedArm } from './simulated-arm.ts';

/** Converts the true state of the joints to `joint_states`: order of the names, and injected faults. */
class JointReadings {
  /** Filled by `fill`; its stamp is set by the caller. */
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
    message.header.frame_id = SIMULATED_FRAME;
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

export interface ArmSimulatorOptions {
  readonly port: RosPort;
  readonly clock: Clock;
  readonly stamps: SimClock;
  readonly arm: SimulatedArm;
  readonly periodS: number;
  /** Name of the controller that is active at the start. */
  readonly active: string;
  readonly isShuffled: boolean;
  readonly isBestEffort: boolean;
  readonly interpolatesFromDesired: boolean;
  readonly allowsEndInMotion: boolean;
  readonly complaints: Complaints;
}

const JOINT_BROADCASTER = 'joint_state_broadcaster';
const WRENCH_BROADCASTER = 'force_torque_sensor_broadcaster';
const BASE_FRAME = 'base';
/** Commands from before a scene reset still arrive for this time, s, and refer to a former pose. */
const COMMANDS_IGNORED_S = 0.015;

export class ArmSimulator {
  readonly trouble: Trouble = new Trouble();
  readonly jointNames: readonly string[];
  readonly #options: ArmSimulatorOptions;
  readonly #manager: ControllerManager;
  readonly #controllers: ControllersAtPort;
  readonly #motion: readonly ArmController[];
  readonly #readings: JointReadings;
  readonly #otherRobot: OtherRobot;
  readonly #wrench: WrenchStamped = WrenchStamped.create();
  readonly #depth: Float64 = Float64.create();
  readonly #publish: {
    readonly joints: RosPublisher<JointState>;
    readonly wrench: RosPublisher<WrenchStamped>;
    readonly depth: RosPublisher<Float64>;
  };
  #isBroken = false;
  #ignoresCommandsUntilS = Number.NEGATIVE_INFINITY;

  /** Registers everything at the port, which must not have been started. The arm is open. */
  constructor(options: ArmSimulatorOptions) {
    const { port, arm, isShuffled, complaints } = options;
    this.#options = options;
    this.jointNames = arm.model.joints.map((joint) => joint.name);
    this.#readings = new JointReadings(this.jointNames, isShuffled, this.trouble);
    this.#otherRobot = new OtherRobot(port, 'joint_states', this.jointNames);
    this.#motion = this.#takeCommands(arm.model);
    this.#manager = new ControllerManager(
      [
        { name: JOINT_BROADCASTER, type: 'joint_state_broadcaster/JointStateBroadcaster', claims: [] },
        { name: WRENCH_BROADCASTER, type: 'force_torque_sensor_broadcaster/ForceTorqueSensorBroadcaster', claims: [] },
        ...this.#motion.map(({ name, type, commandInterface }) => ({
          name,
          type,
          group: 'arm',
          claims: this.jointNames.map((joint) => `${joint}/${commandInterface}`),
        })),
      ],
      [JOINT_BROADCASTER, WRENCH_BROADCASTER, options.active],
      () => this.#follow(),
    );
    const reliability = options.isBestEffort ? 'bestEffort' : 'reliable';
    this.#publish = {
      joints: port.advertise(JointState, 'joint_states', { ...STATE_QOS, reliability }),
      wrench: port.advertise(WrenchStamped, 'wrench', STATE_QOS),
      depth: port.advertise(Float64, 'insertion_depth', STATE_QOS),
    };
    port.serve(
      ResetScene,
      'reset_scene',
      (request) => this.#reset(request),
      (message) => ({ success: false, message }),
    );
    this.#controllers = new ControllersAtPort(port, this.#manager, this.trouble, complaints);
    this.#follow();
  }

  /** Simulates the period that ends at `deadlineS`, and publishes the measurements. */
  tick(deadlineS: number): void {
    const { arm, periodS, stamps, complaints } = this.#options;
    if (!arm.step(deadlineS - periodS) && !this.#isBroken) {
      this.#isBroken = true;
      complaints.say('the simulation diverged and publishes nothing more: call reset_scene');
    }
    // A diverged arm is not published, so that its client notices.
    if (this.#isBroken || this.trouble.isSilent) return;
    // Joint states come last: a client that takes them as its tick then has the rest of the same period.
    if (this.#manager.isActive(WRENCH_BROADCASTER)) this.#publishWrench(deadlineS);
    const depth = arm.signalIndex('depthM');
    if (depth >= 0) {
      this.#depth.data = arm.state.signals[depth]!;
      this.#publish.depth.publish(this.#depth);
    }
    if (!this.#manager.isActive(JOINT_BROADCASTER)) return;
    this.#readings.fill(arm.state);
    const { message } = this.#readings;
    stamps.write(message.header.stamp, deadlineS);
    this.#publish.joints.publish(message);
  }

  otherRobot(): string | undefined {
    return this.#otherRobot.heard(this.#options.clock.nowS());
  }

  close(): Promise<void> {
    return this.#options.arm.close();
  }

  #takeCommands(model: RobotModel): ArmController[] {
    const { port, clock, stamps, periodS, interpolatesFromDesired, allowsEndInMotion } = this.#options;
    const trajectory = new JointTrajectoryController({
      jointNames: this.jointNames,
      interpolatesFromDesired,
      allowsEndInMotion,
    });
    const pose = new CartesianPoseController(model, periodS);
    const forward = (['position', 'velocity', 'effort'] as const).map(
      (kind) => new ForwardCommandController(kind, model.joints.length),
    );
    port.subscribe(JointTrajectory, `${trajectory.name}/joint_trajectory`, COMMAND_QOS, (message) => {
      const nowS = clock.nowS();
      const startS = nowS - stamps.ageS(message.header.stamp, nowS);
      this.#take(trajectory, () => trajectory.accept(message, startS, nowS));
    });
    for (const controller of forward) {
      port.subscribe(Float64MultiArray, `${controller.name}/commands`, COMMAND_QOS, (message) =>
        this.#take(controller, () => controller.accept(message.data)),
      );
    }
    port.subscribe(PoseStamped, 'target_pose', SENSOR_QOS, (message) =>
      this.#take(pose, () => pose.accept(message.pose, message.header.frame_id)),
    );
    return [trajectory, ...forward, pose];
  }

  #take(controller: ArmController, accept: () => string | undefined): void {
    if (this.#options.clock.nowS() >= this.#ignoresCommandsUntilS) this.#controllers.take(controller.name, accept);
  }

  #follow(): void {
    this.#options.arm.follow(this.#motion.find((controller) => this.#manager.isActive(controller.name)));
  }

  #reset(request: ResetSceneRequest): ResetSceneAnswer {
    const { arm } = this.#options;
    const jointsRad = request.joints_rad.length === 0 ? arm.model.homeRad : request.joints_rad;
    if (request.poses.length !== 4 * request.objects.length) {
      return {
        success: false,
        message: `${request.poses.length} numbers for the poses of ${request.objects.length} objects`,
      };
    }
    const objects = Object.fromEntries(
      request.objects.map((name, i) => [name, Array.from({ length: 4 }, (_, k) => request.poses[4 * i + k]!)]),
    ) as Record<string, [number, number, number, number]>;
    try {
      arm.reset({ jointsRad, objects, signals: {} });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { success: false, message: error.message };
    }
    this.#isBroken = false;
    this.#ignoresCommandsUntilS = this.#options.clock.nowS() + COMMANDS_IGNORED_S;
    return { success: true, message: '' };
  }

  #publishWrench(nowS: number): void {
    const { force, torque } = this.#wrench.wrench;
    const measured = this.#options.arm.state.wrench;
    [force.x, force.y, force.z] = [measured[0]!, measured[1]!, measured[2]!];
    [torque.x, torque.y, torque.z] = [measured[3]!, measured[4]!, measured[5]!];
    this.#wrench.header.frame_id = BASE_FRAME;
    this.#options.stamps.write(this.#wrench.header.stamp, nowS);
    this.#publish.wrench.publish(this.#wrench);
  }
}
