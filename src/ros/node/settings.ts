/**
 * Parameters of the node, and their resolution from the process's arguments, with the same checks as the YAML files.
 * Nothing is started.
 */
import { resolve } from 'node:path';
import { type Override, type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { ReinError } from '../../model/index.ts';
import type { MonitorRequest } from '../../monitor/web.ts';
import { LABEL_STEPS, ROBOT_ID } from '../../session/run-request.ts';
import { LIVE_COMMAND, type SpeedMode } from '../../session/supervision.ts';
import { JOY_PAD_NAMES, type JoyPadName } from '../../teleop/index.ts';
import { taskOf } from '../default-task.ts';
import { applyGiven, parameter, usesSimTime } from '../parameters/declared.ts';
import { type NodeIdentity, nodeIdentity } from '../parameters/names.ts';
import { parseRosArgs, type RosArguments, resolveParameters } from '../parameters/ros-args.ts';
import type { GivenValue } from '../parameters/scalars.ts';
import type { ParameterDeclaration } from '../port/ros-port.ts';
import { configParameters, isConfigParameter, overridesOf } from './config-parameters.ts';
import type { OperatorChoice } from './teleop.ts';

/** Name of the node unless remapped. */
export const NODE_NAME = 'rein';

/** May change at run time; all others are fixed once the node runs. */
export const JOINT_STATES_RATE = 'joint_states_rate';

/** The node's own parameters, as ROS tools show them; those of the configuration's schema come in addition. */
export const NODE_PARAMETERS: readonly ParameterDeclaration[] = [
  parameter('robot', 'string', '', {
    description: 'Name of a file in config/robots/, or a path ending in .yaml. Empty: the robot of the task.',
  }),
  parameter('task', 'string', '', {
    description:
      'Name of a file in config/tasks/, or a path ending in .yaml. Empty: insert, or a task that people judge (reach-judged, drive-judged, drive-car-judged) where the robot is not in the scene of insert.',
  }),
  parameter('config', 'string', '', {
    description: 'YAML file laid over task, robot and learner; see docs/config.md. Empty: none.',
  }),
  parameter('seed', 'integer', 0, {
    description: 'Seed of every random number.',
    range: { min: 0, max: Number.MAX_SAFE_INTEGER },
  }),
  parameter('learner', 'string', '', {
    description: 'Address of the learner, tcp://host:port. Empty: nothing is sent and nothing learned.',
  }),
  parameter('policy', 'string', '', {
    description: 'Policy to start with: an ONNX file with its manifest beside it. Empty: the learner sends one.',
  }),
  parameter('operator', 'string', 'none', {
    description: 'Operator that may take over: none, the scripted operator, a joystick on joy, or twists on ~/teleop.',
    choices: ['none', 'scripted', 'joy', 'twist'],
  }),
  parameter('pad', 'string', 'xbox', {
    description: 'Type of the joystick, which tells its sticks and buttons apart.',
    choices: [...JOY_PAD_NAMES],
  }),
  parameter('speed_mode', 'string', '', {
    description:
      'reduced: no point of the arm is moved faster than reducedSpeedMPerS of its file, 0.25 m/s where it gives none. full: as its file allows. Empty: full, or reduced where there is no policy and no learner, and only people drive.',
    choices: ['', 'full', 'reduced'],
  }),
  parameter('teleop_lease', 'double', 0.15, {
    description:
      'Validity of one message of an operator, s. After that the robot stops and stays. joy_node repeats at 20 Hz.',
    range: { min: 0.02, max: 0.15 },
  }),
  parameter('robot_id', 'string', ROBOT_ID.default, {
    description: 'Name of this robot at the learner, and hardware_id of its diagnostics.',
  }),
  parameter('out', 'string', '', {
    description: 'Folder of the run; one of an earlier start is carried on. Empty: a new one below runs/.',
  }),
  parameter('monitor', 'string', '', {
    description:
      'Address of the page for browsers: host:port, or none. Empty: this machine only, port 7400 or the next that is free.',
  }),
  parameter('monitor_token', 'string', '', {
    description: 'A file with the token that a page needs; a second one in it only watches. Empty: none.',
  }),
  parameter('monitor_cert', 'string', '', {
    description: 'Certificate (PEM) of the monitor, for other addresses than this machine. Empty: none.',
  }),
  parameter('monitor_key', 'string', '', { description: 'Its key (PEM). Empty: none.' }),
  parameter('labels', 'string', '', {
    description:
      'File of labelled states: each ~/mark appends those of the last steps, as successes or others (rein reward train). Empty: none.',
  }),
  parameter('label_steps', 'integer', LABEL_STEPS, {
    description: 'Steps that one mark labels.',
    range: { min: 1, max: 1000 },
  }),
  parameter(JOINT_STATES_RATE, 'double', 0, {
    description: 'Rate of joint_states, Hz; 0: at every tick of the guard. Robots behind ROS publish it themselves.',
    range: { min: 0, max: 1000 },
    isReadOnly: false,
  }),
];

/** Settings of the node besides its configuration. Supervisor and node parse them from the same arguments. */
export interface NodeRequest extends Pick<MonitorRequest, 'monitor' | 'monitorToken' | 'monitorCert' | 'monitorKey'> {
  readonly arguments: RosArguments;
  readonly identity: NodeIdentity;
  readonly robot: string;
  readonly task: string;
  /** False: it was chosen for the robot. */
  readonly isTaskGiven: boolean;
  /** Overlay file. */
  readonly config: string | undefined;
  readonly seed: number;
  readonly robotId: string;
  readonly learner: string | undefined;
  readonly policy: string | undefined;
  readonly operator: OperatorChoice;
  readonly pad: JoyPadName;
  readonly speedMode: SpeedMode | undefined;
  readonly teleopLeaseS: number;
  readonly jointStatesHz: number;
  readonly out: string | undefined;
  readonly labels: string | undefined;
  readonly labelSteps: number;
}

/** Parses `argv`, without the program's own name. Throws `ReinError('config')` that names the parameter. */
export function nodeRequest(argv: readonly string[]): NodeRequest {
  const args = parseRosArgs(argv);
  const [misplaced] = args.rest;
  if (misplaced !== undefined) {
    throw new ReinError('config', `"${misplaced}" is not understood`, {
      remedy: 'parameters follow --ros-args; --help names them',
    });
  }
  const identity = nodeIdentity(NODE_NAME, '/', args.remaps);
  const given = resolveParameters(args.parameters, identity.fullName);
  const own = applyGiven(NODE_PARAMETERS, notOfConfig(given));
  const text = (name: string): string => own.get(name) as string;
  return {
    arguments: args,
    identity,
    robot: text('robot'),
    task: taskOf(text('task'), text('robot')),
    isTaskGiven: text('task') !== '',
    config: text('config') || undefined,
    seed: own.get('seed') as number,
    robotId: robotIdOf(text('robot_id')),
    learner: text('learner') || undefined,
    policy: text('policy') || undefined,
    operator: text('operator') as OperatorChoice,
    pad: text('pad') as JoyPadName,
    speedMode: (text('speed_mode') || undefined) as SpeedMode | undefined,
    teleopLeaseS: own.get('teleop_lease') as number,
    jointStatesHz: own.get(JOINT_STATES_RATE) as number,
    out: text('out') || undefined,
    // YAML parses a bare off as false.
    monitor: text('monitor') === 'none' ? 'off' : text('monitor') || undefined,
    monitorToken: text('monitor_token') || undefined,
    monitorCert: text('monitor_cert') || undefined,
    monitorKey: text('monitor_key') || undefined,
    labels: text('labels') || undefined,
    labelSteps: own.get('label_steps') as number,
  };
}

/** Configuration of the node of `request`. Throws `ReinError('config')` that names the parameter. */
export function configOf(request: NodeRequest): ResolvedConfig {
  const { task, seed, robotId, config: overlay } = request;
  const given = resolveParameters(request.arguments.parameters, request.identity.fullName);
  const config = resolveConfig({
    task,
    seed,
    overlay,
    needsVerdicts: request.learner !== undefined,
    run: { command: LIVE_COMMAND, task, seed, robotId },
    overrides: [...robotOverride(request.robot), ...overridesOf(given)],
  });
  // Every given name must be one that the node declares.
  applyGiven(declarationsOf(config), given);
  return config;
}

/** All parameters declared by the node. */
export function declarationsOf(config: ResolvedConfig): readonly ParameterDeclaration[] {
  return [...NODE_PARAMETERS, ...configParameters(config)];
}

function notOfConfig(given: ReadonlyMap<string, GivenValue>): ReadonlyMap<string, GivenValue> {
  return new Map([...given].filter(([name]) => !isConfigParameter(name)));
}

/** A path is relative to the node's working directory, not to the task's file. */
function robotOverride(robot: string): readonly Override[] {
  if (robot === '') return [];
  const isPath = robot.endsWith('.yaml') || robot.includes('/');
  return [{ option: 'the parameter robot', path: ['task', 'robot'], value: isPath ? resolve(robot) : robot }];
}

function robotIdOf(id: string): string {
  if (ROBOT_ID.pattern.test(id)) return id;
  throw new ReinError('config', `robot_id is "${id}", it must be ${ROBOT_ID.allowed}`);
}

/** `text` of `rein run`, with its options as node parameters: `--out` becomes `out:=`, and `--seed 3` `seed:=3`. */
export function asParameters(text: string): string {
  return text.replace(/--(out|seed)\b(?: (\d+))?/g, (_, name: string, value = '') => `${name}:=${value}`);
}

const SCHEMES: Readonly<Record<string, string>> = { topic: 'rostopic://', service: 'rosservice://' };

/** ROS arguments of bridge and stopper: namespace, clock, remaps of topics and services. They keep their own node names. */
export function rosArgumentsOf({ arguments: args, identity }: NodeRequest): readonly string[] {
  const remaps = args.remaps.filter(
    ({ kind, node }) =>
      kind !== 'nodeName' && kind !== 'namespace' && (node === undefined || node === identity.nodeName),
  );
  // Controllers compare the stamps of commands with their own time.
  const isSimulated = usesSimTime(resolveParameters(args.parameters, identity.fullName));
  return [
    '--ros-args',
    '-r',
    `__ns:=${identity.namespace}`,
    ...remaps.flatMap(({ kind, from, to }) => ['-r', `${SCHEMES[kind] ?? ''}${from}:=${to}`]),
    ...(isSimulated ? ['-p', 'use_sim_time:=true'] : []),
  ];
}
