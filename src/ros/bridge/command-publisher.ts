/** Conversion of a command's numbers to the message type of the robot's controller. */
import type { RosDriverOptions } from '../../drivers/index.ts';
import {
  AckermannDriveStamped,
  Float64MultiArray,
  type Header,
  JointTrajectory,
  JointTrajectoryPoint,
  PoseStamped,
  Twist,
  TwistStamped,
} from '../messages/definitions.ts';
import { setTime } from '../messages/time.ts';
import { COMMAND_QOS } from '../port/qos.ts';
import type { RosPort } from '../port/ros-port.ts';

export interface CommandPublisher {
  /** Remapped and expanded. */
  readonly topic: string;
  readonly subscriberCount: number;
  /** Publishes the numbers of `values` from index `at` on. */
  publish(values: Float64Array, at: number): void;
}

/** Advertises the robot's command topic. Before the port's `start`. `periodS`: control period. */
export function advertiseCommand(port: RosPort, options: RosDriverOptions, periodS: number): CommandPublisher {
  const { interface: kind, topic } = options.command;
  switch (kind) {
    case 'jointTrajectory':
      return trajectoryPublisher(port, options, periodS);
    case 'pose':
      return posePublisher(port, options);
    case 'twist': {
      const message = Twist.create();
      return publisher(port.advertise(Twist, topic, COMMAND_QOS), message, (values, at) =>
        fillTwist(message, values, at),
      );
    }
    case 'twistStamped': {
      const message = TwistStamped.create();
      return publisher(port.advertise(TwistStamped, topic, COMMAND_QOS), message, (values, at) => {
        stamp(port, message.header, options.command.frameId);
        fillTwist(message.twist, values, at);
      });
    }
    case 'ackermann': {
      const message = AckermannDriveStamped.create();
      return publisher(port.advertise(AckermannDriveStamped, topic, COMMAND_QOS), message, (values, at) => {
        stamp(port, message.header, options.command.frameId);
        message.drive.speed = values[at]!;
        message.drive.steering_angle = values[at + 1]!;
      });
    }
    default:
      return numbersPublisher(port, options);
  }
}

interface Publishing<T> {
  readonly topic: string;
  readonly subscriberCount: number;
  publish(message: T): void;
}

function publisher<T>(
  inner: Publishing<T>,
  message: T,
  fill: (values: Float64Array, at: number) => void,
): CommandPublisher {
  return {
    topic: inner.topic,
    get subscriberCount() {
      return inner.subscriberCount;
    },
    publish: (values, at) => {
      fill(values, at);
      inner.publish(message);
    },
  };
}

function numbersPublisher(port: RosPort, options: RosDriverOptions): CommandPublisher {
  const message = Float64MultiArray.create();
  const joints = options.jointNames.length;
  message.data = new Float64Array(joints);
  return publisher(port.advertise(Float64MultiArray, options.command.topic, COMMAND_QOS), message, (values, at) => {
    for (let i = 0; i < joints; i++) message.data[i] = values[at + i]!;
  });
}

function trajectoryPublisher(port: RosPort, options: RosDriverOptions, periodS: number): CommandPublisher {
  const joints = options.jointNames.length;
  const point = JointTrajectoryPoint.create();
  point.positions = new Float64Array(joints);
  point.velocities = new Float64Array(joints);
  const horizonS = options.command.horizonPeriods * periodS;
  point.time_from_start.sec = Math.floor(horizonS);
  point.time_from_start.nanosec = Math.round((horizonS - Math.floor(horizonS)) * 1e9);
  // A stamp of zero means: start on arrival.
  const message = JointTrajectory.create();
  message.joint_names = [...options.rosJointNames];
  message.points = [point];
  return publisher(port.advertise(JointTrajectory, options.command.topic, COMMAND_QOS), message, (values, at) => {
    for (let i = 0; i < joints; i++) {
      point.positions[i] = values[at + i]!;
      point.velocities[i] = values[at + joints + i]!;
    }
  });
}

function posePublisher(port: RosPort, options: RosDriverOptions): CommandPublisher {
  const message = PoseStamped.create();
  return publisher(port.advertise(PoseStamped, options.command.topic, COMMAND_QOS), message, (values, at) => {
    stamp(port, message.header, options.command.frameId);
    const { position, orientation } = message.pose;
    position.x = values[at]!;
    position.y = values[at + 1]!;
    position.z = values[at + 2]!;
    orientation.w = values[at + 3]!;
    orientation.x = values[at + 4]!;
    orientation.y = values[at + 5]!;
    orientation.z = values[at + 6]!;
  });
}

function fillTwist({ linear, angular }: Twist, values: Float64Array, at: number): void {
  linear.x = values[at]!;
  linear.y = values[at + 1]!;
  linear.z = values[at + 2]!;
  angular.x = values[at + 3]!;
  angular.y = values[at + 4]!;
  angular.z = values[at + 5]!;
}

function stamp(port: RosPort, header: Header, frameId: string): void {
  setTime(header.stamp, port.clock.nowNs());
  header.frame_id = frameId;
}
