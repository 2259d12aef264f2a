/** From the process's arguments to what the node shall be, with the same checks as the YAML files; nothing is started. */
import { resolve } from 'node:path';
import { type Override, type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { ReinError } from '../../core/index.ts';
import { LIVE_COMMAND } from '../../session/index.ts';
import type { JoyPadName } from '../../teleop/index.ts';
import type { OperatorChoice } from '../node/teleop.ts';
import { applyGiven } from '../parameters/declared.ts';
import { type NodeIdentity, nodeIdentity } from '../parameters/names.ts';
import { resolveParameters } from '../parameters/resolve.ts';
import { parseRosArgs, type RosArguments } from '../parameters/ros-args.ts';
import type { GivenValue } from '../parameters/scalars.ts';
import type { ParameterDeclaration } from '../port/ros-port.ts';
import { configParameters, isConfigParameter, overridesOf } from './config-parameters.ts';
import { JOINT_STATES_RATE, NODE_PARAMETERS } from './parameters.ts';

/** The node's name where no remap gives another. */
export const NODE_NAME = 'rein';

export interface NodeSettings {
  readonly arguments: RosArguments;
  readonly identity: NodeIdentity;
  readonly config: ResolvedConfig;
  readonly robotId: string;
  readonly learner: string | undefined;
  readonly policy: string | undefined;
  readonly operator: OperatorChoice;
  readonly pad: JoyPadName;
  readonly teleopLeaseS: number;
  readonly jointStatesHz: number;
  readonly out: string | undefined;
}

/** `argv` without the program's own name. Throws `ReinError('config')` that names the parameter. */
export function resolveSettings(argv: readonly string[]): NodeSettings {
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
  const config = resolveConfig({
    task: text('task'),
    seed: own.get('seed') as number,
    overlay: text('config') || undefined,
    overrides: [...robotOverride(text('robot')), ...overridesOf(given)],
    run: { command: LIVE_COMMAND, task: text('task'), seed: own.get('seed') as number, robotId: text('robot_id') },
  });
  // Every given name is one that the node will declare.
  applyGiven(declarationsOf(config), given);
  return {
    ...{ arguments: args, identity, config, robotId: robotIdOf(text('robot_id')) },
    learner: text('learner') || undefined,
    policy: text('policy') || undefined,
    out: text('out') || undefined,
    operator: text('operator') as OperatorChoice,
    pad: text('pad') as JoyPadName,
    teleopLeaseS: own.get('teleop_lease') as number,
    jointStatesHz: own.get(JOINT_STATES_RATE) as number,
  };
}

/** All that the node declares. */
export function declarationsOf(config: ResolvedConfig): readonly ParameterDeclaration[] {
  return [...NODE_PARAMETERS, ...configParameters(config)];
}

function notOfConfig(given: ReadonlyMap<string, GivenValue>): ReadonlyMap<string, GivenValue> {
  return new Map([...given].filter(([name]) => !isConfigParameter(name)));
}

/** A path is relative to where the node was started, not to the task's file. */
function robotOverride(robot: string): readonly Override[] {
  if (robot === '') return [];
  const isPath = robot.endsWith('.yaml') || robot.includes('/');
  return [{ option: 'the parameter robot', path: ['task', 'robot'], value: isPath ? resolve(robot) : robot }];
}

const ROBOT_ID = /^[A-Za-z0-9][\w.-]{0,63}$/;

function robotIdOf(id: string): string {
  if (ROBOT_ID.test(id)) return id;
  throw new ReinError('config', `robot_id is "${id}", it must be 1 to 64 letters, digits, ".", "_" or "-"`);
}
