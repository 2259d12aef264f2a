/** Merges one joint's limits from up to three files: the model, then a ROS file, then a Rein limits file, which takes precedence. */

import {
  type Fact,
  farthest,
  type JointFacts,
  type JointLimits,
  LIMIT_KEYS,
  type OwnLimits,
  orderProblem,
  type Place,
  type Problem,
  type RosLimits,
} from '../config/index.ts';
import { didYouMean, type JointModel, positionUnit, significant } from '../model/index.ts';
import type { ImportedJoint, ImportedRobot, UnusableLimit } from '../plant/mujoco.ts';
import { LIMIT_FLAGS, type LimitDefaults } from './subject.ts';

/** Limits files of one model. */
export interface LimitFiles {
  readonly robot: ImportedRobot;
  readonly own?: OwnLimits | undefined;
  readonly ros?: (RosLimits & { readonly file: string }) | undefined;
  /** For joints that have no value in any file. */
  readonly given: LimitDefaults;
}

export interface MergedJoint {
  readonly joint: JointModel;
  /** Each number with its place in the files. */
  readonly facts: JointFacts;
  /** Limits that no file gives. */
  readonly assumed: ReadonlySet<keyof JointLimits>;
}

/** A joint without stops is checked over a turn to each side, rad. */
const ENDLESS_RAD = 2 * Math.PI;
/** Degrees that were rounded do not make a limit wider, rad. */
const SAME_RAD = 1e-3;

/** Returns all joints, the problems of the files, and the assumptions. The joints are complete only if there are no problems. */
export function mergeJoints(given: LimitFiles): { joints: MergedJoint[]; problems: Problem[]; assumed: string[] } {
  const assumed: string[] = [];
  const files = withRosNames(given, assumed);
  const problems = checkNames(files);
  const defaults = new Defaults(files);
  const joints = files.robot.joints.map((joint, i) => mergeJoint(files, joint, problems, assumed, defaults.of(i)));
  return { joints, problems, assumed: [...assumed, ...defaults.messages()] };
}

/** Ignores prefixes and suffixes on which descriptions and planners differ: `panda_joint1` and `joint1`, `elbow_joint` and `elbow`. */
function isSameJoint(one: string, other: string): boolean {
  const bare = (name: string): string => name.replace(/_joint$/, '');
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  return bare(long) === bare(short) || long.endsWith(`_${short}`);
}

/** Returns the names of a manufacturer's file with one prefix, if exactly one prefix makes all of them names of the model. */
function byOnePrefix(names: readonly string[], all: readonly string[]): Map<string, string> | undefined {
  const [first] = names;
  if (first === undefined || names.every((name) => all.includes(name))) return undefined;
  const prefixes = all
    .filter((name) => name !== first && name.endsWith(first))
    .map((name) => name.slice(0, -first.length));
  const fitting = prefixes.filter((prefix) => names.every((name) => all.includes(prefix + name)));
  return fitting.length === 1 ? new Map(names.map((name) => [name, fitting[0]! + name])) : undefined;
}

/** Returns the names that the model lacks, if each resembles exactly one of the model's that resembles no other. */
function byLikeness(names: readonly string[], all: readonly string[]): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const name of names.filter((each) => !all.includes(each))) {
    const like = all.filter((each) => isSameJoint(each, name) && !names.includes(each));
    const rivals = names.filter((each) => like.some((one) => isSameJoint(one, each)));
    if (like.length === 1 && rivals.length === 1) renamed.set(name, like[0]!);
  }
  return renamed;
}

/** Returns the ROS file with the model's names, if its own differ from exactly one of them each in a prefix or `_joint`. */
function withRosNames(files: LimitFiles, assumed: string[]): LimitFiles {
  const { robot, ros } = files;
  if (ros === undefined) return files;
  const all = [...robot.joints.map(({ name }) => name), ...robot.fixed];
  const names = [...ros.joints.keys()];
  const renamed = byOnePrefix(names, all) ?? byLikeness(names, all);
  if (renamed.size === 0) return files;
  const pairs = [...renamed].map(([from, to]) => `${from} is ${to}`).join(', ');
  assumed.push(`Joints of ${ros.file} under the model's names: ${pairs}.`);
  const nameOf = (name: string): string => renamed.get(name) ?? name;
  const joints = new Map([...ros.joints].map(([name, facts]) => [nameOf(name), facts]));
  return { ...files, ros: { ...ros, joints, endless: new Set([...ros.endless].map(nameOf)) } };
}

/** Assumed acceleration of a joint without one in any file: rad/s² (m/s² for a prismatic one). */
const ACCEL_RAD_PER_S2 = 10;
/** Largest share of the servo's torque that an assumed acceleration takes, in the pose with the largest inertia. */
const ACCEL_TORQUE_SHARE = 0.4;
/**
 * An assumed servo saturates at this error, rad or m, and has at most this bandwidth, rad/s, critically damped for its joint's
 * inertia, like a stiff arm. If it were faster, a light wrist would jump after each late reference at a multiple of its speed.
 */
const SATURATION_RAD = 0.1;
const BANDWIDTH_RAD_PER_S = 80;
/** Largest bandwidth in the pose with the smallest inertia: beyond, the simulation's steps are too long for it. */
const FASTEST_RAD_PER_S = 300;

type DefaultKey = 'accelMaxRadPerS2' | 'stiffnessNmPerRad' | 'dampingNmSPerRad';

/** Defaults for limits that no file gives, and the messages about them. */
class Defaults {
  readonly #files: LimitFiles;
  readonly #used = new Map<DefaultKey, string[]>();

  constructor(files: LimitFiles) {
    this.#files = files;
  }

  /** For joint `index`: returns a value if `key` can be assumed. `torqueMaxNm`: of the joint, if a file gives it. */
  of(index: number): (key: keyof JointLimits, facts: JointFacts) => Fact | undefined {
    const {
      robot,
      own,
      given: { accelMaxRadPerS2 },
    } = this.#files;
    const { name, place } = robot.joints[index]!;
    const { mostKgM2, freeKgM2, leastKgM2 } = robot.inertias[index]!;
    return (
      key,
      { torqueMaxNm, stiffnessNmPerRad, velocityMaxRadPerS: speed, positionMinRad: min, positionMaxRad: max },
    ) => {
      if (key === 'accelMaxRadPerS2') {
        // From full speed it must stop within half of its range.
        const range = min === undefined || max === undefined ? Number.POSITIVE_INFINITY : max.value - min.value;
        const wanted = Math.max(ACCEL_RAD_PER_S2, speed === undefined || !(range > 0) ? 0 : speed.value ** 2 / range);
        const most = torqueMaxNm === undefined ? wanted : (ACCEL_TORQUE_SHARE * torqueMaxNm.value) / mostKgM2;
        const value = accelMaxRadPerS2 ?? rounded(Math.min(wanted, most));
        return this.#assume(key, name, value, place);
      }
      // The energy tank computes with these numbers: with a tank they must not be guessed.
      if (own?.config.tank !== undefined || torqueMaxNm === undefined) return undefined;
      const stiffness =
        stiffnessNmPerRad?.value ??
        rounded(
          Math.min(
            torqueMaxNm.value / SATURATION_RAD,
            freeKgM2 * BANDWIDTH_RAD_PER_S ** 2,
            leastKgM2 * FASTEST_RAD_PER_S ** 2,
          ),
        );
      if (key === 'stiffnessNmPerRad') return this.#assume(key, name, stiffness, place);
      if (key === 'dampingNmSPerRad')
        return this.#assume(key, name, rounded(2 * Math.sqrt(stiffness * freeKgM2)), place);
      return undefined;
    };
  }

  /** Returns one sentence per kind. */
  messages(): string[] {
    const { accelMaxRadPerS2 } = this.#files.given;
    const words: Readonly<Record<DefaultKey, readonly [string, string]>> = {
      accelMaxRadPerS2: [
        'acceleration',
        accelMaxRadPerS2 === undefined
          ? `${ACCEL_RAD_PER_S2}, or what stops it within half its range, and at most what takes ${100 * ACCEL_TORQUE_SHARE} % of its torque; --accel sets another`
          : 'as --accel says',
      ],
      stiffnessNmPerRad: [
        'stiffness',
        `a servo that saturates at ${SATURATION_RAD} rad or m, and has ${Math.round(BANDWIDTH_RAD_PER_S / (2 * Math.PI))} Hz at most for its link's inertia`,
      ],
      dampingNmSPerRad: ['damping', 'critical for its inertia; only the simulated arm depends on it'],
    };
    return [...this.#used].map(([key, joints]) => {
      const [what, how] = words[key];
      return `No file gives the ${what} (${key}) of ${joints.join(', ')}: ${how}.`;
    });
  }

  #assume(key: DefaultKey, name: string, value: number, place: Place): Fact {
    this.#used.set(key, [...(this.#used.get(key) ?? []), `${name} (${value})`]);
    return { value, place };
  }
}

/** Rounds to two significant digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

/** Reports names in a limits file that the model lacks. */
function checkNames({ robot, own, ros }: LimitFiles): Problem[] {
  const all = [...robot.joints.map(({ name }) => name), ...robot.fixed];
  const problems: Problem[] = [];
  const unknown = (name: string, place: Place): void => {
    if (all.includes(name)) return;
    problems.push({
      place,
      message: `the model has no joint "${name}", it has ${all.join(', ')}${nearestName(name, all)}`,
    });
  };
  for (const [name, { place }] of own?.joints ?? []) {
    unknown(name, place);
    if (robot.fixed.includes(name))
      problems.push({ place, message: `joint "${name}" is listed under fixed, and has limits` });
  }
  for (const [i, name] of (own?.config.fixed ?? []).entries()) unknown(name, own!.place(['fixed', i]));
  for (const [name, { place }] of ros?.joints ?? []) unknown(name, place);
  return problems;
}

/** Returns a ` did you mean`, also if one name contains the other. */
function nearestName(name: string, all: readonly string[]): string {
  const near = didYouMean(name, all);
  if (near !== '') return near;
  const within = all.find((each) => each.includes(name) || name.includes(each));
  return within === undefined ? '' : `, did you mean "${within}"?`;
}

function mergeJoint(
  { own, ros, given }: LimitFiles,
  model: ImportedJoint,
  problems: Problem[],
  assumed: string[],
  assume: ReturnType<Defaults['of']>,
): MergedJoint {
  const { name } = model;
  const ofModel = factsOf(model);
  const ofRos = ros?.joints.get(name)?.facts ?? {};
  const ofOwn = own?.joints.get(name)?.facts ?? {};
  const merged: Partial<Record<keyof JointLimits, Fact>> = {};
  for (const key of LIMIT_KEYS) {
    const fact = ofOwn[key] ?? ofRos[key] ?? ofModel[key] ?? own?.defaults[key] ?? givenFact(given, key);
    if (fact !== undefined) merged[key] = fact;
  }
  const guessed = new Set<keyof JointLimits>();
  for (const key of ['accelMaxRadPerS2', 'stiffnessNmPerRad', 'dampingNmSPerRad'] as const) {
    if (merged[key] !== undefined) continue;
    const fact = assume(key, merged);
    if (fact === undefined) continue;
    merged[key] = fact;
    guessed.add(key);
  }
  slowToStop(name, merged, guessed, assumed);
  for (const facts of [ofRos, ofOwn]) problems.push(...checkWider(name, facts, ofModel));
  const isOpen = merged.positionMinRad === undefined && merged.positionMaxRad === undefined;
  if (isOpen && model.kind === 'revolute' && model.rangeProblem === undefined) {
    merged.positionMinRad = { value: -ENDLESS_RAD, place: model.place };
    merged.positionMaxRad = { value: ENDLESS_RAD, place: model.place };
    guessed.add('positionMinRad').add('positionMaxRad');
    assumed.push(`Joint "${name}" turns without end; it was checked from −2π to 2π.`);
  }
  const beyond = checkBounds(model, merged);
  problems.push(
    ...checkRange(model, merged),
    ...checkMissing(model, merged, { own, ros }),
    ...checkOrder(name, merged),
    ...beyond,
  );
  if (looksLikeDegrees(model, merged) && beyond.length === 0) {
    const [min, max] = [merged.positionMinRad, merged.positionMaxRad].map((fact) => significant(fact?.value ?? 0));
    assumed.push(`Joint "${name}" turns from ${min} to ${max} rad, more than two turns: ${DEGREES}`);
  }
  return { joint: jointOf(model, merged), facts: merged, assumed: guessed };
}

/**
 * A speed given for all joints may not suit each one, and a finger has little travel: if a joint's acceleration is
 * assumed too, its speed is limited to what that stops within half of the range.
 */
function slowToStop(
  name: string,
  merged: Partial<Record<keyof JointLimits, Fact>>,
  guessed: ReadonlySet<keyof JointLimits>,
  assumed: string[],
): void {
  const { velocityMaxRadPerS: speed, accelMaxRadPerS2: accel, positionMinRad: min, positionMaxRad: max } = merged;
  // No line: it is from the command line.
  if (speed?.place.line !== 0 || accel === undefined || !guessed.has('accelMaxRadPerS2')) return;
  if (min === undefined || max === undefined || !(max.value > min.value)) return;
  const value = Math.floor(1e3 * Math.sqrt(accel.value * (max.value - min.value))) / 1e3;
  if (!(value < speed.value && value > 0)) return;
  merged.velocityMaxRadPerS = { value, place: speed.place };
  assumed.push(
    `Joint "${name}" goes at ${value}, and not at the ${speed.value} of ${speed.place.file}: that is what stops within half of its range.`,
  );
}

/** Returns an end of the range that the joint's own controller keeps, if it has one. */
function softFact({ soft }: ImportedJoint, end: number): Fact | undefined {
  const value = soft?.range[end];
  return soft === undefined || value === undefined || !Number.isFinite(value)
    ? undefined
    : { value, place: soft.place };
}

/** Returns the command line's value for joints without one in any file. The acceleration is reported with the derived ones. */
function givenFact(given: LimitDefaults, key: keyof JointLimits): Fact | undefined {
  const flag = LIMIT_FLAGS.find(([name]) => name === key && name !== 'accelMaxRadPerS2');
  const value = flag && given[flag[0]];
  return value === undefined ? undefined : { value, place: { file: flag![1], line: 0, column: 0 } };
}

function factsOf(model: ImportedJoint): JointFacts {
  const fact = (value: number | undefined): Fact | undefined =>
    value === undefined ? undefined : { value, place: model.place };
  const [softMin, softMax] = [0, 1].map((end) => softFact(model, end)) as [Fact | undefined, Fact | undefined];
  const [hardMin, hardMax] = [fact(model.range?.[0]), fact(model.range?.[1])];
  return {
    positionMinRad: softMin !== undefined && softMin.value > (hardMin?.value ?? -Infinity) ? softMin : hardMin,
    positionMaxRad: softMax !== undefined && softMax.value < (hardMax?.value ?? Infinity) ? softMax : hardMax,
    velocityMaxRadPerS: fact(model.velocityMaxRadPerS),
    torqueMaxNm: fact(model.torqueMaxNm),
    stiffnessNmPerRad: fact(model.stiffnessNmPerRad),
    dampingNmSPerRad: fact(model.dampingNmSPerRad),
  };
}

/** Reports limits wider than the model's: a limits file restricts the use of a robot, and cannot extend its abilities. */
function checkWider(name: string, facts: JointFacts, model: JointFacts): Problem[] {
  const problems: Problem[] = [];
  const wider = (key: keyof JointLimits, isWider: (limit: number, of: number) => boolean): void => {
    const limit = facts[key];
    const of = model[key];
    if (limit === undefined || of === undefined || !isWider(limit.value, of.value)) return;
    const where = of.place.line === 0 ? of.place.file : `${of.place.file}:${of.place.line}`;
    const message = `${key} of joint "${name}" is ${limit.value}, wider than the model's ${significant(of.value, 4)} (${where})`;
    problems.push({ place: limit.place, message });
  };
  wider('positionMinRad', (limit, of) => limit < of - SAME_RAD);
  for (const key of ['positionMaxRad', 'velocityMaxRadPerS', 'torqueMaxNm'] as const) {
    wider(key, (limit, of) => limit > of + SAME_RAD);
  }
  return problems;
}

const NEEDED = [
  ['positionMinRad', 'no lowest position'],
  ['positionMaxRad', 'no highest position'],
  ['velocityMaxRadPerS', 'no speed limit'],
  ['accelMaxRadPerS2', 'no acceleration limit'],
  ['torqueMaxNm', 'no torque limit'],
  ['stiffnessNmPerRad', 'no stiffness'],
  ['dampingNmSPerRad', 'no damping'],
] as const satisfies readonly (readonly [keyof JointLimits, string])[];

/** Limits that a ROS `joint_limits.yaml` cannot have. */
const ONLY_OURS: readonly (keyof JointLimits)[] = ['stiffnessNmPerRad', 'dampingNmSPerRad'];

function checkMissing(
  model: ImportedJoint,
  merged: JointFacts,
  { own, ros }: Pick<LimitFiles, 'own' | 'ros'>,
): Problem[] {
  const { name, place: inModel, rangeProblem } = model;
  // `checkRange` reports the problems of these ends.
  const isSaid = (key: string): boolean => rangeProblem !== undefined && /^position/.test(key);
  // Without a tank both are derived from the torque: if that is missing, only that is reported.
  const follows = own?.config.tank === undefined && merged.torqueMaxNm === undefined ? ONLY_OURS : [];
  const lacking = NEEDED.filter(([key]) => merged[key] === undefined && !isSaid(key) && !follows.includes(key));
  if (lacking.length === 0) return [];
  const ofRos = ros?.joints.get(name)?.place;
  // Where it could be written: a ROS file has no stiffness, and one that does not name the joint is no place to point to.
  const isOfRos = ros !== undefined && lacking.some(([key]) => !ONLY_OURS.includes(key));
  const elsewhere = isOfRos ? (ofRos ?? inModel) : (own?.place(['joints']) ?? ofRos ?? inModel);
  const unusable = (model.unusable ?? []).filter(({ key }) => lacking.some(([name]) => name === key));
  if (unusable.length > 0) return unusable.map((limit) => unusableProblem(name, limit));
  const words = lacking.map(([key, text]) => `${text} (${key})`).join(', ');
  const absent =
    isOfRos && ofRos === undefined
      ? `, and ${ros.file} does not name it${nearestName(name, [...ros.joints.keys()])}`
      : '';
  const message = `joint "${name}" has ${words}: no file gives it${absent}`;
  return [{ place: own?.joints.get(name)?.place ?? elsewhere, message }];
}

/** Reports the limit itself, and not what follows from it (no stiffness, no damping). */
function unusableProblem(name: string, { key, text, place }: UnusableLimit): Problem {
  const [what, option] = key === 'torqueMaxNm' ? ['hold nothing', '--torque'] : ['never move', '--speed'];
  return {
    place,
    message: `joint "${name}" has ${text}: it could ${what}. Write the robot's own there, give ${key} in a limits file, or ${option} for all`,
  };
}

/** Reports a URDF joint whose stops are wrong in the URDF and not given in a limits file. */
function checkRange({ name, kind, rangeProblem }: ImportedJoint, merged: JointFacts): Problem[] {
  if (rangeProblem === undefined) return [];
  if (merged.positionMinRad !== undefined && merged.positionMaxRad !== undefined) return [];
  const { place, why } = rangeProblem;
  const unit = kind === 'prismatic' ? 'm' : 'rad';
  const message = `joint "${name}" ${why}: write lower below upper (${unit}) there, or give positionMinRad and positionMaxRad (of ROS: min_position and max_position) in a limits file`;
  return [{ place, message }];
}

function checkOrder(name: string, { positionMinRad: min, positionMaxRad: max }: JointFacts): Problem[] {
  if (min === undefined || max === undefined || min.value < max.value) return [];
  const { message, remedy } = orderProblem(`positionMinRad of joint "${name}"`, min.value, 'positionMaxRad', max.value);
  return [{ place: min.place, message: `${message}: ${remedy(min.place, max.place)}` }];
}

/** Wrists with two turns each way exist; more is rare, rad. */
const TWO_TURNS_RAD = 4 * Math.PI + SAME_RAD;
const DEGREES = 'degrees? a URDF and limits files have radians';

function looksLikeDegrees({ kind }: ImportedJoint, { positionMinRad: min, positionMaxRad: max }: JointFacts): boolean {
  return kind === 'revolute' && Math.max(-(min?.value ?? 0), max?.value ?? 0) > TWO_TURNS_RAD;
}

/** Reports values that a robot file may not have either, at their line. */
function checkBounds(model: ImportedJoint, merged: JointFacts): Problem[] {
  return (['positionMinRad', 'positionMaxRad', 'velocityMaxRadPerS'] as const).flatMap((key) => {
    const fact = merged[key];
    const most = farthest(key);
    if (fact === undefined || most === undefined || Math.abs(fact.value) <= most) return [];
    const isSpeed = key === 'velocityMaxRadPerS';
    const unit = `${positionUnit(model)}${isSpeed ? '/s' : ''}`;
    const bound = fact.value < 0 ? `at least ${-most}` : `at most ${most}`;
    const hint = model.kind === 'revolute' ? `; ${DEGREES}` : '';
    const message = `${key} of joint "${model.name}" is ${significant(fact.value, 4)} ${unit}, it must be ${bound}${hint}`;
    return [{ place: fact.place, message }];
  });
}

type Limits = Pick<JointModel, keyof JointLimits>;

function jointOf(model: ImportedJoint, facts: JointFacts): JointModel {
  const { name, kind, parent, originXyzM, originRpyRad, axis } = model;
  // Complete if the files have no problems.
  const limits = Object.fromEntries(LIMIT_KEYS.map((key) => [key, facts[key]?.value])) as unknown as Limits;
  const length = Math.hypot(...axis);
  const unit = [axis[0] / length, axis[1] / length, axis[2] / length] as const;
  return { name, kind, parent, originXyzM, originRpyRad, axis: unit, ...limits };
}
