/**
 * How fast the points of an arm may be in a run: all that its file allows, or reduced speed, in which people begin beside it
 * (`reducedSpeedMPerS`). The guard is started with the limit, so that nothing in the run can lift it.
 */
import type { ResolvedConfig, RobotConfig } from '../../config/index.ts';
import { REDUCED_SPEED_M_PER_S, type RobotModel } from '../../core/index.ts';
import type { Rung } from '../../record/index.ts';
import { rungLimit } from './rung-limit.ts';

export type SpeedMode = 'full' | 'reduced';

/** An arm that has not passed this rung of bringing up is at reduced speed, whatever is asked for. */
const FIRST_FULL_RUNG: Rung = 'burn-in';

/** The mode of `robot` where a person asks for `wanted`: bringing up comes first. A mobile base has a speed of its own. */
export function speedModeOf(robot: RobotConfig, wanted: SpeedMode): SpeedMode {
  if (robot.base !== undefined) return 'full';
  const ladder = rungLimit(robot)?.ladder;
  const isYoung = ladder !== undefined && !ladder.passed.some(({ rung }) => rung === FIRST_FULL_RUNG);
  return isYoung ? 'reduced' : wanted;
}

/** What a run may have that decides besides people. */
export interface Deciding {
  readonly policy?: string | undefined;
  readonly learner?: string | undefined;
}

/** Whether anything but people can decide what the robot of `task` does. */
export function isDecided(
  { policy, learner }: Deciding,
  task: Partial<Pick<ResolvedConfig['task'], 'policyPlugin'>>,
): boolean {
  return policy !== undefined || learner !== undefined || task.policyPlugin !== undefined;
}

/** What a run begins in: as it is asked for, else reduced where only people drive. */
export function askedSpeedMode(
  asked: Deciding & { readonly speedMode?: SpeedMode | undefined },
  task: Partial<Pick<ResolvedConfig['task'], 'policyPlugin'>>,
): SpeedMode {
  return asked.speedMode ?? (isDecided(asked, task) ? 'full' : 'reduced');
}

/** `robot` as it may move in `mode`. */
export function inSpeedMode<R extends RobotModel>(robot: R, mode: SpeedMode): R {
  if (mode === 'full') return robot;
  const reducedMPerS = robot.reducedSpeedMPerS ?? REDUCED_SPEED_M_PER_S;
  return { ...robot, toolSpeedMaxMPerS: Math.min(reducedMPerS, robot.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY) };
}

/** What people are told at the start; `undefined` at full speed. `wanted`: see `speedModeOf`; `option`: how full speed is asked for. */
export function speedModeLine(robot: RobotConfig, wanted: SpeedMode, option = '--speed-mode full'): string | undefined {
  if (speedModeOf(robot, wanted) === 'full') return undefined;
  const { toolSpeedMaxMPerS } = inSpeedMode(robot, 'reduced');
  const leave =
    wanted === 'reduced'
      ? `For full speed start with ${option}.`
      : `Full speed comes with the rung ${FIRST_FULL_RUNG}.`;
  return `Reduced speed: no point of ${robot.name} is moved faster than ${toolSpeedMaxMPerS} m/s. ${leave}`;
}
