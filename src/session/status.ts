/** What a run tells the people who watch it: plain data, filled by the run, drawn by displays. */

import type { WorkRates } from '../record/index.ts';
import type { OperatorEcho } from '../teleop/index.ts';

/** Where a run is; the order is the order of a run. */
export const RUN_PHASES = [
  'preparing',
  'demonstrations',
  'behaviour cloning',
  'training',
  'validating',
  'evaluating',
  'done',
] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

/** A snapshot of a run. Displays keep no reference to it: the same object may be changed and shown again. */
export interface RunStatus {
  phase: RunPhase;
  runId: string;
  task: string;
  seed: number;
  /** Since the command began, s. */
  elapsedS: number;
  /** Estimate of what is left of the whole command, s; null when nobody can tell yet. */
  timeLeftS: number | null;
  /** Environment (policy) steps taken for training, and how many there will be. */
  envSteps: number;
  envStepsTotal: number;
  /**
   * Progress of a phase that takes no training steps, e.g. 120 of 200 evaluation episodes, or of what goes on `beside` the phase;
   * null elsewhere.
   */
  phaseProgress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
    readonly beside?: RunPhase;
  } | null;
  /** Gradient updates so far. */
  updates: number;
  updatesPerS: number;
  /** Updates per accepted environment step: achieved, and the contract. */
  utdAchieved: number;
  utdTarget: number;
  /** Episodes without help that count at the moment (validation or evaluation), and how many of them succeeded. */
  success: {
    readonly successes: number;
    readonly episodes: number;
    /** Episodes of the same window in which somebody helped: no measure of the policy alone. */
    readonly helped?: number;
    /** Of all episodes so far, resets and help included; left out where nothing was done on the robot yet. */
    readonly rates?: WorkRates;
  };
  /** Earlier success rates, oldest first, 0..1: the sparkline. */
  successHistory: readonly number[];
  intervention: {
    /** Intervention segments per episode over the last episodes. */
    readonly segmentsPerEpisode: number;
    /** Share of the last steps that a person or the scripted operator decided, 0..1. */
    readonly stepShare: number;
  };
  filter: {
    /** Share of guard ticks whose command a safety stage changed, 0..1. */
    readonly changedShare: number;
    /** Ticks in which an independent check found a limit broken. Must stay 0. */
    readonly violations: number;
    /** The least margin of the last step: 1 in the middle of all limits, 0 at one. */
    readonly marginMin: number;
    /** Content of the energy tank as a share; null where the robot has none. */
    readonly tankLevel: number | null;
  };
  policy: {
    /** Weights in use; 0 = untrained. */
    readonly version: number;
    /** Since these weights were published, s; null before the first. */
    readonly ageS: number | null;
    /** The learner's newest weights, as it said last; 0 before it has any, and without a learner. */
    readonly learnerVersion: number;
  };
  /** Transitions between robot and learner. `lost` and `duplicated` must stay 0. */
  link: {
    readonly sent: number;
    readonly acked: number;
    readonly pending: number;
    readonly lost: number;
    readonly duplicated: number;
    /** Steps that were made and found no room on the disk or in memory; part of `lost` where there is a learner. */
    readonly notRecorded: number;
  };
  operator: {
    /** Who moves the robot now, e.g. `policy`, `scripted operator`, `you`. */
    readonly driving: string;
    /** One line on which keys do what; empty when there is no keyboard. */
    readonly keys: string;
    /** What a person is asked to do now; left out where nothing is. */
    readonly prompt?: string;
    /** The person at the keyboard, where there is one. */
    readonly person?: OperatorEcho;
  };
  /** Where the tool is; left out where the robot has none. */
  tool?: ToolView;
  /** The last few things worth reading, oldest first; one line each. */
  messages: readonly string[];
}

/** The tool as somebody who steers it needs it. */
export interface ToolView {
  /** [3] tool point, base frame, m. */
  readonly positionM: readonly number[];
  /** [3] from the tool point to where the task wants it, m, as far as it is known; left out where the task names no place. */
  readonly offsetM?: readonly number[];
  /** Size of the measured force, N. */
  readonly forceN: number;
}

/** A status with nothing in it yet. */
export function createRunStatus(runId: string, task: string, seed: number): RunStatus {
  return {
    phase: 'preparing',
    runId,
    task,
    seed,
    elapsedS: 0,
    timeLeftS: null,
    envSteps: 0,
    envStepsTotal: 0,
    phaseProgress: null,
    updates: 0,
    updatesPerS: 0,
    utdAchieved: 0,
    utdTarget: 0,
    success: { successes: 0, episodes: 0 },
    successHistory: [],
    intervention: { segmentsPerEpisode: 0, stepShare: 0 },
    filter: { changedShare: 0, violations: 0, marginMin: 1, tankLevel: null },
    policy: { version: 0, ageS: null, learnerVersion: 0 },
    link: { sent: 0, acked: 0, pending: 0, lost: 0, duplicated: 0, notRecorded: 0 },
    operator: { driving: 'nobody', keys: '' },
    messages: [],
  };
}
