/** Loads the subject of a safety check from a robot's name or file. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import {
  isOwnLimits,
  loadRobotFile,
  type OwnLimits,
  problemsError,
  type RawYaml,
  type RobotFile,
  readOwnLimits,
  readRawYaml,
  readRosLimits,
  shownPath,
} from '../config/index.ts';
import { isMujoco, modelOf } from '../drivers/index.ts';
import { ReinError } from '../model/index.ts';
import { type ModelFiles, type ModelSubject, type PlacedSubject, subjectOfModel } from './model-subject.ts';
import { type CheckSubject, checkPlant, LIMIT_FLAGS, type SubjectOptions } from './subject.ts';

/**
 * Loads the subject `pathOrName`: a robot of `config/robots/` by name or path; a limits YAML with the key `model`; or
 * an MJCF or URDF together with `options.limits`. Throws `ReinError('config')` that lists all problems, each with file,
 * line and column.
 */
export async function loadCheckSubject(pathOrName: string, options: SubjectOptions = {}): Promise<CheckSubject> {
  const from = options.from ?? process.cwd();
  const { subject, place } = await subjectOf(pathOrName, options, from);
  await checkPlant(subject, place);
  return subject;
}

/**
 * Like `loadCheckSubject`, for an MJCF or URDF with its limits, or for a limits YAML, with all assumptions part by
 * part. Throws `ReinError('config')`, also for a robot that has a robot file.
 */
export async function loadModelSubject(path: string, options: SubjectOptions = {}): Promise<ModelSubject> {
  const subject = await modelSubjectOf(path, options, options.from ?? process.cwd());
  if (subject === undefined) refuseModel(path, options.from ?? process.cwd());
  await checkPlant(subject.subject, subject.place);
  return subject;
}

function refuseModel(path: string, from: string): never {
  if (/\.ya?ml$/i.test(path) && existsSync(at(from, path)) && yamlKind(at(from, path), path) === 'robot') {
    throw new ReinError('config', `${path} is the file of a robot already`, {
      remedy: `use it as it is: rein safety check ${path}`,
    });
  }
  throw new ReinError('config', `${path} is no MJCF (.xml, .mjcf), URDF (.urdf) or limits file that is there`, {
    remedy: "give the path of the robot's model",
  });
}

async function subjectOf(pathOrName: string, options: SubjectOptions, from: string): Promise<PlacedSubject> {
  const ofModel = await modelSubjectOf(pathOrName, options, from);
  if (ofModel !== undefined) return ofModel;
  const { limits } = options;
  if (limits !== undefined) {
    throw new ReinError('config', `--limits belongs to an MJCF or URDF: the robot ${pathOrName} has limits of its own`);
  }
  refuseModelOptions(pathOrName, options);
  return subjectOfRobot(loadRobotFile(pathOrName, from), options);
}

/** Loads an MJCF, a URDF or a limits file; `undefined` for what may be a robot file. */
async function modelSubjectOf(
  pathOrName: string,
  options: SubjectOptions,
  from: string,
): Promise<ModelSubject | undefined> {
  if (isModelFile(pathOrName)) {
    return subjectOfModel({ model: shownPath(at(from, pathOrName)), ...limitsOf(options.limits, from) }, options);
  }
  const path = at(from, pathOrName);
  if (!/\.ya?ml$/i.test(pathOrName) || !existsSync(path)) return undefined;
  const shown = shownPath(path);
  const kind = yamlKind(path, shown);
  if (kind === 'limits') return subjectOfLimits(path, options, from);
  refuseSubject(kind, shown);
  return undefined;
}

/** Refuses options for what a robot file gives in full. */
function refuseModelOptions(name: string, { defaults = {}, fixed = [], packages = {} }: SubjectOptions): void {
  const given = [
    ...LIMIT_FLAGS.filter(([key]) => defaults[key] !== undefined).map(([, flag]) => flag),
    ...(fixed.length === 0 ? [] : ['--fixed']),
    ...(Object.keys(packages).length === 0 ? [] : ['--package']),
  ];
  if (given.length === 0) return;
  throw new ReinError(
    'config',
    `${given.join(' and ')} belong to an MJCF or URDF: the robot ${name} has a file of its own`,
  );
}

/** Loads a Rein limits file, which names the model. */
async function subjectOfLimits(path: string, options: SubjectOptions, from: string): Promise<ModelSubject> {
  const { limits } = options;
  const own = readOwnLimits(path, shownPath(path));
  const { model, limits: named } = own.config;
  if (model === undefined) {
    throw problemsError([
      { place: own.place([]), message: 'the key "model" is missing: the MJCF or URDF that these limits are of' },
    ]);
  }
  const folder = dirname(path);
  const file = at(folder, model);
  if (!existsSync(file)) {
    throw problemsError([{ place: own.place(['model']), message: `there is no file ${shownPath(file)}` }]);
  }
  const ros = rosOf(own, folder, named, limits, from);
  return subjectOfModel({ model: shownPath(file), own, ownFile: shownPath(path), ...ros }, options);
}

/** Reads the file of `--limits`: a Rein limits file, or a ROS one. */
function limitsOf(limits: string | undefined, from: string): Omit<ModelFiles, 'model'> {
  if (limits === undefined) return {};
  const path = at(from, limits);
  const shown = shownPath(path);
  const kind = existsSync(path) ? yamlKind(path, shown) : 'ros';
  refuseLimits(kind, shown);
  if (kind !== 'limits') return { ros: { ...readRosLimits(shown), file: shown } };
  const own = readOwnLimits(path, shown);
  return { own, ownFile: shown, ...rosOf(own, dirname(path), own.config.limits, undefined, from) };
}

/** Reads the ROS file named by the Rein limits file, or else by the command line. */
function rosOf(
  own: OwnLimits,
  folder: string,
  named: string | undefined,
  asked: string | undefined,
  from: string,
): Pick<ModelFiles, 'ros'> {
  if (named === undefined) return asked === undefined ? {} : limitsOf(asked, from);
  if (asked !== undefined) {
    const message = `the limits file names "${named}" already, and --limits names ${shownPath(at(from, asked))}: one of the two`;
    throw problemsError([{ place: own.place(['limits']), message }]);
  }
  const file = at(folder, named);
  if (!existsSync(file))
    throw problemsError([{ place: own.place(['limits']), message: `there is no file ${shownPath(file)}` }]);
  return { ros: { ...readRosLimits(shownPath(file)), file: shownPath(file) } };
}

async function subjectOfRobot(file: RobotFile, { payloadMaxKg, onPhase }: SubjectOptions): Promise<PlacedSubject> {
  const plain = await plainSubject(file);
  const subject = payloadMaxKg === undefined ? plain : { ...plain, model: { ...plain.model, payloadMaxKg } };
  const { model, plantFile } = subject;
  if (plantFile === undefined) return { subject, place: file.place };
  onPhase?.(`compiling ${model.name}`);
  const packages = modelOf(file.robot.driver)?.packages;
  const { compilePlantImage } = await import('../plant/mujoco.ts');
  const plantImage = await compilePlantImage({ file: plantFile, model, packages });
  return { subject: { ...subject, plantImage }, place: file.place };
}

async function plainSubject({ robot, shownAs }: RobotFile): Promise<CheckSubject> {
  const { driver, ...model } = robot;
  const own = modelOf(driver);
  const sources = [...(own === undefined ? [] : [shownPath(own.model)]), shownAs];
  const plain = { model, sources, assumed: [] };
  if (own !== undefined) return { ...plain, plantFile: own.model };
  if (!isMujoco(driver)) return plain;
  const { bareArmXml } = await import('../plant/mujoco.ts');
  return { ...plain, plantFile: bareArmXml() };
}

/** A xacro file counts: its reader gives the remedy. */
function isModelFile(path: string): boolean {
  return /\.(xml|mjcf|urdf|xacro)$/i.test(path);
}

function at(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

/** `unknown` is passed to the expected reader, which reports each wrong key. */
type YamlKind = 'limits' | 'ros' | 'robot' | 'task' | 'learner' | 'unknown';

/** Returns the kind, from the names of keys only. Throws `ReinError` if the file is no YAML. */
function yamlKind(path: string, shownAs: string): YamlKind {
  const root = readRawYaml(path, shownAs);
  const keys = keysOf(root);
  const has = (...names: readonly string[]): boolean => names.some((name) => keys.includes(name));
  if (has('driver')) return 'robot';
  if (has('robot', 'policyHz', 'action', 'maxSteps')) return 'task';
  if (has('algorithm', 'actorHidden', 'criticHidden', 'utd')) return 'learner';
  if (isOwnLimits(keys)) return 'limits';
  if (isRos(root)) return 'ros';
  return 'unknown';
}

/** Throws if a file of `kind` is no robot to be checked. */
function refuseSubject(kind: YamlKind, shownAs: string): void {
  if (kind === 'ros') {
    throw new ReinError('config', `${shownAs} is a ROS joint_limits.yaml, which names no robot`, {
      remedy: `give the MJCF or URDF, and this file beside it: rein safety check MODEL --limits ${shownAs}`,
    });
  }
  if (kind === 'task' || kind === 'learner') {
    throw new ReinError('config', `${shownAs} is the file of a ${kind}, and a robot is checked`, {
      remedy: "give a robot's name or file, a limits file, or an MJCF or URDF with --limits",
    });
  }
}

/** Throws if a file of `kind` is not usable for `--limits`. */
function refuseLimits(kind: YamlKind, shownAs: string): void {
  if (kind !== 'robot' && kind !== 'task' && kind !== 'learner') return;
  const remedy = kind === 'robot' ? `; a robot's file is checked alone: rein safety check ${shownAs}` : '';
  throw new ReinError('config', `${shownAs} is the file of a ${kind}, and --limits takes limits of a model`, {
    remedy: `give a limits file or a ROS joint_limits.yaml${remedy}`,
  });
}

/** Criteria of `readRosLimits`: the group `joint_limits` at any depth, or joints with `has_…` at the top. */
function isRos(node: RawYaml): boolean {
  if (node.kind !== 'map') return false;
  return node.entries.some(
    ([key, value]) =>
      key === 'joint_limits' ||
      key === 'joint_names' ||
      hasLimitGroup(value) ||
      key === 'ros__parameters' ||
      /^(has|max)_\w+$/.test(key) ||
      isRos(value),
  );
}

/** As in `joint1: { limit: { lower, upper, velocity, effort } }`. */
function hasLimitGroup(node: RawYaml): boolean {
  return node.kind === 'map' && node.entries.some(([key, value]) => key === 'limit' && value.kind === 'map');
}

function keysOf(node: RawYaml): readonly string[] {
  return node.kind === 'map' ? node.entries.map(([key]) => key) : [];
}
