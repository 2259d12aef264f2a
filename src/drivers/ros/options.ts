/** What a robot behind ROS 2 is reached by: plain data, written in the robot's file, sent to the processes that speak ROS. */

/** What the robot's controller takes. */
export const COMMAND_INTERFACES = [
  'position',
  'jointTrajectory',
  'velocity',
  'effort',
  'pose',
  'twist',
  'twistStamped',
  'ackermann',
] as const;
export type CommandInterface = (typeof COMMAND_INTERFACES)[number];

export interface RosCommandOptions {
  readonly interface: CommandInterface;
  /** Where commands go; relative names follow the namespace. */
  readonly topic: string;
  /** `frame_id` of stamped commands. */
  readonly frameId: string;
  /** `position`: the command leads the reference by its velocity times this, s; one for each joint, or one for all. */
  readonly leadS: readonly number[];
  /** `velocity`: how fast a position error is worked off, 1/s. */
  readonly gainPerS: number;
  /** `jointTrajectory`: the time given to reach the point, in control periods. */
  readonly horizonPeriods: number;
  /** `effort`: what the last command of a stop is: no torque, or holding where the joints were measured for a second. */
  readonly effortStop: 'zero' | 'hold';
  /** `ackermann`: distance of the axles, m. */
  readonly wheelbaseM: number;
  /** `ackermann`: largest steering angle, rad. */
  readonly steeringMaxRad: number;
}

/** A number of the task that a topic gives. */
export interface RosSignalOptions {
  readonly name: string;
  readonly topic: string;
  /** A message type as ROS spells it, e.g. `std_msgs/msg/Float64`. */
  readonly type: string;
  /** Where the number is in the message, e.g. `data` or `wrench.force.z`. */
  readonly field: string;
  /** Silence beyond this stops the robot as a silent joint state does; 0: an event, which may come seldom or never. */
  readonly freshnessMs: number;
}

export interface RosDriverOptions {
  /** Joints in the order of every vector. */
  readonly jointNames: readonly string[];
  /** What the robot calls them, in the same order. */
  readonly rosJointNames: readonly string[];
  readonly signalNames: readonly string[];
  readonly command: RosCommandOptions;
  /** Where positions and velocities come from. */
  readonly state: { readonly kind: 'jointStates' | 'odometry'; readonly topic: string };
  readonly wrench?: { readonly topic: string; readonly frame: 'base' | 'tool'; readonly tareAtEnable: boolean };
  readonly signals: readonly RosSignalOptions[];
  /** A measurement older than this is late. */
  readonly freshnessMs: number;
  /** Fewer measurements per second than this are reported. */
  readonly minimumRateHz: number;
  readonly controllerManager?: {
    readonly name: string;
    readonly controllers: readonly string[];
    readonly activateOnEnable: boolean;
    readonly deactivateOnStop: boolean;
  };
  /** Simulated robots only: the service that puts the surroundings back. */
  readonly scene?: { readonly service: string };
}

/** How many numbers a command has. */
export function commandSize(interfaceName: CommandInterface, joints: number): number {
  switch (interfaceName) {
    case 'jointTrajectory':
      return 2 * joints;
    case 'pose':
      return 7;
    case 'twist':
    case 'twistStamped':
      return 6;
    case 'ackermann':
      return 2;
    default:
      return joints;
  }
}
