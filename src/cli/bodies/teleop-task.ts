/** The goal-free task of `rein teleop`: derived from the robot's limits, and checked without a run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRobotFile, neededSpeed, type RobotConfig, resolveConfig } from '../../config/index.ts';
import { worldOf } from '../../drivers/index.ts';
import { type ActionSpec, ArmKinematics, type JointModel, jointActionUnit, ReinError } from '../../model/index.ts';
import { START_NEAR_M, START_NEAR_RAD } from '../../safety/index.ts';
import { type TeleopOptions, teleopCommand } from '../teleop.ts';

/** Tool velocities at full speed. */
const TOOL_M_PER_S = 0.4;
const TOOL_RAD_PER_S = 1.5;
/** Episodes last an hour: the end of one only latches a leader arm anew. */
const EPISODE_S = 3600;

/** Throws the error with which `rein teleop --robot FILE` would refuse its configuration. */
export async function checkTeleop(robotFile: string): Promise<void> {
  const options = teleopCommand.options.parse({ robot: robotFile });
  await withTeleopTask(robotFile, options, async (task) => void resolveConfig({ task, seed: 0 }));
}

/** Calls `use` with a temporary task file for the robot; the run's own config.yaml holds the whole task. */
export async function withTeleopTask<T>(
  name: string,
  options: TeleopOptions,
  use: (task: string) => Promise<T>,
): Promise<T> {
  const { robot, file } = loadRobotFile(name);
  checkOwnWorld(robot);
  const folder = await mkdtemp(join(tmpdir(), 'rein-teleop-'));
  try {
    const task = join(folder, 'teleop.yaml');
    await writeFile(task, JSON.stringify(taskOf(robot, file, options), undefined, 2));
    return await use(task);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Refuses a robot that can only be simulated in a task's scene: teleop has none. */
function checkOwnWorld({ name, driver }: RobotConfig): void {
  if (worldOf(driver) !== 'scene') return;
  throw new ReinError('config', `The robot ${name} is simulated in the scene of a task, and there is none here.`, {
    remedy: 'Take --robot arm7, which is simulated by itself, or drive it in rein sim, which takes --operator too.',
  });
}

/** Content of the task's file. JSON is YAML. */
function taskOf(
  robot: RobotConfig,
  file: string,
  { moves, speedRatio, rateHz }: TeleopOptions,
): Record<string, unknown> {
  const policyHz = rateOf(robot.controlHz, rateHz);
  return {
    name: 'teleop',
    kind: 'operatorJudged',
    robot: file,
    learner: 'rlpd',
    policyHz,
    maxSteps: Math.min(100_000, EPISODE_S * policyHz),
    action: actionOf(robot, moves ?? (robot.base === undefined ? 'tool' : 'joints'), speedRatio / policyHz),
    observation: {},
    isJudged: false,
  };
}

/** `perStep`: time at full speed that a full action corresponds to, s. */
function actionOf(robot: RobotConfig, moves: 'tool' | 'joints', perStep: number): ActionSpec {
  const dimensionOf = ({ name, kind, velocityMaxRadPerS }: JointModel) => ({
    name,
    scale: Math.min(robot.base === undefined ? START_NEAR_RAD : 1, velocityMaxRadPerS * perStep),
    unit: jointActionUnit({ kind }),
  });
  if (moves === 'joints') return { kind: 'joint', dimensions: robot.joints.map(dimensionOf) };
  if (robot.base !== undefined) {
    throw new ReinError('config', `${robot.name} is a mobile base, which has no tool.`, {
      remedy: 'Take --moves joints.',
    });
  }
  const rate = (axis: number, fullPerS: number): number =>
    fullPerS / Math.max(1, neededSpeed(robot, axis, fullPerS).ratio);
  const slowest = Math.min(...[0, 1, 2].map((axis) => rate(axis, TOOL_M_PER_S)));
  // The first target of an episode has to be near, also along three axes together; a leash no longer than that ensures it.
  const nearM = robot.leashM > START_NEAR_M ? START_NEAR_M / Math.sqrt(3) : Number.POSITIVE_INFINITY;
  const scale = Math.min(slowest * perStep, nearM);
  const axes = ['x', 'y', 'z'].map((name) => ({ name, scale, unit: 'm' as const }));
  const { topology } = new ArmKinematics(robot);
  const besides = robot.joints.filter((_, i) => !topology.carriesTool(i)).map(dimensionOf);
  const yaw = { name: 'yaw', scale: rate(3, TOOL_RAD_PER_S) * perStep, unit: 'rad' as const };
  return { kind: 'cartesian', dimensions: [...axes, yaw, ...besides] };
}

/** Steps per second: `wantedHz`, or the next lower rate that is a whole number of the robot's ticks; a command lasts two steps. */
function rateOf(controlHz: number, wantedHz: number): number {
  for (let ticks = Math.max(1, Math.round(controlHz / wantedHz)); ; ticks++)
    if (Number.isInteger(controlHz / ticks)) return controlHz / ticks;
}
