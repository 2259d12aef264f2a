/** Reset of a described task between episodes: settings in its file, and the plan that a session makes of them. */
import { z } from 'zod';
import type { ActionSpec, Rng, RobotModel } from '../../model/index.ts';
import { type Configured, group, num, triple, whole } from '../../schema/index.ts';
import type { ResetPlan, TaskProblem } from '../task-kind.ts';
import type { Places } from './places.ts';
import { AXES, ruleList, ruleTest } from './rules.ts';

const waypoint = z.strictObject({
  toolM: triple('m', 'Where the tool goes, base frame; cartesian actions.').optional(),
  jointsRad: z
    .array(z.number())
    .min(1)
    .max(32)
    .meta({ unit: 'rad', description: 'Where the joints go, one number a joint; joint actions.' })
    .optional(),
});

export const resetSettings = group('Between episodes.', {
  by: z
    .enum(['simulator', 'people', 'script', 'policy'])
    .meta({
      description:
        'Who puts robot and things in place: `simulator`, which draws them as this file says, `people`, a `script` that drives the robot to where an episode starts, or a second `policy` that undoes the task.',
    })
    .default('simulator'),
  asks: z
    .boolean()
    .meta({
      description: '`people`: after each episode the robot holds and asks, until a person says that all is in place.',
    })
    .default(true),
  waypoints: z
    .array(waypoint)
    .max(64)
    .meta({ description: '`script`: where it goes through, one after another, before it goes to `start`.' })
    .default([]),
  pace: num('1', { above: 0, max: 1 }, '`script`: share of the full action.').default(0.5),
  policy: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        '`policy`: a `policy.onnx` of Rein, or the folder of its run, relative to this file; of a task with the same observation and action.',
    })
    .optional(),
  all: ruleList('`policy`: an episode may begin where every one of these holds.'),
  any: ruleList('`policy`: and where at least one of these holds too, where there are any.'),
  forSteps: whole('steps', { min: 1, max: 1000 }, '`policy`: steps in a row for which they must hold.').default(1),
  maxSteps: whole('steps', { min: 1, max: 100_000 }, 'A reset that takes longer has failed.').default(100),
});

export type ResetConfig = Configured<typeof resetSettings>;

/** Context of a reset plan. */
interface ResetContext {
  readonly action: ActionSpec;
  readonly robot: RobotModel;
  readonly places: Places;
  readonly start: StartConfig;
}

interface StartConfig {
  readonly toolM?: readonly [number, number, number] | undefined;
  readonly spreadM: readonly [number, number, number];
  readonly jointsRad?: readonly number[] | undefined;
  readonly spreadRad: number;
}

/** Returns `undefined` if the simulator resets, or the operator does so without being asked. */
export function resetPlanOf(reset: ResetConfig, { action, robot, places, start }: ResetContext): ResetPlan | undefined {
  const { by, asks, pace, maxSteps, waypoints, policy, all, any, forSteps } = reset;
  if (by === 'simulator' || (by === 'people' && !asks)) return undefined;
  if (by === 'people') return { by };
  if (by === 'policy') return { by, maxSteps, file: policy!, isBack: ruleTest(all, any, places, robot), forSteps };
  const names = action.kind === 'joint' ? robot.joints.map(({ name }) => name) : AXES;
  const target = (numbers: readonly number[]): number[] =>
    action.dimensions.map(({ name }) => numbers[names.indexOf(name as never)] ?? Number.NaN);
  const through = waypoints.map(({ toolM, jointsRad }) => target((action.kind === 'joint' ? jointsRad : toolM)!));
  return {
    by,
    maxSteps,
    pace,
    way: (rng) => {
      const drawn = startOf(action, robot, start, rng);
      return drawn === undefined ? through : [...through, target(drawn)];
    },
  };
}

/** Start of the episode; `undefined` if the file gives it in coordinates that the action does not have. */
function startOf(
  { kind }: ActionSpec,
  robot: RobotModel,
  { toolM, spreadM, jointsRad = robot.homeRad, spreadRad }: StartConfig,
  rng: Rng,
): readonly number[] | undefined {
  if (kind === 'joint') {
    return toolM === undefined ? jointsRad.map((at) => at + rng.uniformIn(-spreadRad, spreadRad)) : undefined;
  }
  return toolM?.map((at, k) => at + rng.uniformIn(-spreadM[k]!, spreadM[k]!));
}

/** Inconsistencies within `reset`, and with the action. */
export function resetProblems(
  reset: ResetConfig,
  { action, start }: Pick<ResetContext, 'action' | 'start'>,
): TaskProblem[] {
  const { by, waypoints, policy, all, any } = reset;
  const at = (key: string, message: string): TaskProblem => ({ path: ['reset', key], message });
  if (by === 'policy') {
    const problems = policy === undefined ? [at('policy', 'reset.by is policy, and reset.policy names none')] : [];
    if (all.length + any.length > 0) return problems;
    return [...problems, at('all', 'a reset by policy is never done: reset needs rules (all, any)')];
  }
  if (by !== 'script') return [];
  const key = action.kind === 'joint' ? 'jointsRad' : 'toolM';
  for (const [i, each] of waypoints.entries()) {
    if (each[key] !== undefined) continue;
    const message = `waypoint ${i + 1} has no ${key}, which a script needs for ${action.kind} actions`;
    return [{ path: ['reset', 'waypoints', i], message }];
  }
  const hasStart = action.kind === 'joint' ? start.toolM === undefined : start.toolM !== undefined;
  if (hasStart || waypoints.length > 0) return [];
  return [at('by', `the reset script has no target: give reset.waypoints, or a start.${key}`)];
}
