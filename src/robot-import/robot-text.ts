/** Text of a robot file, with comments on the source of each number and on what to check. */
import { basename } from 'node:path';
import {
  type Capsule,
  type JointModel,
  parentOf,
  positionUnit,
  type RobotModel,
  type TankModel,
  torqueUnit,
} from '../model/index.ts';
import { wrapText } from '../model/portable.ts';
import type { ModelSubject } from './model-subject.ts';
import { type RosAsked, rosDriverLines } from './ros-driver-text.ts';

/** Input of the writer. */
export interface ImportedFile {
  readonly model: RobotModel;
  readonly subject: ModelSubject;
  /** Path of the model, as written in the robot file. */
  readonly modelPath: string;
  /** Folders of ROS packages by name, as written in the robot file. */
  readonly packages: readonly (readonly [string, string])[];
  /** Robot behind ROS 2; absent: simulated. */
  readonly ros?: RosAsked | undefined;
  /** The workspace ends at the base plane, which is an assumption. */
  readonly isAboveFloor: boolean;
}

/** Width of comments, columns. */
const WIDTH = 118;
/** Significant digits: further ones are rounding. */
const DIGITS = 12;
const LEAST = 1e-12;

/** Limits of a joint in the order in which they are written, with their names in comments. */
const WORDS = {
  positionMinRad: 'lowest',
  positionMaxRad: 'highest position',
  velocityMaxRadPerS: 'speed',
  accelMaxRadPerS2: 'acceleration',
  jerkMaxRadPerS3: 'jerk',
  torqueMaxNm: 'torque',
  stiffnessNmPerRad: 'stiffness',
  dampingNmSPerRad: 'damping',
  encoderNoiseRad: 'noise of readings',
  dryFrictionNm: 'dry friction',
  limitMarginRad: 'distance kept from limits',
} as const satisfies { readonly [K in keyof JointModel]?: string };
const LIMITS = Object.keys(WORDS) as (keyof typeof WORDS)[];

/** Returns the text of `file`, ready to be written. */
export function robotFileText(file: ImportedFile): string {
  const { model } = file;
  const names = capsuleNames(model.collision?.capsules ?? []);
  const parts = [
    headText(file),
    `name: ${plain(model.name)}`,
    'joints:',
    ...model.joints.flatMap((_, i) => jointLines(file, i)),
    ...toolLines(file),
    ...workspaceLines(file),
    ...pointLines(model),
    ...collisionLines(file, names),
    ...tankLines(model.tank),
    ...contactLines(model),
    ...exitLines(file),
    ...restLines(file),
  ];
  return `${parts.join('\n')}\n`;
}

function headText({ model, subject, modelPath }: ImportedFile): string {
  const { sources, assumed } = subject.subject;
  const lines = [
    `Robot "${model.name}", written by rein robot import from ${sources.map((path) => basename(path)).join(' and ')}.`,
    'Units: m, rad, s, kg, N·m; for a joint that slides read m for rad and N for N·m. All keys: docs/config.md.',
    `Each joint names the source of its numbers. Geometry, shapes and masses are ${basename(modelPath)}'s.`,
    ...(assumed.length === 0 ? [] : ['No file gave what follows. Look at it first:']),
    ...assumed.map((message) => `- ${message}`),
    'What else a robot can have: points that stay in boxes, keep-out boxes, a payload, an energy tank, limits of contact.',
  ];
  return lines.map((line) => comment(line)).join('\n');
}

/** Returns a sentence as comment lines. */
function comment(text: string, indent = ''): string {
  const lead = `${indent}# `;
  const hang = text.startsWith('- ') ? '  ' : '';
  return wrapText(text, WIDTH - lead.length)
    .split('\n')
    .map((line, i) => `${lead}${i === 0 ? '' : hang}${line.trim()}`)
    .join('\n');
}

function jointLines(file: ImportedFile, index: number): string[] {
  const { joints } = file.model;
  const joint = joints[index]!;
  const before = index === 0 ? 'base' : joints[index - 1]!.name;
  const parent = parentOf(joints, index);
  return [
    comment(sourceText(file, index), '  '),
    `  - name: ${plain(joint.name)}`,
    ...(joint.kind === undefined || joint.kind === 'revolute' ? [] : [`    kind: ${joint.kind}`]),
    ...(parent === before ? [] : [`    parent: ${plain(parent)}`]),
    `    originXyzM: ${list(joint.originXyzM)}`,
    `    originRpyRad: ${list(joint.originRpyRad)}`,
    `    axis: ${list(joint.axis)}`,
    ...LIMITS.flatMap((key) => (joint[key] === undefined ? [] : [`    ${key}: ${number(joint[key])}`])),
  ];
}

/** Returns the file and line of each limit, and those of none. */
function sourceText({ model, subject }: ImportedFile, index: number): string {
  const joint = model.joints[index]!;
  const assumed = subject.assumedLimits[index]!;
  const bySource = new Map<string, string[]>();
  for (const key of LIMITS) {
    if (joint[key] === undefined || assumed.has(key)) continue;
    const { file, line } = subject.place(['joints', index, key]);
    const source = line > 0 ? `${basename(file)}:${line}` : basename(file);
    bySource.set(source, [...(bySource.get(source) ?? []), WORDS[key]]);
  }
  const units = `${positionUnit(joint)}, ${torqueUnit(joint)}`;
  const known = [...bySource].map(([source, keys]) => `${keys.join(', ')} from ${source}`);
  const guessed = LIMITS.filter((key) => assumed.has(key)).map((key) => WORDS[key]);
  const all = [...known, ...(guessed.length === 0 ? [] : [`ASSUMED: ${guessed.join(', ')}`])];
  return `${joint.kind === 'prismatic' ? 'Slides' : 'Turns'} (${units}); ${all.join('; ')}.`;
}

function toolLines({ model, subject }: ImportedFile): string[] {
  const { link, originXyzM, originRpyRad } = model.tool;
  const why = subject.assumedParts.has('tool')
    ? 'ASSUMED. Where the tool point is in the frame of the joint that carries it: between the fingers, at the tip, with z along the tool.'
    : 'Where the tool point is in the frame of the joint that carries it.';
  return [
    comment(why),
    'tool:',
    ...(link === undefined ? [] : [`  link: ${plain(link)}`]),
    `  originXyzM: ${list(originXyzM)}`,
    `  originRpyRad: ${list(originRpyRad)}`,
  ];
}

function workspaceLines({ model, subject, isAboveFloor }: ImportedFile): string[] {
  const floor = isAboveFloor ? ', above the plane that the base stands on' : '';
  const why = subject.assumedParts.has('workspace')
    ? `ASSUMED: as far as the arm reaches${floor}. Draw it in to where the tool is to work, in the base frame: nothing keeps people out of it.`
    : 'Box that the tool point stays in, base frame.';
  return [comment(why), 'workspace:', ...boxLines(model.workspace, '  ')];
}

function boxLines({ minM, maxM }: RobotModel['workspace'], indent: string): string[] {
  return [`${indent}minM: ${list(minM)}`, `${indent}maxM: ${list(maxM)}`];
}

function pointLines({ points }: RobotModel): string[] {
  if (points === undefined || points.length === 0) return [];
  return [
    'points:',
    ...points.flatMap(({ name, link, positionM, workspace }) => [
      `  - name: ${plain(name)}`,
      `    link: ${plain(link)}`,
      `    positionM: ${list(positionM)}`,
      ...(workspace === undefined ? [] : ['    workspace:', ...boxLines(workspace, '      ')]),
    ]),
  ];
}

function collisionLines({ model, subject }: ImportedFile, names: ReadonlyMap<string, string>): string[] {
  const { collision } = model;
  if (collision === undefined) return [];
  const { assumedParts } = subject;
  const from = assumedParts.has('capsules') ? "Around each link's shapes in the model. " : '';
  const pairs = assumedParts.has('pairs')
    ? 'Pairs: ASSUMED, those that 2000 random poses bring near and that are clear at home. '
    : '';
  return [
    comment(`${from}${pairs}keepOut is for tables and walls, clearanceM is kept between all of them.`),
    'collision:',
    '  capsules:',
    ...collision.capsules.flatMap(({ name, link, fromM, toM, radiusM }) => [
      `    - name: ${names.get(name)}`,
      `      link: ${plain(link)}`,
      `      fromM: ${list(fromM)}`,
      `      toM: ${list(toM)}`,
      `      radiusM: ${number(radiusM)}`,
    ]),
    collision.pairs.length === 0 ? '  pairs: []' : '  pairs:',
    ...collision.pairs.map(([one, other]) => `    - [${names.get(one)}, ${names.get(other)}]`),
    ...keepOutLines(collision.keepOut ?? [], names),
    `  clearanceM: ${number(collision.clearanceM)}`,
  ];
}

type KeepOut = NonNullable<NonNullable<RobotModel['collision']>['keepOut']>;

function keepOutLines(boxes: KeepOut, names: ReadonlyMap<string, string>): string[] {
  if (boxes.length === 0) return [];
  return [
    '  keepOut:',
    ...boxes.flatMap(({ name, capsules, ...box }) => [
      `    - name: ${plain(name)}`,
      ...boxLines(box, '      '),
      ...(capsules === undefined ? [] : [`      capsules: [${capsules.map((each) => names.get(each)).join(', ')}]`]),
    ]),
  ];
}

/** Returns different names that a file can hold: names of geoms may contain anything. */
function capsuleNames(capsules: readonly Capsule[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name } of capsules) {
    const kept = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^[^A-Za-z]/, 'link_$&');
    const taken = new Set(names.values());
    let free = kept.slice(0, 64);
    for (let n = 2; taken.has(free); n++) free = `${kept.slice(0, 60)}_${n}`;
    names.set(name, plain(free));
  }
  return names;
}

function tankLines(tank: TankModel | undefined): string[] {
  if (tank === undefined) {
    return [
      comment(
        "No tank: it needs each servo's true stiffness and damping, and by how much readings are off (encoderNoiseRad). No contact: it needs a force sensor.",
      ),
    ];
  }
  const lines = Object.entries(tank).flatMap(([key, value]) =>
    value === undefined ? [] : [`  ${key}: ${Array.isArray(value) ? list(value as number[]) : String(value)}`],
  );
  return ['tank:', ...lines];
}

function contactLines({ contact, payloadMaxKg }: RobotModel): string[] {
  const load =
    payloadMaxKg === undefined
      ? [comment('payloadMaxKg: the heaviest load of the tool. Without it a safety check hangs none on it.')]
      : [`payloadMaxKg: ${number(payloadMaxKg)}`];
  if (contact === undefined) return load;
  return [
    'contact:',
    `  forceMaxN: ${number(contact.forceMaxN)}`,
    `  torqueMaxNm: ${number(contact.torqueMaxNm)}`,
    ...load,
  ];
}

/** If an arm does not drop after all, the ramp is needless; the opposite mistake would drop it on the operator's hand. */
function exitLines({ ros }: ImportedFile): string[] {
  if (ros !== undefined) {
    return [
      comment(
        'No holdsWithoutTorque, no exitRampS: behind ROS 2 a stop takes no torque off, and the controller goes on holding the arm.',
      ),
    ];
  }
  return [
    comment(
      'ASSUMED: without torque it sinks, so torque goes off as a ramp of this length after a stop. Leave both out where brakes or gears hold it. Where only its servos hold its weight, as of hobby arms, add gravityCompensated: false.',
    ),
    'holdsWithoutTorque: false',
    'exitRampS: 3',
  ];
}

function restLines({ model, subject, modelPath, packages, ros }: ImportedFile): string[] {
  const { assumedParts } = subject;
  const margin = assumedParts.has('limitMarginRad') ? ' (ASSUMED)' : '';
  const home = assumedParts.has('homeRad')
    ? 'ASSUMED: a pose from which the tool can go any way. Give one in the middle of the workspace, with the tool as it works: training starts there.'
    : 'Where it starts, a number a joint.';
  return [
    comment('Ticks of the guard in a second: as many as your bus has time for, and a whole multiple of policyHz.'),
    `controlHz: ${number(model.controlHz)}`,
    comment(`Kept from the position limits of joints that have no limitMarginRad, rad (m)${margin}.`),
    `limitMarginRad: ${number(model.limitMarginRad)}`,
    comment(
      'How far the reference may lead the measured tool, m and rad: with the stiffness of the servos this bounds what it presses with.',
    ),
    `leashM: ${number(model.leashM)}`,
    `leashRad: ${number(model.leashRad)}`,
    comment(home),
    `homeRad: ${list(model.homeRad)}`,
    ...driverLines(ros),
    `  model: ${JSON.stringify(modelPath)}`,
    ...(packages.length === 0 ? [] : ['  packages:']),
    ...packages.map(([name, folder]) => `    ${JSON.stringify(name)}: ${JSON.stringify(folder)}`),
  ];
}

function driverLines(ros: RosAsked | undefined): string[] {
  if (ros !== undefined) {
    return [
      comment('Behind ROS 2: docs/your-ros-robot.md says how to go on.'),
      'driver:',
      ...rosDriverLines(ros, comment),
    ];
  }
  return [
    comment('Simulated. On the real robot another driver stands here (docs/config.md), and all else stays.'),
    'driver:',
    '  kind: mujoco',
  ];
}

/** Returns a name as YAML, in which some words are no text. */
function plain(name: string): string {
  return /^(true|false|null)$/i.test(name) ? `"${name}"` : name;
}

function list(values: ArrayLike<number>): string {
  return `[${Array.from(values, number).join(', ')}]`;
}

function number(value: number): string {
  const rounded = Number(value.toPrecision(DIGITS));
  return String(Math.abs(rounded) < LEAST ? 0 : rounded);
}
