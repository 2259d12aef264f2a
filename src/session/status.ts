/** What a run tells the people who watch it: plain data, filled by the run, drawn by displays. */

import { z } from 'zod';
import type { Configured } from '../schema/index.ts';

/** Where a run is; the order is the order of a run. */
export const RUN_PHASES = [
  'preparing',
  'demonstrations',
  'behaviour cloning',
  'training',
  /** As training, where there is no learner. */
  'running',
  'validating',
  'evaluating',
  'done',
] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

/** A number of a status; JSON has null for one that is not finite. */
const num = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);
/** A number that may be missing. */
const known = z.number().nullable();

const echoSchema = z.object({ isInControl: z.boolean(), isStopped: z.boolean(), stepScale: num, lastKey: z.string() });

/** The tool as somebody who steers it needs it. */
const toolViewSchema = z.object({
  /** [3] tool point, base frame, m. */
  positionM: z.array(num),
  /** [3] from the tool point to where the task wants it, m, as far as it is known; left out where the task names no place. */
  offsetM: z.array(num).optional(),
  /** Size of the measured force, N. */
  forceN: num,
  /** [k][3] joints from the base to the tool point, m, base frame; left out of a mobile base. */
  jointsM: z.array(z.array(num)).optional(),
});
export type ToolView = Configured<typeof toolViewSchema>;

/** What `rein record` has come to. */
const recordingSchema = z.object({
  /** `judging`: it was stopped, and waits for a person's verdict. */
  state: z.enum(['waiting', 'recording', 'judging']),
  /** Demonstrations that are kept, those of earlier starts included, and how many are wanted; null: as many as people like. */
  kept: num,
  wanted: known,
  /** Of this start: not kept, done again, taken back. */
  failed: num,
  redone: num,
  deleted: num,
  /** Of the newest demonstration. */
  steps: num,
  stepsPerS: num,
  /** Of those that are kept. */
  meanSteps: num,
  journalBytes: num,
  freeBytes: num,
});
export type RecordingStatus = Configured<typeof recordingSchema>;

const runStatusSchema = z.object({
  phase: z.enum(RUN_PHASES),
  runId: z.string(),
  task: z.string(),
  seed: num,
  /** Since the command began, s. */
  elapsedS: num,
  /** Estimate of what is left of the whole command, s; null when nobody can tell yet. */
  timeLeftS: known,
  /** Environment (policy) steps taken for training, and how many there will be. */
  envSteps: num,
  envStepsTotal: num,
  /**
   * Progress of a phase that takes no training steps, e.g. 120 of 200 evaluation episodes, or of what goes on `beside` the phase;
   * null elsewhere.
   */
  phaseProgress: z
    .object({ done: num, total: num, unit: z.string(), beside: z.enum(RUN_PHASES).optional() })
    .nullable(),
  /** Gradient updates so far. */
  updates: num,
  updatesPerS: num,
  /** Updates per accepted environment step: achieved, and the contract. */
  utdAchieved: num,
  utdTarget: num,
  /** Episodes without help that count at the moment (validation or evaluation), and how many of them succeeded. */
  success: z.object({
    successes: num,
    episodes: num,
    /** Episodes of the same window in which somebody helped: no measure of the policy alone. */
    helped: num.optional(),
    /** Of all episodes so far, resets and help included; left out where nothing was done on the robot yet. */
    rates: z.object({ successesPerHour: num.optional(), humanStepShare: num }).optional(),
  }),
  /** Earlier success rates, oldest first, 0..1: the sparkline. */
  successHistory: z.array(num),
  intervention: z.object({
    /** Intervention segments per episode over the last episodes. */
    segmentsPerEpisode: num,
    /** Share of the last steps that a person or the scripted operator decided, 0..1. */
    stepShare: num,
  }),
  filter: z.object({
    /** Share of guard ticks whose command a safety stage changed, 0..1. */
    changedShare: num,
    /** Ticks in which an independent check found a limit broken. Must stay 0. */
    violations: num,
    /** The least margin of the last step: 1 in the middle of all limits, 0 at one. */
    marginMin: num,
    /** No monitored point is moved faster, m/s; left out where only the joints' speeds are limited. */
    toolSpeedMPerS: num.optional(),
    /** Content of the energy tank as a share; null where the robot has none. */
    tankLevel: known,
  }),
  policy: z.object({
    /** Weights in use; 0 = untrained. */
    version: num,
    /** Since these weights were published, s; null before the first. */
    ageS: known,
    /** The learner's newest weights, as it said last; 0 before it has any, and without a learner. */
    learnerVersion: num,
    /** There is none, and nothing that could bring one: people alone drive. Left out where there is. */
    isAbsent: z.boolean().optional(),
  }),
  /** Transitions between robot and learner. `lost` and `duplicated` must stay 0. */
  link: z.object({
    sent: num,
    acked: num,
    pending: num,
    lost: num,
    duplicated: num,
    /** Steps that were made and found no room on the disk or in memory; part of `lost` where there is a learner. */
    notRecorded: num,
  }),
  operator: z.object({
    /** Who moves the robot now, e.g. `policy`, `scripted operator`, `you`. */
    driving: z.string(),
    /** One line on which keys do what; empty when there is no keyboard. */
    keys: z.string(),
    /** What a person is asked to do now; left out where nothing is. */
    prompt: z.string().optional(),
    /** The same in the words of the page's buttons, where it names keys. */
    promptAtPage: z.string().optional(),
    /** The operator who decides, and the name of the person there, empty where none was given; left out where no person does. */
    by: z.object({ operator: z.string(), person: z.string() }).optional(),
    /** What keeps the robot from moving until a person lets it go on: what did it, for people; left out where nothing does. */
    held: z.object({ kind: z.enum(['stopped', 'paused', 'fault']), by: z.string() }).optional(),
    /** How old what the driver's page showed was when its newest command came, ms, and how old it may be; left out where no page drives. */
    network: z.object({ ageMs: num, leaseMs: num }).optional(),
    /** The person at the keyboard, where there is one. */
    person: echoSchema.optional(),
  }),
  /** Left out where nobody records. */
  recording: recordingSchema.optional(),
  /** Where the tool is; left out where the robot has none. */
  tool: toolViewSchema.optional(),
  /** The last few things worth reading, oldest first; one line each. */
  messages: z.array(z.string()),
});

export type HeldStatus = NonNullable<Written['operator']['held']>;

type Written = z.output<typeof runStatusSchema>;
/** A snapshot of a run. Displays keep no reference to it: the same object may be changed and shown again. */
export type RunStatus = { -readonly [K in keyof Written]: Configured<z.ZodType<Written[K]>> };

/** The status that `value` is, as JSON passes it on; `undefined` where it is none. Never throws. */
export function readRunStatus(value: unknown): RunStatus | undefined {
  return runStatusSchema.safeParse(value).data;
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
