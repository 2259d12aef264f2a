/** The `driver` of a robot: the simulator, a mock, or controllers behind ROS 2 with their topics and how fresh measurements must be. */
import { z } from 'zod';
import { COMMAND_INTERFACES, type CommandInterface } from '../../drivers/index.ts';
import { num, whole } from '../../schema/index.ts';
import { type Same, schemaOf } from './same.ts';

/** What moves the robot. Each kind of driver has its own keys. */
export type DriverConfig = MujocoDriverConfig | MockDriverConfig | RosDriverConfig;

export interface MujocoDriverConfig {
  readonly kind: 'mujoco';
  /** The surroundings; their measures come from the task. Either this or `model`. */
  readonly scene?: 'peg-insertion' | undefined;
  /** The robot's own MJCF or URDF; an absolute path once its file is loaded. */
  readonly model?: string | undefined;
}

export interface MockDriverConfig {
  readonly kind: 'mock';
  readonly busPath?: string | undefined;
  readonly torqueNm?: readonly number[] | undefined;
}

export interface RosDriverConfig {
  readonly kind: 'ros';
  readonly command: {
    readonly interface: CommandInterface;
    readonly topic: string;
    readonly frameId: string;
    readonly leadS: readonly number[];
    readonly gainPerS: number;
    readonly horizonPeriods: number;
    readonly effortStop: 'zero' | 'hold';
  };
  readonly jointStates?: { readonly topic: string; readonly names: readonly string[] } | undefined;
  readonly odometry?: { readonly topic: string } | undefined;
  readonly wrench?:
    | { readonly topic: string; readonly frame: 'base' | 'tool'; readonly tareAtEnable: boolean }
    | undefined;
  readonly signals: readonly {
    readonly name: string;
    readonly topic: string;
    readonly type: string;
    readonly field: string;
    readonly freshnessMs: number;
  }[];
  readonly freshnessMs: number;
  readonly minimumRateHz: number;
  readonly controllerManager?:
    | {
        readonly name: string;
        readonly controllers: readonly string[];
        readonly activateOnEnable: boolean;
        readonly deactivateOnStop: boolean;
      }
    | undefined;
  readonly scene?: { readonly service: string } | undefined;
}

/** A name of ROS: relative, private or absolute. */
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
    'Before it has come the robot is not enabled; when it is silent for longer than this, the robot stops as for silent joint states (row 10). 0: it is an event, which may come seldom or never.',
  ).default(200),
});

const mujoco = z.strictObject({
  kind: z.literal('mujoco').meta({ description: 'What drives the robot: `mujoco`, the simulator.' }),
  scene: z
    .enum(['peg-insertion'])
    .meta({ description: 'Surroundings in the simulator, which bring an arm along. Either this or `model`.' })
    .optional(),
  model: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        "The robot's own MJCF or URDF, whose joints have this file's names; relative to this file. Servos, base and limits are this file's.",
    })
    .optional(),
});

const mock = z.strictObject({
  kind: z.literal('mock').meta({
    description: 'What drives the robot: `mock`, joints that follow their reference and nothing around them.',
  }),
  busPath: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        'A named pipe or one end of a pseudo-terminal, where every reference is written as a frame, and where the guardian stops the robot. Somebody has to read it.',
    })
    .optional(),
  torqueNm: z
    .array(z.number().min(-1e6).max(1e6))
    .min(1)
    .max(32)
    .meta({
      unit: 'N·m',
      description: 'Torques that it reports, joint by joint, whatever it does. Absent: it measures none.',
    })
    .optional(),
});

const ros = z.strictObject({
  kind: z.literal('ros').meta({ description: 'What drives the robot: `ros`, controllers behind ROS 2 topics.' }),
  command: command.meta({ description: 'What the robot is commanded by.' }),
  jointStates: z
    .strictObject({
      topic: rosName('Topic of `sensor_msgs/msg/JointState`.').default('joint_states'),
      names: z
        .array(z.string().min(1).max(255))
        .max(16)
        .meta({ description: "What the robot calls its joints, in this file's order; none: as this file does." })
        .default([]),
    })
    .meta({ description: 'Arms: where joints are read, by name.' })
    .optional(),
  odometry: z
    .strictObject({ topic: rosName('Topic of `nav_msgs/msg/Odometry`.').default('odom') })
    .meta({ description: 'Bases: where the way is read.' })
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
        'Force and torque at the wrist; 0 without. Before it has come the robot is not enabled; 200 ms of its silence stop the robot (row 10).',
    })
    .optional(),
  signals: z.array(signal).max(32).meta({ description: 'Numbers of the task that topics give.' }).default([]),
  freshnessMs: num(
    'ms',
    { min: 2, max: 500 },
    'A measurement older than this is late; three ticks late in a row stop the robot (row 10).',
  ).default(20),
  minimumRateHz: num('Hz', { min: 1, max: 2000 }, 'Fewer measurements a second are reported.').default(50),
  controllerManager: z
    .strictObject({
      name: rosName('Node of ros2_control.').default('controller_manager'),
      controllers: z
        .array(z.string().min(1).max(255))
        .min(1)
        .max(8)
        .meta({ description: 'Controllers that must be active before the robot is enabled.' }),
      activateOnEnable: z.boolean().meta({ description: 'They are activated then.' }).default(false),
      deactivateOnStop: z.boolean().meta({ description: 'They are deactivated when torque goes off.' }).default(false),
    })
    .meta({ description: 'ros2_control, where controllers are looked at and switched.' })
    .optional(),
  scene: z
    .strictObject({ service: rosName('Service of `rein/srv/ResetScene`.').default('reset_scene') })
    .meta({ description: 'Simulated robots only: how the surroundings are put back.' })
    .optional(),
});

const schema = z
  .discriminatedUnion('kind', [mujoco, mock, ros])
  .meta({ description: 'What moves the robot; each kind of driver has keys of its own.' });

export const driverSchema: z.ZodType<DriverConfig> = schemaOf<
  DriverConfig,
  Same<z.output<typeof schema>, DriverConfig>
>(schema);
