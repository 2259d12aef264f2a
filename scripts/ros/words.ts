/**
 * Purpose of each topic, service and action, by its name in the registering code. A test keeps these tables and the
 * registrations equal, in both directions. Topics of the node are described where they are filled.
 */
import { NODE_TOPICS } from '../../src/ros/node/topics.ts';

export interface Words {
  readonly what: string;
  /** Publishing rate, for topics that are published. */
  readonly rate?: string;
}
export type WordTable = Readonly<Record<string, Words>>;

export const NODE_WORDS: WordTable = {
  ...Object.fromEntries(NODE_TOPICS.map(({ name, what, rate }) => [name, { what, rate }])),
  '/diagnostics': {
    what: 'How guard, robot driver, policy, learner link, teleop and ROS are, with a sentence and figures each.',
    rate: '1 Hz',
  },
  joy: { what: 'A joystick that may take over. With `operator:=joy`; `pad` says what its buttons are.' },
  '~/teleop': {
    what: "Velocities of a person, m/s and rad/s in the base frame (`frame_id` empty or the robot's `driver.command.frameId`; others are refused). With `operator:=twist`; one message counts for `teleop_lease`.",
  },
  '~/success': { what: 'Marks the episode as a success, in tasks that a person judges.' },
  '~/failure': { what: 'Marks the episode as a failure.' },
  '~/stop': { what: 'The robot brakes and holds, until `~/reset`. Also while the node is inactive.' },
  '~/reset': { what: 'Acknowledges faults and enables the robot, which holds. Wants an active node.' },
  '~/resume': { what: 'Episode after episode, until `~/stop`. Wants an active node.' },
  '~/start_episode': { what: 'One training episode. Wants an active node.' },
  '~/rollback_policy': { what: 'The weights that acted before act again.' },
  '~/mark': { what: 'Marks the episode as a success or failure, with a note, in tasks that a person judges.' },
  '~/save_policy': { what: 'Writes the policy in use to a file that stands alone.' },
  '~/run_episode': { what: 'One episode, with feedback at every step. A cancel ends it and holds.' },
  '~/evaluate': { what: 'Episodes without exploration, learning or help, with feedback after each.' },
};

/** Topics of the guard's two processes; names in braces stand for values of the robot's file. */
export const BRIDGE_WORDS: WordTable = {
  command_topic: {
    what: 'Commands to the controller, of the type of `driver.command.interface`.',
    rate: 'every tick while the robot is enabled',
  },
  joint_states_topic: { what: 'Arms: joints by name; the guard looks at freshness, rate and jumps.' },
  odometry_topic: { what: 'Bases: pose and speed.' },
  wrench_topic: { what: 'Force and torque at the wrist.' },
  signal_topic: { what: 'A number of the task; any type of message with a number in it.' },
  'controller_manager_name/list_controllers': {
    what: 'Are the controllers active? Asked before the robot is enabled.',
  },
  'controller_manager_name/switch_controller': {
    what: 'Activates them then (`activateOnEnable`), deactivates them after a stop (`deactivateOnStop`).',
  },
  scene_service: { what: 'Simulated robots only: puts the surroundings back before an episode.' },
};

export const SIM_WORDS: WordTable = {
  joint_states: { what: 'Arm: measured joints.', rate: '`rate`' },
  wrench: { what: 'Arm: force and torque at the wrist, tared, base frame.', rate: '`rate`' },
  insertion_depth: { what: 'Arm: how deep the peg is in its hole, m.', rate: '`rate`' },
  'joint_trajectory_controller/joint_trajectory': { what: 'Arm: trajectories, while this controller is active.' },
  'forward_position_controller/commands': { what: 'Arm: positions, rad, while this controller is active.' },
  'forward_velocity_controller/commands': { what: 'Arm: velocities, rad/s, while this controller is active.' },
  'forward_effort_controller/commands': { what: 'Arm: torques, N·m, while this controller is active.' },
  target_pose: { what: 'Arm: pose of the tool, while `cartesian_impedance_controller` is active.' },
  odom: { what: 'Base: odometry of its wheels.', rate: '`rate`' },
  ground_truth: { what: 'Base: its true pose.', rate: '`rate`' },
  cmd_vel: { what: 'Base: speeds; `TwistStamped` with `stamped_twist`.' },
  ackermann_cmd: { what: 'Base of kind `ackermann`: speed and steering angle.' },
  '/clock': { what: 'Simulated time, with `publish_clock`.', rate: '`rate`' },
  '~/inject': {
    what: `Trouble on demand: silence, freeze, jump JOINT RAD, lose JOINT, nan JOINT, refuse, clock_back S, clear.`,
  },
  reset_scene: { what: 'Arm: puts joints and peg hole in place.' },
  'controller_manager/list_controllers': { what: 'As ros2_control answers it.' },
  'controller_manager/switch_controller': { what: 'As ros2_control does it.' },
};
