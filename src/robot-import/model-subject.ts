/** Builds a checked robot model from an MJCF or URDF and its limits files. */
import { resolve } from 'node:path';
import {
  checkRobot,
  type JointLimits,
  type LimitsConfig,
  noLimits,
  type OwnLimits,
  type Place,
  problemsError,
  type RobotConfig,
  type RosLimits,
} from '../config/index.ts';
import {
  counted,
  didYouMean,
  LinkTopology,
  limitMarginOf,
  matrixFromRpy,
  positionUnit,
  ReinError,
  type RobotModel,
  significant,
} from '../model/index.ts';
import type { PackageFolders } from '../plant/index.ts';
import type { ImportedRobot, NamedFrame, PlantImage } from '../plant/mujoco.ts';
import { chooseHome } from './choose-home.ts';
import { ALWAYS, choosePairs, randomPoses } from './choose-pairs.ts';
import { type MergedJoint, mergeJoints } from './merge-joints.ts';
import { type CheckSubject, LIMIT_FLAGS, type LimitDefaults, type PlaceOf, type SubjectOptions } from './subject.ts';
import { toolOf } from './tool-frame.ts';

/** Usual margin to position limits, rad or m; and its largest share of a joint's range. */
const MARGIN_RAD = 0.02;
const MARGIN_SHARE = 0.05;
/** Number of joints from which equal limits are no coincidence. */
const FEWEST_ALIKE = 3;
/** Gains of a simulated servo. */
const SERVO_KEYS = ['stiffnessNmPerRad', 'dampingNmSPerRad'] as const;
/** Number of poses in which the shapes of pairs are measured that are not kept apart. */
const UNWATCHED_POSES = 500;
/** Shapes that came no nearer in these poses count as clear; others may touch in a pose that was not measured, m. */
const CLEAR_M = 0.02;
const LIMITS_REMEDY =
  'write it into a limits file, such as joints: { NAME: { velocityMaxRadPerS: 1.5 } }, or mend it there, and give that with --limits: docs/config.md lists its keys';
/** Command line options for all joints at once. */
const LACKS = [
  [/no speed limit/, '--speed 1.5'],
  [/no torque limit/, '--torque 20'],
] as const;

/** Files of one robot. */
export interface ModelFiles {
  /** Path of the MJCF or URDF. */
  readonly model: string;
  readonly own?: OwnLimits | undefined;
  readonly ownFile?: string | undefined;
  readonly ros?: (RosLimits & { readonly file: string }) | undefined;
}

/** Subject of a check, and the places of its parts in files. */
export interface PlacedSubject {
  readonly subject: CheckSubject;
  readonly place: PlaceOf;
}

/** Parts of a robot that are derived if no file gives them. */
export type AssumedPart = 'tool' | 'workspace' | 'homeRad' | 'limitMarginRad' | 'capsules' | 'pairs';

/** Subject from a model with its limits, some of which may be assumed. */
export interface ModelSubject extends PlacedSubject {
  readonly assumedParts: ReadonlySet<AssumedPart>;
  /** For each joint, the limits that no file gives. */
  readonly assumedLimits: readonly ReadonlySet<keyof JointLimits>[];
  /** Folders of the ROS packages given, and of those that the model needs. */
  readonly packages: PackageFolders;
}

/** Loads the model and applies the limits. Throws `ReinError` with all problems, each with its place. */
export async function subjectOfModel(files: ModelFiles, options: SubjectOptions = {}): Promise<ModelSubject> {
  const { compilePlantImage, importRobot } = await import('../plant/mujoco.ts');
  const { packages, onPhase, payloadMaxKg } = options;
  const written = files.own?.config ?? noLimits();
  const config = payloadMaxKg === undefined ? written : { ...written, payloadMaxKg };
  const fixed = [...config.fixed, ...(options.fixed ?? [])];
  onPhase?.(`reading ${files.model}`);
  const robot = await importRobot(files.model, (joint) => fixed.includes(joint), { packages, onPhase });
  refuseUnknownFixed(robot, options.fixed ?? []);
  const merged = mergeJoints({
    robot,
    own: files.own,
    ros: files.ros,
    given: options.defaults ?? {},
  });
  const { problems, assumed } = merged;
  const unused = unusedDefaults(merged.joints, options.defaults ?? {});
  assumed.push(...unused);
  if (problems.length > 0) throw problemsError(problems, [limitsRemedy(problems), ...unused].join('. '));
  const joints = withMargins(merged.joints, config, assumed);
  assumed.push(...(files.ros?.notes ?? []));
  assumed.push(...sameForAll(robot, merged.joints));
  if (robot.notRead.length > 0) assumed.push(`Not read: ${robot.notRead.join(', ')}.`);
  const builder = new ModelBuilder(files, config, robot, joints, assumed);
  const model = builder.build();
  const found = checkRobot({ ...model, driver: { kind: 'mujoco', model: files.model } } as RobotConfig);
  if (found.length > 0)
    throw problemsError(
      found.map(({ path, message }) => ({ place: builder.place(path), message })),
      [LIMITS_REMEDY, ...unused].join('. '),
    );
  onPhase?.('compiling it once more, with servos');
  const plantFile = resolve(files.model);
  const plantImage = await compilePlantImage({ file: plantFile, model, packages });
  const looked = await lookAt(plantFile, plantImage, model, builder.unwatched);
  const overlaps = overlapsAtHome(looked, builder.suspect);
  assumed.push(...unwatchedPairs(looked));
  // Overlaps in an assumed home pose are no error: such pairs are not watched, and this is already reported.
  if (builder.assumedParts.has('homeRad')) {
    for (const message of overlaps)
      assumed.push(`${message.replace('(homeRad)', '(assumed)')}: give homeRad to be sure.`);
  } else if (overlaps.length > 0) {
    throw problemsError(overlaps.map((message) => ({ place: builder.place(['homeRad']), message })));
  }
  const assumedServos = joints.filter((each) => SERVO_KEYS.some((key) => each.assumed.has(key))).map(nameOf);
  const sources = [files.model, files.ros?.file, files.ownFile].filter((file) => file !== undefined);
  return {
    subject: { model, plantFile, plantImage, sources, assumed, assumedServos },
    place: (path) => builder.place(path),
    assumedParts: builder.assumedParts,
    assumedLimits: joints.map((each) => each.assumed),
    packages: { ...robot.packages, ...packages },
  };
}

/** Returns one sentence for each value for all joints that no joint uses, since a file gives each one's. */
function unusedDefaults(joints: readonly MergedJoint[], given: LimitDefaults): string[] {
  return LIMIT_FLAGS.flatMap(([key, flag]) => {
    const isUsed = ({ facts, assumed }: MergedJoint): boolean => facts[key]?.place.file === flag || assumed.has(key);
    if (given[key] === undefined || joints.some(isUsed)) return [];
    return [`${flag} ${given[key]} applies to no joint: each joint has a value; ${key} in a limits file overrides it.`];
  });
}

/** Reports equal limits of all joints: exporters write one speed and torque for all, whatever the servos, and they were not measured. */
function sameForAll({ joints: ofModel }: ImportedRobot, merged: readonly MergedJoint[]): string[] {
  const [first] = ofModel;
  if (first === undefined || ofModel.length < FEWEST_ALIKE) return [];
  const { torqueMaxNm, velocityMaxRadPerS } = first;
  const isSame = (one: Pick<ImportedRobot['joints'][number], 'torqueMaxNm' | 'velocityMaxRadPerS'>): boolean =>
    one.torqueMaxNm === torqueMaxNm && one.velocityMaxRadPerS === velocityMaxRadPerS;
  if (torqueMaxNm === undefined || velocityMaxRadPerS === undefined) return [];
  if (!ofModel.every(isSame) || !merged.every(({ joint }) => isSame(joint))) return [];
  return [
    `All ${ofModel.length} joints have the torque ${torqueMaxNm} and the speed ${velocityMaxRadPerS} of the model: exporters write one value for all; compare them with the data of the servos, and give those with --limits.`,
  ];
}

/** Gives joints with a small range a smaller margin if no file gives one: a finger moves less than twice the usual margin. */
function withMargins(
  joints: readonly MergedJoint[],
  { limitMarginRad }: LimitsConfig,
  assumed: string[],
): readonly MergedJoint[] {
  if (limitMarginRad !== undefined) return joints;
  return joints.map((each) => {
    const { joint } = each;
    const range = joint.positionMaxRad - joint.positionMinRad;
    const margin = Number((MARGIN_SHARE * range).toPrecision(3));
    if (joint.limitMarginRad !== undefined || !(margin < MARGIN_RAD)) return each;
    const unit = positionUnit(joint);
    assumed.push(
      `No limitMarginRad is given: joint "${joint.name}" keeps ${margin} ${unit} from its limits, 5 % of its range, ${significant(range)} ${unit}.`,
    );
    return {
      ...each,
      joint: { ...joint, limitMarginRad: margin },
      assumed: new Set([...each.assumed, 'limitMarginRad'] as const),
    };
  });
}

/** Returns the remedy: one value for all joints suffices if that is what no file gives. */
function limitsRemedy(problems: readonly { readonly message: string }[]): string {
  const flags = LACKS.filter(([lack]) => problems.some(({ message }) => lack.test(message))).map(([, flag]) => flag);
  return flags.length === 0
    ? LIMITS_REMEDY
    : `give one for all joints, such as ${flags.join(' ')}; or ${LIMITS_REMEDY}`;
}

function nameOf({ joint }: MergedJoint): string {
  return joint.name;
}

/** Throws for a joint of `--fixed` that the model lacks. */
function refuseUnknownFixed(robot: ImportedRobot, names: readonly string[]): void {
  const unknown = names.find((name) => !robot.fixed.includes(name));
  if (unknown === undefined) return;
  const all = [...robot.joints.map(({ name }) => name), ...robot.fixed];
  throw new ReinError(
    'config',
    `--fixed ${unknown}: the model has no joint of that name, it has ${all.join(', ')}${didYouMean(unknown, all)}`,
    { remedy: 'give --fixed the name of a joint that the model has' },
  );
}

type Pair = readonly [string, string];

/** Measured distances of one pair's shapes, by MuJoCo. */
interface LookedAt {
  readonly pair: Pair;
  readonly atHomeM: number;
  /** Distances in the random poses. */
  readonly distancesM: readonly number[];
}

/** Measures the distance of each of `pairs` between the file's own shapes, at home and in random poses, m. */
async function lookAt(file: string, image: PlantImage, model: RobotModel, pairs: readonly Pair[]): Promise<LookedAt[]> {
  const { RobotPlant } = await import('../plant/mujoco.ts');
  const poses = pairs.length > 0 ? randomPoses(model, UNWATCHED_POSES) : [];
  const found: LookedAt[] = [];
  for (const pair of pairs) {
    // It measures the distance of this pair only.
    const collision = { capsules: [], clearanceM: 0, ...model.collision, keepOut: [], pairs: [pair] };
    const plant = await RobotPlant.open({ file, image, model: { ...model, collision } });
    const atHomeM = plant.smallestDistanceM();
    found.push({ pair, atHomeM, distancesM: poses.map((jointsRad) => plant.distanceAtM(jointsRad)) });
    plant.close();
  }
  return found;
}

/** Reports pairs that are not kept apart: one sentence for all that stay clear, or always touch, and one for each other. */
function unwatchedPairs(looked: readonly LookedAt[]): string[] {
  const harmless: string[] = [];
  const said: string[] = [];
  for (const { pair, distancesM } of looked) {
    const touching = distancesM.filter((distanceM) => distanceM < 0).length;
    const leastM = Math.min(...distancesM);
    const leastMm = significant(1e3 * leastM);
    const names = pair.join(' and ');
    if (leastM >= CLEAR_M) harmless.push(`${names} (their shapes never touch: ${leastMm} mm at least)`);
    else if (touching >= ALWAYS * UNWATCHED_POSES) harmless.push(`${names} (built so)`);
    else {
      const share = Math.max(1, Math.round((100 * touching) / UNWATCHED_POSES));
      const meet = touching === 0 ? `come as near as ${leastMm} mm in` : `touch in ${share} % of`;
      said.push(
        `NOT watched: the shapes of ${names} (convex hulls) ${meet} ${UNWATCHED_POSES} random poses, and nothing keeps them apart: their capsules overlap at home or are clear hardly anywhere. Give narrower ones as collision.capsules, or joint limits that keep them apart, in a limits file.`,
      );
    }
  }
  if (harmless.length === 0) return said;
  const why = 'since their capsules overlap at home or are clear hardly anywhere';
  return [`Not kept apart, ${why}, looked at in ${UNWATCHED_POSES} random poses: ${harmless.join(', ')}.`, ...said];
}

/** Reports the pairs whose capsules and shapes both overlap at home, one sentence each. */
function overlapsAtHome(looked: readonly LookedAt[], suspect: readonly Pair[]): string[] {
  return looked
    .filter(({ pair, atHomeM }) => suspect.includes(pair) && atHomeM < 0)
    .map(({ pair: [one, other], atHomeM }) => {
      const depthMm = significant(-1e3 * atHomeM);
      return `at home (homeRad) the shapes of ${one} and ${other} overlap by ${depthMm} mm`;
    });
}

class ModelBuilder {
  /** Pairs whose capsules overlap at home, but not by design. */
  suspect: readonly Pair[] = [];
  /** The `suspect` pairs, and those whose capsules are clear in hardly any pose. */
  unwatched: readonly Pair[] = [];
  /** Parts that no file gives. */
  readonly assumedParts: Set<AssumedPart> = new Set();
  readonly #files: ModelFiles;
  readonly #config: LimitsConfig;
  readonly #robot: ImportedRobot;
  readonly #joints: readonly MergedJoint[];
  readonly #assumed: string[];

  constructor(
    files: ModelFiles,
    config: LimitsConfig,
    robot: ImportedRobot,
    joints: readonly MergedJoint[],
    assumed: string[],
  ) {
    this.#files = files;
    this.#config = config;
    this.#robot = robot;
    this.#joints = joints;
    this.#assumed = assumed;
  }

  build(): RobotModel {
    const { name, points, tank, contact, payloadMaxKg, controlHz, leashM, leashRad } = this.#config;
    const limitMarginRad = this.#margin();
    const bare: RobotModel = {
      name: name ?? this.#robot.name,
      joints: this.#joints.map(({ joint }) => joint),
      tool: this.#tool(),
      workspace: { minM: [-1, -1, -1], maxM: [1, 1, 1] },
      points,
      tank,
      contact,
      payloadMaxKg,
      controlHz,
      limitMarginRad,
      leashM,
      leashRad,
      homeRad: this.#config.homeRad ?? this.#robot.homeRad ?? this.#middle({ limitMarginRad }),
    };
    const posed = { ...bare, homeRad: this.#home(bare) };
    const model = { ...posed, workspace: this.#workspace(posed) };
    // Pairs are chosen from home, which must have as many numbers as there are joints.
    return model.homeRad.length === model.joints.length ? { ...model, collision: this.#collision(model) } : model;
  }

  /** Returns the place of a problem at `path` of the robot. */
  place(path: readonly (string | number)[]): Place {
    const [group, index, key] = path;
    const { own, model } = this.#files;
    if (group === 'joints') {
      const { joint, facts } = this.#joints[index as number]!;
      const inModel = this.#robot.joints[index as number]!.place;
      return facts[key as keyof JointLimits]?.place ?? own?.joints.get(joint.name)?.place ?? inModel;
    }
    return own?.place(path) ?? { file: model, line: 0, column: 0 };
  }

  #tool(): RobotModel['tool'] {
    const { frame: name, link, originXyzM: offset = [0, 0, 0] as const, originRpyRad } = this.#config.tool ?? {};
    if (link !== undefined) return { link, originXyzM: offset, originRpyRad: originRpyRad ?? [0, 0, 0] };
    if (originRpyRad !== undefined) {
      throw this.#problem(
        ['tool', 'originRpyRad'],
        'tool.originRpyRad goes with tool.link; a frame has its own orientation',
      );
    }
    const chosen = name === undefined ? toolOf(this.#robot) : { frame: this.#frameNamed(name), fingers: [] };
    const { frame, fingers } = chosen;
    if (name === undefined) {
      this.assumedParts.add('tool');
      const before =
        fingers.length === 0 ? '' : `, which ${fingers.join(' and ')} ${fingers.length === 1 ? 'does' : 'do'} not move`;
      this.#assumed.push(`No tool is given: it was taken to be the ${frame.kind} "${frame.name}"${before}.`);
    }
    const turn = new Float64Array(9);
    matrixFromRpy(turn, ...frame.originRpyRad);
    const at = (k: number): number =>
      frame.originXyzM[k]! + turn[3 * k]! * offset[0] + turn[3 * k + 1]! * offset[1] + turn[3 * k + 2]! * offset[2];
    return { link: frame.link, originXyzM: [at(0), at(1), at(2)], originRpyRad: frame.originRpyRad };
  }

  #frameNamed(name: string): NamedFrame {
    const found = this.#robot.frames.find((frame) => frame.name === name && frame.link !== 'base');
    if (found !== undefined) return found;
    const names = this.#robot.frames.filter(({ link }) => link !== 'base').map((frame) => frame.name);
    throw this.#problem(
      ['tool', 'frame'],
      `tool.frame is "${name}", the moving sites and bodies of the model are ${names.join(', ')}${didYouMean(name, names)}`,
    );
  }

  /** Returns the margin of joints without one of their own. */
  #margin(): number {
    const { limitMarginRad } = this.#config;
    if (limitMarginRad !== undefined) return limitMarginRad;
    this.assumedParts.add('limitMarginRad');
    return MARGIN_RAD;
  }

  /** Returns the home pose of a model with its joints in their middles. */
  #home(model: RobotModel): readonly number[] {
    if ((this.#config.homeRad ?? this.#robot.homeRad) !== undefined) return model.homeRad;
    this.assumedParts.add('homeRad');
    const { capsules = this.#robot.capsules, clearanceM } = this.#config.collision;
    let homeRad: readonly number[] = model.homeRad;
    try {
      homeRad = chooseHome(model, model.homeRad, capsules, clearanceM);
    } catch (error) {
      // Unknown names are reported with the other disagreements.
      if (!(error instanceof RangeError)) throw error;
    }
    const which =
      homeRad === model.homeRad
        ? '0, or the middle of the range where 0 is outside'
        : `${homeRad.map((at) => Number(at.toPrecision(3))).join(', ')}, bent, so that the tool can go any way from there`;
    this.#assumed.push(`No home pose is given: ${which}.`);
    return homeRad;
  }

  /** Returns 0 for each joint, or the middle of its range if 0 is outside. */
  #middle(robot: Pick<RobotModel, 'limitMarginRad'>): readonly number[] {
    return this.#joints.map(({ joint }) => {
      const { positionMinRad: min, positionMaxRad: max } = joint;
      const margin = limitMarginOf(joint, robot);
      return min + margin <= 0 && max - margin >= 0 ? 0 : (min + max) / 2;
    });
  }

  #workspace(model: RobotModel): RobotModel['workspace'] {
    if (this.#config.workspace !== undefined) return this.#config.workspace;
    this.assumedParts.add('workspace');
    let topology: LinkTopology;
    try {
      topology = new LinkTopology(model);
    } catch {
      // A tool on no link is reported with the other disagreements.
      return model.workspace;
    }
    const reach = topology.reach(topology.toolLink, model.tool.originXyzM);
    let first = topology.toolLink;
    while (topology.parents[first]! >= 0) first = topology.parents[first]!;
    const { originXyzM, positionMinRad, positionMaxRad } = model.joints[first]!;
    const slide = topology.slides(first) ? Math.max(Math.abs(positionMinRad), Math.abs(positionMaxRad)) : 0;
    const next = topology.slides(first) ? Math.max(0, ...reach.slice(first + 1)) : reach[first]!;
    const most = (Math.ceil(100 * (Math.hypot(...originXyzM) + slide + next)) + 1) / 100;
    this.#assumed.push(`No workspace is given: the tool point may go as far as the arm reaches, ${most} m each way.`);
    return { minM: [-most, -most, -most], maxM: [most, most, most] };
  }

  #collision(model: RobotModel): RobotModel['collision'] {
    const { collision } = this.#config;
    const { clearanceM, keepOut } = collision;
    const capsules = collision.capsules ?? this.#robot.capsules;
    const bare = this.#joints
      .map(({ joint }) => joint.name)
      .filter((name) => !capsules.some(({ link }) => link === name));
    if (collision.capsules === undefined && capsules.length > 0) {
      this.assumedParts.add('capsules');
      this.#assumed.push("Shapes are capsules around each link's shapes in the model.");
    }
    if (collision.capsules === undefined && bare.length > 0) {
      this.#assumed.push(
        `NOT watched: no shape stands for the ${bare.length === 1 ? 'link' : 'links'} of ${bare.join(', ')} (the model has none of them that can collide, such as <collision> of a URDF): nothing keeps them from each other, the ground or what is around. Give some as collision.capsules in a limits file, or in the model.`,
      );
    }
    if (capsules.length === 0) {
      if ((keepOut ?? []).length === 0) return undefined;
      const message = 'collision.keepOut keeps nothing out: the model has no shape that can collide';
      throw this.#problem(['collision', 'keepOut'], `${message}; give collision.capsules`);
    }
    if (collision.pairs !== undefined) return { capsules, pairs: collision.pairs, keepOut, clearanceM };
    this.assumedParts.add('pairs');
    let chosen: ReturnType<typeof choosePairs>;
    try {
      chosen = choosePairs(model, capsules, clearanceM);
    } catch (error) {
      // Unknown names are reported with the other disagreements.
      if (error instanceof RangeError) return { capsules, pairs: [], keepOut, clearanceM };
      throw error;
    }
    this.#assumed.push(
      chosen.pairs.length === 0
        ? 'No pairs of links are kept apart: no two links that are not neighbours can come near each other and are clear at home.'
        : `${counted(chosen.pairs.length, 'pair')} of links kept apart: those that can come near each other and are clear at home.`,
    );
    if (chosen.dropped.length > 0) {
      const pairs = chosen.dropped.map((pair) => pair.join(' and ')).join(', ');
      this.#assumed.push(
        `NOT watched: ${counted(chosen.dropped.length, 'more pair')} of links that can come near, as ${chosen.pairs.length} is the most: ${pairs}. Choose with collision.pairs in a limits file.`,
      );
    }
    this.suspect = chosen.suspect;
    this.unwatched = [...chosen.blind, ...chosen.suspect];
    return { capsules, pairs: chosen.pairs, keepOut, clearanceM };
  }

  #problem(path: readonly (string | number)[], message: string): Error {
    return problemsError([{ place: this.place(path), message }]);
  }
}
