/**
 * API for user programs: open a robot, run a session, and write drivers, tasks, policies, operators and algorithms
 * (`rein/learner` has the parts of these). Everything heavy is loaded by the function that needs it, so that a driver
 * that imports this loads nothing extra into the guard.
 */

import type { DriverPlugin } from './drivers/index.ts';
import { markPlugin, type PluginMark } from './host/index.ts';
import type { AlgorithmPlugin } from './learner/index.ts';
import type { PolicyPlugin } from './policy/index.ts';
import type { RobotRun, RunObserver } from './session/supervision.ts';
import type { OpenRobot, OpenRobotOptions, SimulationResult } from './sim/index.ts';
import type { TaskPlugin } from './tasks/index.ts';
import type { OperatorPlugin } from './teleop/index.ts';

export {
  createDriverReport,
  type Driver,
  type DriverBus,
  type DriverFacts,
  type DriverPlugin,
  type DriverPluginContext,
  type DriverReport,
  type DriverService,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from './drivers/index.ts';
export type { AlgorithmPlugin } from './learner/index.ts';
export {
  type ActionSpec,
  type ErrorKind,
  type ObservationField,
  type ObservationSpec,
  ReinError,
  Rng,
  type RobotModel,
  type Vec,
} from './model/index.ts';
export type { Policy, PolicyContext, PolicyNoise, PolicyPlugin } from './policy/index.ts';
export type { GuardFrame, RobotState, SceneLayout } from './rows/index.ts';
export type { EpisodeResult, RunStatus } from './session/index.ts';
export type { RobotRun, RunObserver } from './session/supervision.ts';
export type { Decide, OpenRobot, OpenRobotOptions, SimulationResult } from './sim/index.ts';
export type { Task, TaskContext, TaskPlugin, Verdict } from './tasks/index.ts';
export type { OperatorContext, OperatorPlugin, TeleopCommand, TeleopSource } from './teleop/index.ts';

/** Exit code of a program ended by Ctrl+C, as in shells. */
const INTERRUPTED = 130;

/** Options common to all runs. */
export interface RunOptions {
  /** Name of a file in `config/tasks/`, or path of one; it names its robot and its learner. */
  readonly task: string;
  /** YAML file that overrides keys of task, robot and learner, as `--config` does. */
  readonly config?: string;
  /** Seed of all random numbers; default 0. */
  readonly seed?: number;
  /** Folder of the run; default: a new one below `runs/`. */
  readonly out?: string;
  /**
   * Requests an orderly end. The promise then rejects with the signal's reason; that of `runRobot` does so before its robot is
   * started, and resolves afterwards.
   */
  readonly signal?: AbortSignal;
  /** Called with the progress of the run; the status object is reused. Default: none. */
  readonly observer?: RunObserver;
}

/** Options of a run on a robot, in real time. */
export interface RunRobotOptions extends RunOptions {
  /** Name of the robot for its learner; default `robot1`. */
  readonly robotId?: string;
  /** Address of the learner (`rein learn`), `tcp://host:port`. */
  readonly learner?: string;
  /** Policy file (`.onnx`) to begin with. */
  readonly policy?: string;
  /** Duration after which the run ends, s. Default: it ends by `signal`. */
  readonly durationS?: number;
}

/**
 * Opens the robot of a task in simulation, to drive it with a custom function. Throws `ReinError` if the
 * configuration is invalid.
 *
 * @example
 * const robot = await openRobot({ task: 'insert' });
 * const { success } = await robot.episode(() => [0, 0, -0.2, 0]);
 * await robot.close();
 */
export async function openRobot(options: OpenRobotOptions): Promise<OpenRobot> {
  return (await import('./sim/index.ts')).openRobot(options);
}

/** Runs the whole workflow in simulation, as `rein sim` does: demonstrations, training, validation, evaluation. Throws `ReinError`. */
export async function runSimulation(options: RunOptions): Promise<SimulationResult> {
  const { simulate } = await import('./sim/index.ts');
  const { resolveConfig } = await import('./config/index.ts');
  const { task, config: overlay, seed = 0, out, signal = new AbortController().signal, observer } = options;
  return simulate({
    config: resolveConfig({ task, seed, overlay, isSimulated: true, run: { command: 'sim', task, seed } }),
    out,
    signal,
    observer,
  });
}

/**
 * Runs guard and node of a robot in real time, as `rein run` does, in separate processes. A real robot moves only after an
 * operator has released it at the terminal of this program. There, Ctrl+C ends the run in order, like `signal`, and a second
 * one ends this program at once, with code 130. Throws `ReinError`.
 */
export async function runRobot(options: RunRobotOptions): Promise<RobotRun> {
  const [{ runRobot: run }, { checkRunRequest }] = await Promise.all([
    import('./session/supervision.ts'),
    import('./session/run-request.ts'),
  ]);
  const { signal, observer, ...asked } = options;
  const request = checkRunRequest(asked);
  // The terminal is in raw mode and sends no signals, so Ctrl+C is handled here only.
  const interrupted = new AbortController();
  const onInterrupt = (): void => {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    interrupted.abort();
  };
  const ending = signal === undefined ? interrupted.signal : AbortSignal.any([signal, interrupted.signal]);
  return run({ request, signal: ending, observer, onInterrupt });
}

/** @example export default defineDriver({ name: 'my arm', create: ({ robot, options }) => new MyArm(robot, options) }); */
export function defineDriver<O = unknown>(plugin: DriverPlugin<O>): Marked<DriverPlugin<O>, 'driver'> {
  return markPlugin('driver', plugin);
}

/** @example export default defineTask({ name: 'press a button', create: (context) => new PressButton(context) }); */
export function defineTask<O = unknown>(plugin: TaskPlugin<O>): Marked<TaskPlugin<O>, 'task'> {
  return markPlugin('task', plugin);
}

/** @example export default definePolicy({ name: 'go home', open: (context) => new GoHome(context) }); */
export function definePolicy<O = unknown>(plugin: PolicyPlugin<O>): Marked<PolicyPlugin<O>, 'policy'> {
  return markPlugin('policy', plugin);
}

/** @example export default defineOperator({ name: 'my pedal', create: ({ action }) => new Pedal(action) }); */
export function defineOperator<O = unknown>(plugin: OperatorPlugin<O>): Marked<OperatorPlugin<O>, 'operator'> {
  return markPlugin('operator', plugin);
}

/** @example export default defineAlgorithm({ name: 'my sac', create: () => ({ ...sac, name: 'my sac', update }) }); */
export function defineAlgorithm<O = unknown>(plugin: AlgorithmPlugin<O>): Marked<AlgorithmPlugin<O>, 'algorithm'> {
  return markPlugin('algorithm', plugin);
}

type Marked<P, K extends PluginMark['kind']> = P & { readonly rein: PluginMark<K> };
