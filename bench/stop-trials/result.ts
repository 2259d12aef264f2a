/** Results of the stop trials, as plain data: `npm run trials -- --json FILE` writes a `StopTrialsResult`. */

/** Faults of a robot that moves at full speed, in the order of the table. */
export const STOP_TRIALS = [
  'nodeKilled',
  'nodeFrozen',
  'nodeFloods',
  'nodeSendsNaN',
  'guardKilled',
  'guardFrozen',
] as const;
export type StopTrialName = (typeof STOP_TRIALS)[number];

/**
 * Measures, taken on the bus by a process that only listens. `brakeBegins`: from the fault to the first reference that is slower
 * than the one before. `brakeAfterLast`: to the same from the last command that a flood sent before it was cut off. `standstill`: from
 * the fault to the first reference without motion. `firstStopFrame`, `lastStopFrame`: from the fault to the guardian's first and third
 * stop frame.
 */
export type StopMeasureName = 'brakeBegins' | 'brakeAfterLast' | 'standstill' | 'firstStopFrame' | 'lastStopFrame';

/** Over all trials that count. */
export interface StopMeasure {
  readonly name: StopMeasureName;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly worstMs: number;
  /** Promised bound. */
  readonly boundMs: number;
  /** Trials above the bound. */
  readonly failures: number;
  /** One per trial, in order. */
  readonly samplesMs: readonly number[];
}

export interface StopTrialResult {
  readonly name: StopTrialName;
  /** Rows of the fault table shown by these trials. */
  readonly rows: readonly number[];
  readonly message: string;
  /** Trials that count. */
  readonly trials: number;
  /**
   * Trials that violated a bound while the listener itself was held up by the machine: they say nothing about the robot. They
   * do not count above, and each was repeated.
   */
  readonly setAside: readonly { readonly heldUpMs: number; readonly why: string }[];
  readonly measures: readonly StopMeasure[];
  /** Failures beyond the measures, one sentence each: a reference after a stop, no stop at all. */
  readonly failed: readonly string[];
  readonly passed: boolean;
}

export interface StopTrialsResult {
  readonly kind: 'rein-stop-trials';
  readonly version: 1;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly durationS: number;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    /** Processes ready to run in the minute before. */
    readonly loadBefore: number;
    /** True if tick, guardian and listener had real-time priority. */
    readonly isRaised: boolean;
  };
  readonly robot: {
    readonly name: string;
    readonly periodMs: number;
    readonly leaseMs: number;
    /** Longest time from full speed to rest by the model's limits: the largest v/A. */
    readonly brakeMs: number;
    /** Lease + period + bus + brake. */
    readonly reactionBoundMs: number;
  };
  readonly trialsAsked: number;
  readonly results: readonly StopTrialResult[];
  readonly passed: boolean;
}
