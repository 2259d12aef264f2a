/** How a trial takes the chain apart, to see that each stage is needed. No robot is ever driven with it. */
import type { StageName } from './chain-report.ts';

/**
 * What a trial changes. Only `src/safety-check/` and tests may name it (`tests/arch/direction.test.ts`): what is
 * left out here is not there to protect anybody.
 */
export interface ChainTrial {
  /** Stages that let everything pass. `actionMap` is left out by giving `wantedRadPerS`. */
  readonly without?: readonly StageName[];
  /** [n] taken in the place of the action map's velocity in each tick with a valid command, rad/s; the caller writes it. */
  readonly wantedRadPerS?: Float64Array;
}

/** Whether the trial leaves `stage` out. Tick-safe. */
export function isLeftOut(trial: ChainTrial | undefined, stage: StageName): boolean {
  return trial?.without?.includes(stage) ?? false;
}
