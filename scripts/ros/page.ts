/** Text of `docs/ros2/reference.md`, from registrations in code, declarations of parameters, and the package's files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIM_PARAMETERS } from '../../packages/emulate/src/ros/parameters.ts';
import { markdownTable } from '../../src/model/index.ts';
import { declarationsOf, NODE_PARAMETERS } from '../../src/ros/node/settings.ts';
import { USE_SIM_TIME } from '../../src/ros/parameters/declared.ts';
import type { QosProfile } from '../../src/ros/port/qos.ts';
import type { ParameterDeclaration } from '../../src/ros/port/ros-port.ts';
import { OBSERVATION_TYPES, type ObservationType } from '../../src/tasks/index.ts';
import { partsOf } from '../../src/tasks/observation-source.ts';
import { type Field, parseInterface, parseLaunchArguments } from './sources.ts';
import {
  bridgeSurface,
  configOf,
  FROM_FILE,
  nodeSurface,
  type Registration,
  type RegistrationKind,
  simSurface,
  stopperSurface,
} from './surfaces.ts';
import { BRIDGE_WORDS, NODE_WORDS, SIM_WORDS, type WordTable } from './words.ts';

/** `root`: the folder of the package. */
export async function rosReference(root: string): Promise<string> {
  const node = await nodeSurface();
  const bridge = await bridgeSurface();
  const stopper = await stopperSurface();
  const sim = await simSurface();
  const config = declarationsOf(configOf('insert')).slice(NODE_PARAMETERS.length);
  return [
    HEAD,
    '## The node\n\n`ros2 run rein node`, started by `robot.launch.py`: a lifecycle node called `rein`, with the\nservices that every lifecycle node and every node with parameters has.\n',
    surfaceText(node, NODE_WORDS),
    OBSERVATIONS_TEXT,
    observationTable(),
    '### Parameters of the node\n',
    PARAMETERS_TEXT,
    parameterTable([...NODE_PARAMETERS, USE_SIM_TIME]),
    '### The configuration as parameters\n',
    CONFIG_TEXT,
    parameterTable(config.filter(({ name }) => CONFIG_EXAMPLES.includes(name))),
    '## The guard behind ROS\n',
    GUARD_TEXT,
    '### `rein_bridge`\n',
    surfaceText(bridge, BRIDGE_WORDS),
    '### `rein_stopper`\n\nHas the same command ready, to stop the robot with, and nothing else.\n',
    surfaceText(stopper, BRIDGE_WORDS),
    '## The simulated robot\n\n`ros2 run rein sim`, started by `sim.launch.py` or `robot.launch.py sim:=true`: a node called `rein_sim`.\n',
    surfaceText(sim, SIM_WORDS),
    '### Parameters of the simulated robot\n',
    parameterTable([...SIM_PARAMETERS, USE_SIM_TIME]),
    '## Launch files\n',
    ...names(root, 'launch', '.launch.py').map((file) => launchText(root, file)),
    '## Interfaces\n',
    ...['msg', 'srv', 'action'].flatMap((folder) =>
      names(root, folder, `.${folder}`).map((file) => interfaceText(root, folder, file)),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

const HEAD = `# ROS 2 reference

Written by \`npm run docs\` from the code that registers topics, declares parameters and starts nodes, and from \`msg/\`, \`srv/\`,
\`action/\` and \`launch/\`; change those, not this page. Names are as the code has them: \`~/state\` is \`/rein/state\`, or
\`/arm1/rein/state\` in the namespace \`arm1\`; names without \`~\` and \`/\` follow the namespace; all can be remapped.
QoS: reliability, durability, messages kept. A reader is warned in an event and in \`/diagnostics\` when a publisher does not fit it.
`;
const OBSERVATIONS_TEXT = `A task that people judge names further topics to see (\`observation.topics\` of [its file](../config.md)): best effort, volatile, 1. What can be taken of a
message, in \`fields\`:
`;
const PARAMETERS_TEXT = `Given as \`--ros-args -p name:=value\`, in a \`--params-file\`, or as arguments of \`robot.launch.py\`. Fixed once the node runs, where the last
column does not say otherwise.
`;
const CONFIG_TEXT = `Each number and word of [the configuration](../config.md) is a parameter, \`settings.\` before its place there, with the type, default, range and
description that it has there; given as above, checked as there, and fixed once the node runs. Entries of a list that have names go by these. Which there
are depends on task and robot (\`ros2 param list\` shows them); lists of numbers are shown and cannot be given. Of \`task:=insert\`, for example:
`;
/** One of each form. */
const CONFIG_EXAMPLES = [
  'settings.task.maxSteps',
  'settings.task.action.dimensions.x.scale',
  'settings.robot.joints.elbow.velocityMaxRadPerS',
  'settings.learner.utd',
];
const GUARD_TEXT = `Where the robot's file has \`driver: { kind: ros }\`, the guard has two processes that speak ROS for it, in the node's namespace and with its
remaps. Names in the table are keys of [the robot's file](../config.md).
`;

const HEADINGS: readonly (readonly [RegistrationKind, string])[] = [
  ['publishes', 'Publishes'],
  ['subscribes', 'Subscribes'],
  ['serves', 'Services'],
  ['calls', 'Calls'],
  ['offers', 'Actions'],
];

function surfaceText(all: readonly Registration[], words: WordTable): string {
  return HEADINGS.map(([kind, heading]) => {
    const rows = byName(all.filter((registration) => registration.kind === kind));
    if (rows.length === 0) return '';
    const isTopic = kind === 'publishes' || kind === 'subscribes';
    const rated = kind === 'publishes';
    const head = [heading, 'type', ...(isTopic ? ['QoS'] : []), ...(rated ? ['rate'] : []), 'what it is'];
    const body = rows.map(({ name, typeNames, qos }) => {
      const { what = '', rate = '' } = words[name] ?? {};
      const shown = FROM_FILE[name] ?? name;
      return [
        `\`${shown}\``,
        typeNames.map((type) => `\`${type}\``).join(' '),
        ...(isTopic ? [qosText(qos)] : []),
        ...(rated ? [rate] : []),
        what,
      ];
    });
    return markdownTable(head, body);
  })
    .filter((text) => text !== '')
    .join('\n');
}

function observationTable(): string {
  const fields = (type: ObservationType): string =>
    partsOf(type)
      .map((part) => `\`${part}\``)
      .join(', ');
  return markdownTable(
    ['observed type', 'fields'],
    OBSERVATION_TYPES.map((type) => [`\`${type}\``, fields(type)]),
  );
}

interface Named {
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly qos: QosProfile | undefined;
}

/** One row per name, with every type that it may have. */
function byName(registrations: readonly Registration[]): readonly Named[] {
  const rows = new Map<string, Named>();
  for (const { name, typeName, qos } of registrations) {
    const { typeNames = [] } = rows.get(name) ?? {};
    rows.set(name, { name, typeNames: [...typeNames, typeName], qos });
  }
  return [...rows.values()];
}

function qosText(qos: QosProfile | undefined): string {
  if (qos === undefined) return '';
  const reliability = qos.reliability === 'reliable' ? 'reliable' : 'best effort';
  const durability = qos.durability === 'volatile' ? 'volatile' : 'transient local';
  return `${reliability}, ${durability}, ${qos.depth}`;
}

function parameterTable(parameters: readonly ParameterDeclaration[]): string {
  return markdownTable(
    ['parameter', 'type', 'default', 'range', 'what it is'],
    parameters.map((parameter) => {
      const { name, type, description, choices = [], constraints = '' } = parameter;
      const words = choices.filter((choice) => choice !== '');
      const oneOf = words.length === 0 ? '' : ` One of: ${words.map((word) => `\`${word}\``).join(', ')}.`;
      const change = parameter.isReadOnly === false ? ' May be changed at run time.' : '';
      const shown = parameter.default === '' ? 'empty' : `\`${JSON.stringify(parameter.default).replaceAll('"', '')}\``;
      return [`\`${name}\``, type, shown, rangeText(parameter), `${description}${oneOf}${constraints}${change}`];
    }),
  );
}

function rangeText({ range }: ParameterDeclaration): string {
  if (range === undefined) return '';
  const { min, max } = range;
  const low = Number.isFinite(min) ? `≥ ${min}` : '';
  const high = Number.isFinite(max) ? `≤ ${max === Number.MAX_SAFE_INTEGER ? '2⁵³ − 1' : max}` : '';
  return [low, high].filter((end) => end !== '').join(', ');
}

function launchText(root: string, file: string): string {
  const python = readFileSync(join(root, 'launch', file), 'utf8');
  const rows = parseLaunchArguments(python).map(({ name, default: value, choices, what }) => [
    `\`${name}\``,
    value === '' ? 'empty' : `\`${value}\``,
    choices,
    what,
  ]);
  return `### \`${file}\`\n\n${markdownTable(['argument', 'default', 'choices', 'what it is'], rows)}`;
}

const PART_TITLES: Readonly<Record<string, readonly string[]>> = {
  msg: [''],
  srv: ['request', 'answer'],
  action: ['goal', 'result', 'feedback'],
};

function interfaceText(root: string, folder: string, file: string): string {
  const { what, parts } = parseInterface(readFileSync(join(root, folder, file), 'utf8'));
  const titles = PART_TITLES[folder] ?? [];
  const rows = parts.flatMap((fields, at) =>
    fields.map((field, i) => fieldRow(titles[at] ?? '', field, fields[i - 1])),
  );
  const name = `rein/${folder}/${file.replace(/\.\w+$/, '')}`;
  const head = folder === 'msg' ? ['field', 'type', 'what it is'] : ['part', 'field', 'type', 'what it is'];
  const body = folder === 'msg' ? rows.map(([, ...rest]) => rest) : rows;
  return `### \`${name}\`\n\n${what}\n\n${markdownTable(head, body)}`;
}

/** A comment shared by several fields is shown once. */
function fieldRow(part: string, { name, type, comment }: Field, before: Field | undefined): readonly string[] {
  return [part, `\`${name}\``, `\`${type}\``, before?.comment === comment ? '' : comment];
}

function names(root: string, folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending))
    .sort();
}
