/** Body of `rein robot import`: reads the model, derives the rest, writes and loads a draft, and only then renames it. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { loadRobotFile, problemsError, resolveConfig, shownPath } from '../../config/index.ts';
import { ArmKinematics, counted, ReinError, type RobotModel } from '../../model/index.ts';
import {
  type ImportedFile,
  loadCheckSubject,
  loadModelSubject,
  type ModelSubject,
  type RosAsked,
  robotFileText,
} from '../../robot-import/index.ts';
import type { RobotImportOptions } from '../robot.ts';
import { firstTaskText } from './first-task.ts';
import { checkFree } from './json-file.ts';
import { makeOutFolder } from './out-folder.ts';
import { checkTeleop } from './teleop-task.ts';
import { progressLine } from './terminal.ts';

/** Valid names in a robot's file. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Valid controller names: those that may be part of a topic's name. */
const ROS_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ROS_RATE_HZ = 100;
/** A tool higher than this at home is assumed to work above the plane that its base stands on, m. */
const ABOVE_M = 0.01;
const LINE_MS = 15_000;

/** Resolves to 0. Rejects with `ReinError('config')`, leaving the file as it was. */
export async function robotImportBody(options: RobotImportOptions): Promise<number> {
  const { limits, fixed, packages, velocityMaxRadPerS, accelMaxRadPerS2, torqueMaxNm, payloadMaxKg, force } = options;
  if (options.out !== undefined) checkOut(options.out, force);
  const ros = rosAsked(options);
  const progress = progressLine('live', LINE_MS);
  const onPhase = progress.phase;
  const defaults = { velocityMaxRadPerS, accelMaxRadPerS2, torqueMaxNm };
  const about = { limits, fixed, packages, defaults, payloadMaxKg, onPhase };
  const subject = await loadModelSubject(options.model, about).catch(withRemedy).finally(progress.end);
  const { plantFile } = subject.subject;
  const named = { ...subject.subject.model, name: options.name ?? subject.subject.model.name };
  checkNames(named, options.name, subject.place);
  const out = resolve(options.out ?? `${named.name}.yaml`);
  checkOut(out, force);
  const place = workspaceOf(named, subject);
  const pathFrom = (path: string): string => relativePath(dirname(out), path);
  const folders = Object.entries(subject.packages).map(([name, folder]) => [name, pathFrom(resolve(folder))] as const);
  const file = { ...place, subject, modelPath: pathFrom(plantFile!), packages: folders, ros };
  makeOutFolder(dirname(out));
  await writeChecked(out, robotFileText(file));
  const problem = ros === undefined ? await teleopProblem(out) : undefined;
  const task = ros === undefined && problem === undefined ? writeFirstTask(out) : undefined;
  report(out, file, problem, task);
  return 0;
}

/** Path of the first task: beside the robot's file, with its name and a suffix. */
function firstTaskOf(out: string): string {
  return out.replace(/\.ya?ml$/i, '-reach.yaml');
}

/** Writes a first task and loads it as `rein sim` does. Returns its path, or `undefined` if the robot has none. */
function writeFirstTask(out: string): string | undefined {
  const path = firstTaskOf(out);
  const text = firstTaskText(loadRobotFile(out).robot, `./${basename(out)}`);
  if (text === undefined) return undefined;
  writeFileSync(path, text);
  try {
    resolveConfig({ task: path, seed: 0 });
    return path;
  } catch (error) {
    rmSync(path);
    if (error instanceof ReinError) return undefined;
    throw error;
  }
}

/** Reason why `rein teleop` would refuse the robot; tried before that command is suggested. */
async function teleopProblem(out: string): Promise<string | undefined> {
  try {
    await checkTeleop(out);
    return undefined;
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return error.message;
  }
}

function withRemedy(error: unknown): never {
  if (!(error instanceof ReinError) || error.remedy !== undefined) throw error;
  throw new ReinError(error.kind, error.message, {
    remedy: 'fix the file at the line named, or give another MJCF or URDF that MuJoCo loads',
    cause: error,
  });
}

/** The ROS 2 options; `undefined` if none is given. */
function rosAsked({ ros, rosInterface, rosDeactivate, rosRateHz }: RobotImportOptions): RosAsked | undefined {
  if (ros === undefined) {
    const isAlone = rosInterface !== undefined || rosDeactivate.length > 0 || rosRateHz !== undefined;
    if (!isAlone) return undefined;
    throw new ReinError('config', '--ros-interface, --ros-deactivate and --ros-rate need --ros, which is missing', {
      remedy: 'give --ros the controller that takes the commands: ros2 control list_controllers names it',
    });
  }
  const wrong = [ros, ...rosDeactivate].find((name) => !ROS_NAME.test(name));
  if (wrong !== undefined) {
    throw new ReinError('config', `"${wrong}" is no name of a controller`, {
      remedy: 'give it as ros2 control list_controllers has it, such as forward_position_controller',
    });
  }
  return { controller: ros, interface: rosInterface, deactivate: rosDeactivate, rateHz: rosRateHz ?? ROS_RATE_HZ };
}

function checkOut(out: string, force: boolean): void {
  if (!/\.ya?ml$/i.test(out)) {
    throw new ReinError('config', `--out ${shownPath(out)} is no name of a robot's file`, {
      remedy: 'give a name that ends in .yaml',
    });
  }
  checkFree([out, firstTaskOf(out)], force);
}

function checkNames({ name, joints }: RobotModel, asked: string | undefined, place: ModelSubject['place']): void {
  if (!NAME.test(name)) {
    throw new ReinError(
      'config',
      `"${name}" is no name of a robot: letters, digits, _ and - after a letter, at most 64`,
      {
        remedy: asked === undefined ? 'give one with --name' : 'give another with --name',
      },
    );
  }
  const problems = [...joints.entries()].flatMap(([i, joint]) => {
    const message = `joint "${joint.name}" has a name that a robot's file cannot hold: letters, digits, _ and - after a letter, at most 64`;
    return NAME.test(joint.name) ? [] : [{ place: place(['joints', i]), message }];
  });
  if (problems.length > 0) throw problemsError(problems, 'rename them in the model');
}

/** If no box was given and the tool is above the base's plane at home, the workspace is limited to above that plane. */
function workspaceOf(model: RobotModel, { assumedParts }: ModelSubject): Pick<ImportedFile, 'model' | 'isAboveFloor'> {
  const { workspace } = model;
  const atHome = new ArmKinematics(model).tcpPositionM[2]!;
  if (!assumedParts.has('workspace') || !(atHome > ABOVE_M)) return { model, isAboveFloor: false };
  const minM = [workspace.minM[0], workspace.minM[1], 0] as const;
  return { model: { ...model, workspace: { ...workspace, minM } }, isAboveFloor: true };
}

/** Writes `text` beside `out`, loads and compiles it as every command does, and renames it; or leaves no file. */
async function writeChecked(out: string, text: string): Promise<void> {
  const draft = join(dirname(out), `.${basename(out).replace(/\.ya?ml$/i, '')}-${process.pid}.yaml`);
  try {
    writeFileSync(draft, text);
    loadRobotFile(draft);
    await loadCheckSubject(draft);
    renameSync(draft, out);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const why = cause.message.replaceAll(shownPath(draft), shownPath(out));
    throw new ReinError('config', `${shownPath(out)} was not written: ${why}`, {
      remedy: writeRemedy(cause),
      cause,
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeRemedy(cause: Error): string {
  if (!(cause instanceof ReinError)) return 'give --out a file in a folder that can be written to';
  return ['give another in a limits file, with --limits', cause.remedy].filter((part) => part !== undefined).join('; ');
}

function relativePath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

function report(
  out: string,
  { model, subject, isAboveFloor, ros }: ImportedFile,
  problem: string | undefined,
  task: string | undefined,
): void {
  const shown = shownPath(out);
  const word = shellWord(shown);
  const lines = [
    `${shown}: ${counted(model.joints.length, 'joint')} (${model.joints.map(({ name }) => name).join(', ')}), ${counted(model.collision?.pairs.length ?? 0, 'pair')} of links kept apart`,
    ...subject.subject.assumed.map((message) => `assumed: ${message}`),
    ...(isAboveFloor ? ['assumed: The tool stays above the plane that the base stands on.'] : []),
    'next:',
    `  rein safety check ${word}       what these limits are worth`,
    tryLine(word, ros, problem),
    ...(task === undefined
      ? []
      : [`  rein sim --task ${shellWord(shownPath(task))}     teach it a first task, a reach`]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Quotes `text` as one word for a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Suggests a command that tries the robot, or names the problem that prevents it. */
function tryLine(shown: string, ros: RosAsked | undefined, problem: string | undefined): string {
  if (problem !== undefined) return `  mend ${shown}, which rein teleop would refuse: ${problem}`;
  if (ros === undefined) return `  rein teleop --robot ${shown}     drive it, simulated`;
  return `  ros2 launch rein robot.launch.py robot:=${shown} sim:=true     rehearse it behind ROS 2`;
}
