/** Options of a robot behind ROS 2: `driver` section of the robot file, also sent to the ROS processes. */
import { z } from 'zod';
import { packagesField } from '../../plant/index.ts';
import { type Configured, num, whole } from '../../schema/index.ts';

/** Command interfaces of robot controllers. */
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

/** True if the controller keeps holding the last command. */
export function holdsPosition(kind: CommandInterface): boolean {
  return kind === 'position' || kind === 'jointTrajectory' || kind === 'pose';
}

/** ROS name: relative, private or absolute. */
function rosName(description: string): z.ZodString {
  return z
    .string()
    .regex(/^[~/]?[A-Za-z_][A-Za-z0-9_]*(\/[A-Za-z_][A-Za-z0-9_]*)*$|^~\/[A-Za-z_][A-Za-z0-9_/]*$/)
    .max(255)
    .meta({ description });
}

const command = z.strictObject({
  interface: z.enum(COMMAND_INTERFACES).meta({
    description:
      'What the controller takes. Arms: `position`, `velocity`, `effort` (Float64MultiArray), `jointTrajectory`, `pose` (PoseStamped of the tool point). Bases: `twist`, `twistStamped`, `ackermann`.',
  }),
  topic: rosName('Where commands go; a relative name follows the namespace.'),
  frameId: z.string().max(255).meta({ description: '`frame_id` of stamped commands.' }).default('base_link'),
  leadS: z
    .array(z.number().min(0).max(0.2))
    .min(1)
    .max(16)
    .meta({
      unit: 's',
      description:
        '`position`: commands lead the reference by its velocity times this, for servos that lag by a known time. One number, or one a joint.',
    })
    .default([0]),
  gainPerS: num('1/s', { min: 0, max: 100 }, '`velocity`: how fast a position error is worked off.').default(10),
  horizonPeriods: whole(
    'periods',
    { min: 1, max: 10 },
    '`jointTrajectory`: control periods given to reach the point. Let the controller interpolate from its desired state: one that begins at the measured state moves an arm that lags hardly at all.',
  ).default(1),
  effortStop: z
    .enum(['zero', 'hold'])
    .meta({ description: '`effort`: a stop sends no torque, or holds the joints for a second first.' })
    .default('zero'),
});

const signal = z.strictObject({
  name: z.string().min(1).max(64).meta({ description: 'Name of the number in the task.' }),
  topic: rosName('Topic that gives it.'),
  type: z.string().min(1).max(255).meta({ description: 'Message type, e.g. `std_msgs/msg/Float64`.' }),
  field: z.string().min(1).max(255).meta({ description: 'Where it is in the message, e.g. `data`.' }),
  freshnessMs: num(
    'ms',
    { min: 0, max: 10_000 },
    'Before the first message the robot is not enabled; after a longer silence than this it stops as for silent joint states (row 10). 0: an event, which may come seldom or never.',
  ).default(200),
});

export const rosSchema = z.strictObject({
  kind: z.literal('ros').meta({ description: 'What drives the robot: `ros`, controllers behind ROS 2 topics.' }),
  command: command.meta({ description: 'How the robot is commanded.' }),
  jointStates: z
    .strictObject({
      topic: rosName('Topic of `sensor_msgs/msg/JointState`.').default('joint_states'),
      names: z
        .array(z.string().min(1).max(255))
        .max(16)
        .meta({ description: "Joint names in the robot's messages, in this file's order; none: those of this file." })
        .default([]),
    })
    .meta({ description: 'Arms: where joints are read, by name.' })
    .optional(),
  odometry: z
    .strictObject({ topic: rosName('Topic of `nav_msgs/msg/Odometry`.').default('odom') })
    .meta({ description: 'Bases: where odometry is read.' })
    .optional(),
  wrench: z
    .strictObject({
      topic: rosName('Topic of `geometry_msgs/msg/WrenchStamped`.').default('wrench'),
      frame: z
        .enum(['base', 'tool'])
        .meta({ description: "Frame of its numbers: the robot's base, or the tool (they are turned then)." })
        .default('tool'),
      tareAtEnable: z.boolean().meta({ description: 'Its value when torque comes on counts as zero.' }).default(true),
    })
    .meta({
      description:
        'Force and torque at the wrist; 0 without. Before the first message the robot is not enabled; after 200 ms of silence it stops (row 10).',
    })
    .optional(),
  signals: z.array(signal).max(32).meta({ description: 'Numbers of the task that topics give.' }).default([]),
  distance: z
    .strictObject({
      topic: rosName('Topic of the distance of the nearest person.').default('range'),
      type: z.string().min(1).max(255).meta({ description: 'Message type.' }).default('sensor_msgs/msg/Range'),
      field: z.string().min(1).max(255).meta({ description: 'Where the metres are in the message.' }).default('range'),
    })
    .meta({
      description:
        'Arms with `separation`: distance of the nearest person. Before the first message the robot is not enabled; after a longer silence than `separation.freshnessMs` it stops (row 10).',
    })
    .optional(),
  freshnessMs: num(
    'ms',
    { min: 2, max: 500 },
    'A measurement older than this is late; three ticks late in a row stop the robot (row 10).',
  ).default(20),
  minimumRateHz: num('Hz', { min: 1, max: 2000 }, 'A lower rate of measurements is reported.').default(50),
  controllerManager: z
    .strictObject({
      name: rosName('Node of ros2_control.').default('controller_manager'),
      controllers: z
        .array(z.string().min(1).max(255))
        .min(1)
        .max(8)
        .meta({ description: 'Controllers that must be active before the robot is enabled.' }),
      activateOnEnable: z.boolean().meta({ description: 'They are activated then.' }).default(false),
      deactivate: z
        .array(z.string().min(1).max(255))
        .max(8)
        .meta({
          description:
            '`activateOnEnable`: controllers that may hold the joints before, such as `scaled_joint_trajectory_controller`; they are deactivated in the same switch.',
        })
        .default([]),
      deactivateOnStop: z.boolean().meta({ description: 'They are deactivated when torque goes off.' }).default(false),
    })
    .meta({ description: 'ros2_control, through which controllers are checked and switched.' })
    .optional(),
  scene: z
    .strictObject({ service: rosName('Service of `rein/srv/ResetScene`.').default('reset_scene') })
    .meta({ description: 'Simulated robots only: how the surroundings are put back.' })
    .optional(),
  model: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        "The robot's own MJCF or URDF, whose joints have this file's names; relative to this file. What simulates it (`rein sim`, `sim:=true`), and what is checked; the robot itself does not need it.",
    })
    .optional(),
  packages: packagesField,
});

/** Signal name under which the distance of people is sent along with the task's signals; reserved. */
export const DISTANCE_SIGNAL = 'distance of people';

export type RosConfig = Configured<typeof rosSchema>;

/** True if `driver` is that of a robot behind ROS 2. */
export function isRos(driver: { readonly kind: string }): driver is RosConfig {
  return driver.kind === 'ros';
}

const { signals, freshnessMs, minimumRateHz, wrench, controllerManager, scene } = rosSchema.shape;

export const rosOptions = z.strictObject({
  // In the order of every vector, with the robot's own joint names.
  jointNames: z.array(z.string()),
  rosJointNames: z.array(z.string()),
  signalNames: z.array(z.string()),
  // `ackermann`: wheelbase, m, and largest steering angle, rad.
  command: command.extend({ wheelbaseM: z.number().min(0), steeringMaxRad: z.number().min(0) }),
  // Source of positions and velocities.
  state: z.strictObject({ kind: z.enum(['jointStates', 'odometry']), topic: z.string() }),
  signals,
  freshnessMs,
  minimumRateHz,
  wrench,
  controllerManager,
  scene,
});

export type RosDriverOptions = Configured<typeof rosOptions>;

/** Programs that speak ROS for the guard, which does not load ROS. */
export const rosProcesses = z.strictObject({
  // Paths of the compiled modules of bridge and stopper.
  bridgeModule: z.string().min(1),
  stopperModule: z.string().min(1),
  // `--ros-args …`: namespace and remaps.
  rosArguments: z.array(z.string()),
});

export type RosProcesses = Configured<typeof rosProcesses>;

/** Returns the number of values in a command. */
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
