/** Disables parts of the chain in trials, to show that each stage is needed. Never used to drive a robot. */
import type { StageName } from './chain-report.ts';

/**
 * Changes that a trial makes to the chain. Only `src/safety-check/` and tests may use it
 * (`tests/arch/direction.test.ts`): a disabled stage protects no person.
 */
export interface ChainTrial {
  /** Stages that pass everything through. `actionMap` is left out by setting `wantedRadPerS`. */
  readonly without?: readonly StageName[];
  /** [n] replaces the action map's velocity in each tick with a valid command, rad/s; written by the caller. */
  readonly wantedRadPerS?: Float64Array;
}

/** True if the trial leaves `stage` out. Tick-safe. */
export function isLeftOut(trial: ChainTrial | undefined, stage: StageName): boolean {
  return trial?.without?.includes(stage) ?? false;
}
