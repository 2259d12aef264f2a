/** Wheeled base as ROS sees one behind its controller: `cmd_vel` or `ackermann_cmd` in, `odom` out. */
import type { Clock } from '../../../../src/model/index.ts';
import {
  AckermannDriveStamped,
  COMMAND_QOS,
  GROUND_TRUTH,
  Odometry,
  type RosPort,
  type RosPublisher,
  STATE_QOS,
  Twist,
  TwistStamped,
} from '../../../../src/ros/program.ts';
import { type BaseKind, BaseModel, type BaseOptions, type PlanarPose } from './base-model.ts';
import { ControllerManager, ControllersAtPort } from './controller-manager.ts';
import { type Complaints, Trouble } from './injection.ts';
import type { SimClock } from './sim-time.ts';

export interface BaseSettings {
  readonly port: RosPort;
  readonly clock: Clock;
  readonly stamps: SimClock;
  readonly base: BaseOptions;
  readonly periodS: number;
  readonly takesStampedTwist: boolean;
  readonly isBestEffort: boolean;
  readonly complaints: Complaints;
}

const CONTROLLERS: Readonly<Record<BaseKind, { readonly name: string; readonly type: string }>> = {
  differential: { name: 'diffbot_base_controller', type: 'diff_drive_controller/DiffDriveController' },
  omni: { name: 'omni_base_controller', type: 'omni_wheel_drive_controller/OmniWheelDriveController' },
  ackermann: {
    name: 'ackermann_steering_controller',
    type: 'ackermann_steering_controller/AckermannSteeringController',
  },
};

/** Names used in place of joints to inject a fault. */
const AXES: readonly string[] = ['x', 'y', 'yaw'];

export class BaseSimulator {
  readonly trouble: Trouble = new Trouble();
  readonly jointNames: readonly string[] = AXES;
  readonly model: BaseModel;
  readonly #settings: BaseSettings;
  readonly #odom: RosPublisher<Odometry>;
  readonly #truth: RosPublisher<Odometry>;
  readonly #message: Odometry = Odometry.create();
  readonly #truthMessage: Odometry = Odometry.create();

  /** Registers everything at the port, which must not have been started. */
  constructor(settings: BaseSettings) {
    const { port, base, complaints } = settings;
    this.#settings = settings;
    this.model = new BaseModel(base);
    const controller = CONTROLLERS[base.kind];
    const manager = new ControllerManager([{ ...controller, claims: [], group: 'base' }], [controller.name], () =>
      this.model.halt(),
    );
    const reliability = settings.isBestEffort ? 'bestEffort' : 'reliable';
    this.#odom = port.advertise(Odometry, 'odom', { ...STATE_QOS, reliability });
    this.#truth = port.advertise(Odometry, GROUND_TRUTH, STATE_QOS);
    this.#takeCommands(controller.name, new ControllersAtPort(port, manager, this.trouble, complaints));
  }

  /** Simulates the period that ends at `deadlineS`, and publishes the odometry. */
  tick(deadlineS: number): void {
    const { periodS, stamps } = this.#settings;
    this.model.step(deadlineS, periodS);
    if (this.trouble.isSilent) return;
    if (!this.trouble.isFrozen) this.#fill(this.#message, this.model.odometry, this.trouble);
    this.#fill(this.#truthMessage, this.model.truth);
    for (const message of [this.#message, this.#truthMessage]) stamps.write(message.header.stamp, deadlineS);
    this.#odom.publish(this.#message);
    this.#truth.publish(this.#truthMessage);
  }

  /** Another publisher of this odometry is another base. */
  otherRobot(): string | undefined {
    const { port } = this.#settings;
    const { topic } = this.#odom;
    const nodes = port.endpoints(topic, 'publishers').map(({ node }) => node);
    const others = nodes.filter((node) => node !== port.fullName);
    return others.length === 0 ? undefined : `${[...new Set(others)].sort().join(', ')} publishes ${topic}`;
  }

  async close(): Promise<void> {}

  #takeCommands(name: string, controllers: ControllersAtPort): void {
    const { port, clock, stamps, base, takesStampedTwist } = this.#settings;
    const drive = ({ linear, angular }: Twist): string | undefined =>
      this.model.drive(linear.x, linear.y, angular.z, clock.nowS());
    if (takesStampedTwist) {
      port.subscribe(TwistStamped, 'cmd_vel', COMMAND_QOS, (message) =>
        controllers.take(name, () => {
          const ageS = stamps.ageS(message.header.stamp, clock.nowS());
          if (ageS > base.commandTimeoutS) return `a command that is ${ageS.toFixed(2)} s old`;
          return drive(message.twist);
        }),
      );
    } else port.subscribe(Twist, 'cmd_vel', COMMAND_QOS, (message) => controllers.take(name, () => drive(message)));
    if (base.kind !== 'ackermann') return;
    port.subscribe(AckermannDriveStamped, 'ackermann_cmd', COMMAND_QOS, ({ drive: asked }) =>
      controllers.take(name, () => this.model.steer(asked.speed, asked.steering_angle, clock.nowS())),
    );
  }

  #fill(message: Odometry, place: PlanarPose, trouble?: Trouble): void {
    const read = (axis: string, value: number): number =>
      trouble?.notFinite.has(axis) ? Number.NaN : value + (trouble?.offsetsRad.get(axis) ?? 0);
    const { pose, twist } = message;
    const yawRad = read('yaw', place.yawRad);
    message.header.frame_id = 'odom';
    message.child_frame_id = 'base_link';
    pose.pose.position.x = read('x', place.xM);
    pose.pose.position.y = read('y', place.yM);
    pose.pose.orientation.z = Math.sin(yawRad / 2);
    pose.pose.orientation.w = Math.cos(yawRad / 2);
    twist.twist.linear.x = this.model.forwardMPerS;
    twist.twist.linear.y = this.model.sidewaysMPerS;
    twist.twist.angular.z = this.model.turnRadPerS;
  }
}
