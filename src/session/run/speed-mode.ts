/**
 * Speed limit for the points of an arm in a run: that of its file, or reduced speed, with which people begin beside it
 * (`reducedSpeedMPerS`). The guard is started with the limit, so that nothing in the run can lift it.
 */
import type { ResolvedConfig, RobotConfig } from '../../config/index.ts';
import { REDUCED_SPEED_M_PER_S, type RobotModel } from '../../model/index.ts';
import type { Rung } from '../../record/index.ts';
import { rungLimit } from './rung-limit.ts';

export type SpeedMode = 'full' | 'reduced';

/** An arm that has not passed this rung of bring-up is at reduced speed, whatever is requested. */
const FIRST_FULL_RUNG: Rung = 'burn-in';

/** Mode of `robot` if a person requests `wanted`: bring-up takes precedence. A mobile base has its own speed limit. */
export function speedModeOf(robot: RobotConfig, wanted: SpeedMode): SpeedMode {
  if (robot.base !== undefined) return 'full';
  const ladder = rungLimit(robot)?.ladder;
  const isYoung = ladder !== undefined && !ladder.passed.some(({ rung }) => rung === FIRST_FULL_RUNG);
  return isYoung ? 'reduced' : wanted;
}

/** Deciders of a run besides people. */
export interface Deciding {
  readonly policy?: string | undefined;
  readonly learner?: string | undefined;
}

/** True if anything but people can decide the motion of the robot of `task`. */
export function isDecided(
  { policy, learner }: Deciding,
  task: Partial<Pick<ResolvedConfig['task'], 'policyPlugin'>>,
): boolean {
  return policy !== undefined || learner !== undefined || task.policyPlugin !== undefined;
}

/** Mode in which a run begins: the requested one, else reduced if only people drive. */
export function askedSpeedMode(
  asked: Deciding & { readonly speedMode?: SpeedMode | undefined },
  task: Partial<Pick<ResolvedConfig['task'], 'policyPlugin'>>,
): SpeedMode {
  return asked.speedMode ?? (isDecided(asked, task) ? 'full' : 'reduced');
}

/** Returns `robot` with its limits in `mode`. */
export function inSpeedMode<R extends RobotModel>(robot: R, mode: SpeedMode): R {
  if (mode === 'full') return robot;
  const reducedMPerS = robot.reducedSpeedMPerS ?? REDUCED_SPEED_M_PER_S;
  return { ...robot, toolSpeedMaxMPerS: Math.min(reducedMPerS, robot.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY) };
}

/** Message for people at the start; `undefined` at full speed. `wanted`: see `speedModeOf`; `option`: how to request full speed. */
export function speedModeLine(robot: RobotConfig, wanted: SpeedMode, option = '--speed-mode full'): string | undefined {
  if (speedModeOf(robot, wanted) === 'full') return undefined;
  const { toolSpeedMaxMPerS } = inSpeedMode(robot, 'reduced');
  const leave =
    wanted === 'reduced'
      ? `For full speed start with ${option}.`
      : `Full speed comes with the rung ${FIRST_FULL_RUNG}.`;
  return `Reduced speed: no point of ${robot.name} is moved faster than ${toolSpeedMaxMPerS} m/s. ${leave}`;
}
