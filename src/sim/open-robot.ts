/** A simulated robot for custom programs: same guard, safety chain and episodes as in every run, without a learner. */
import { resolveConfig } from '../config/index.ts';
import { createSetup } from '../config/setup.ts';
import { type ActionSpec, checkAction, type ObservationSpec, Rng } from '../model/index.ts';
import type { Policy } from '../policy/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import type { EpisodeResult } from '../session/index.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';

export interface OpenRobotOptions {
  /** Name of a file in `config/tasks/`, or path of a file; the task names its robot. */
  readonly task: string;
  /** YAML file that overrides keys of task, robot and learner, as `--config` does. */
  readonly config?: string;
  /** Seed of all random numbers; default 0. The same seed gives the same episodes. */
  readonly seed?: number;
}

/**
 * Returns an action for an observation [O], both as the task's specs define; [A] within [−1, 1]. The observation buffer is
 * reused: copy what you keep.
 */
export type Decide = (observation: Float32Array) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** A robot that holds, and moves while an episode runs. Lock-step: as fast as the machine allows, and repeatable. */
export interface OpenRobot {
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  /** The guard's newest frame: joints, tool, safety state, effects of the filters. Updated in place. */
  readonly frame: GuardFrame;
  /** Runs the next episode with `decide` in control. A stop that only a person may clear restarts the simulated robot. */
  episode(decide: Decide): Promise<EpisodeResult>;
  /** Releases torque and all resources. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the robot of a task in simulation. Throws `ReinError` if the configuration is invalid, and for a real robot: those
 * are started by `rein run`, with a guard in a process of its own and an operator who lets them move.
 *
 * @example
 * const robot = await openRobot({ task: 'insert' });
 * const { success } = await robot.episode(() => [0, 0, -0.2, 0]);
 * await robot.close();
 */
export async function openRobot({ task, config, seed = 0 }: OpenRobotOptions): Promise<OpenRobot> {
  const setup = createSetup(
    resolveConfig({ task, seed, isSimulated: true, ...(config === undefined ? {} : { overlay: config }) }),
  );
  const robot: SimulatedRobot = await createSimulatedRobot(setup);
  const layouts = new Rng(seed).fork('layouts');
  let closing: Promise<void> | undefined;
  return {
    observation: setup.task.observation,
    action: setup.task.action,
    frame: robot.link.latest,
    episode: async (decide) => {
      const policy = policyOf(decide, setup.observationSize, setup.actionSize);
      const draw = () => setup.task.drawLayout(layouts);
      const result = await robot.runner.runDrawn(draw, { policy, purpose: 'evaluation' });
      await robot.goOn();
      return result;
    },
    close: () => {
      closing ??= robot.close();
      return closing;
    },
  };
}

function policyOf(decide: Decide, observationSize: number, actionSize: number): Policy {
  return {
    observationSize,
    actionSize,
    version: 1,
    decide: async (observation, _noise, out) => {
      const action = await decide(observation.subarray(0, observationSize));
      checkAction('policy', 'The policy', action, actionSize);
      out.set(action);
    },
    close: async () => undefined,
  };
}
