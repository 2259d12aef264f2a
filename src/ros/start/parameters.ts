/** The node's own parameters, as ROS tools show them. Those of the configuration's schema are beside them. */
import type { ParameterDeclaration, ParameterValue } from '../port/ros-port.ts';

type Words = Pick<ParameterDeclaration, 'description' | 'choices' | 'range' | 'constraints' | 'isReadOnly'>;

function parameter(
  name: string,
  type: ParameterDeclaration['type'],
  value: ParameterValue,
  words: Words,
): ParameterDeclaration {
  return { name, type, default: value, isReadOnly: true, ...words };
}

/** Changes at run time; all others are fixed once the node runs. */
export const JOINT_STATES_RATE = 'joint_states_rate';

export const NODE_PARAMETERS: readonly ParameterDeclaration[] = [
  parameter('robot', 'string', '', {
    description: 'Name of a file in config/robots/, or a path ending in .yaml. Empty: the robot of the task.',
  }),
  parameter('task', 'string', 'insert', {
    description: 'Name of a file in config/tasks/, or a path ending in .yaml.',
  }),
  parameter('config', 'string', '', {
    description: 'YAML file laid over task, robot and learner; see docs/config.md. Empty: none.',
  }),
  parameter('seed', 'integer', 0, {
    description: 'Seed of every random number.',
    range: { min: 0, max: Number.MAX_SAFE_INTEGER },
  }),
  parameter('learner', 'string', '', {
    description: 'Where the learner listens, tcp://host:port. Empty: nothing is sent and nothing learned.',
  }),
  parameter('policy', 'string', '', {
    description: 'Policy to start with: an ONNX file with its manifest beside it. Empty: the learner sends one.',
  }),
  parameter('operator', 'string', 'none', {
    description: 'Who may take over: nobody, the scripted operator, a joystick on joy, or twists on ~/teleop.',
    choices: ['none', 'scripted', 'joy', 'twist'],
  }),
  parameter('pad', 'string', 'xbox', {
    description: 'What the joystick is, so that its sticks and buttons are known.',
    choices: ['xbox', 'playstation', 'stick'],
  }),
  parameter('teleop_lease', 'double', 0.15, {
    description:
      'How long one message of an operator counts, s. After that the robot stops and stays. joy_node repeats at 20 Hz.',
    range: { min: 0.02, max: 0.15 },
  }),
  parameter('robot_id', 'string', 'robot1', {
    description: 'Name of this robot at the learner, and hardware_id of its diagnostics.',
  }),
  parameter('out', 'string', '', {
    description: 'Folder of the run; one of an earlier start is carried on. Empty: a new one below runs/.',
  }),
  parameter(JOINT_STATES_RATE, 'double', 0, {
    description:
      'How often joint_states is published, Hz; 0: at every tick of the guard. Robots behind ROS publish it themselves.',
    range: { min: 0, max: 1000 },
    isReadOnly: false,
  }),
];
