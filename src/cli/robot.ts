/** `rein robot import`: creates a robot's file from an MJCF or URDF. */
import {
  type Configured,
  collect,
  forceOption,
  oneOf,
  option,
  optionsOf,
  path,
  pathOption,
  positiveNumber,
  text,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';
import { modelOptions } from './model-options.ts';

/** Interfaces of the driver `ros` that suit arms. */
const ROS_INTERFACES = ['position', 'jointTrajectory', 'velocity', 'effort', 'pose'] as const;

const options = optionsOf({
  /** An MJCF, a URDF, or a limits file. */
  model: option(path(), '<model>', "the robot's MJCF or URDF, or a limits file that names it"),
  ...modelOptions,
  out: pathOption('--out <file>', 'the file to write; NAME.yaml here where absent'),
  name: option(text().optional(), '--name <name>', "the robot's name; else what the model is called"),
  ros: option(
    text().optional(),
    '--ros <controller>',
    'the robot is behind ROS 2: its controller that takes commands, as ros2 control list_controllers has it',
  ),
  rosInterface: option(
    oneOf(...ROS_INTERFACES).optional(),
    '--ros-interface <kind>',
    `with --ros: what it takes, ${ROS_INTERFACES.join(', ')}; else by its name`,
  ),
  rosDeactivate: option(
    text().array().default([]),
    '--ros-deactivate <controller>',
    'with --ros: one that has the joints before, and is switched off for it; may be repeated',
    { read: collect },
  ),
  rosRateHz: option(
    positiveNumber(2000).optional(),
    '--ros-rate <hz>',
    'with --ros: rate of joint_states, 100 where absent',
  ),
  force: forceOption(),
});

export type RobotImportOptions = Configured<typeof options>;

const HELP = `
What it does:
  1  Reads the joints, frames, masses, shapes and servos of the model, and lays the limits over them.
  2  Works out what no file says: home pose, workspace, margins, which links to keep apart, and for lack of better
     acceleration, stiffness and damping.
  3  Writes a robot's file in which each number says where it is from, what was assumed and what to look at first. Its
     driver is the simulator, with this model, or with --ros the topics of its controllers. The file is loaded and compiled once before it gets its name.

What a model has to have: limits of position, speed and torque of every joint that moves. An MJCF has no speed limits,
and a URDF only those of its <limit>. What is lacking is one number for all, --speed 1.5 --torque 20, or comes from --limits:
  joints:
    shoulder: { velocityMaxRadPerS: 2, accelMaxRadPerS2: 8, torqueMaxNm: 20 }
or from a ROS joint_limits.yaml as it is. docs/config.md lists all keys of a limits file.

What it does not do: mobile bases, whose files are written by hand (docs/your-car.md); and measure. You know
which of the numbers are your robot's; "rein safety check" tries them, and "rein safety identify" measures servos and
links of the real one.

Examples:
  $ rein robot import my_arm.urdf                             writes my_arm.yaml here
  $ rein robot import my_arm.xml --speed 1.5                  an MJCF has no speeds
  $ rein robot import my_arm.xml --limits joint_limits.yaml --out robots/my-arm.yaml
  $ rein robot import arm.urdf --package my_description=~/ws/src/my_description --fixed right_finger
  $ rein robot import ur5e.urdf --limits joint_limits.yaml --ros forward_position_controller \\
      --ros-deactivate scaled_joint_trajectory_controller --ros-rate 500     behind ROS 2: docs/your-ros-robot.md
  $ rein safety check my_arm.yaml                             then: what these limits are worth
  $ rein teleop --robot my_arm.yaml                           and drive it, simulated
${EXIT_CODES}`;

export const robotImportCommand = defineCommand({
  name: 'robot import',
  description: "write an arm's robot file from an MJCF or URDF",
  help: HELP,
  options,
});
