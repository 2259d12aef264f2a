/** Status of a run for the people who watch it: plain data, filled by the run, drawn by displays. */

import { z } from 'zod';
import type { Configured } from '../schema/index.ts';

/** Phases of a run, in order. */
export const RUN_PHASES = [
  'preparing',
  'demonstrations',
  'behaviour cloning',
  'training',
  /** As training, without a learner. */
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

/** The tool, as an operator needs it. */
const toolViewSchema = z.object({
  /** [3] tool point, base frame, m. */
  positionM: z.array(num),
  /** [3] vector from the tool point to where the task wants it, m, as far as known; left out if the task names no place. */
  offsetM: z.array(num).optional(),
  /** Magnitude of the measured force, N. */
  forceN: num,
  /** [k][3] joints from the base to the tool point, m, base frame; left out for a mobile base. */
  jointsM: z.array(z.array(num)).optional(),
});
export type ToolView = Configured<typeof toolViewSchema>;

/** State of `rein record`. */
const recordingSchema = z.object({
  /** `judging`: stopped, and waiting for a person's verdict. */
  state: z.enum(['waiting', 'recording', 'judging']),
  /** Kept demonstrations, those of earlier starts included, and the number wanted; null: no limit. */
  kept: num,
  wanted: known,
  /** In this start: not kept, redone, deleted. */
  failed: num,
  redone: num,
  deleted: num,
  /** Of the newest demonstration. */
  steps: num,
  stepsPerS: num,
  /** Mean over the kept demonstrations. */
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
  /** Time since the command began, s. */
  elapsedS: num,
  /** Estimated remaining time of the whole command, s; null if it cannot be estimated yet. */
  timeLeftS: known,
  /** Environment (policy) steps taken for training, and their planned total. */
  envSteps: num,
  envStepsTotal: num,
  /** Progress of a phase without training steps, e.g. 120 of 200 evaluation episodes, or of work `beside` the phase; null otherwise. */
  phaseProgress: z
    .object({ done: num, total: num, unit: z.string(), beside: z.enum(RUN_PHASES).optional() })
    .nullable(),
  /** Gradient updates so far. */
  updates: num,
  updatesPerS: num,
  /** Updates per accepted environment step: achieved, and the contract. */
  utdAchieved: num,
  utdTarget: num,
  /** Episodes without help that count at the moment (validation or evaluation), and the successes among them. */
  success: z.object({
    successes: num,
    episodes: num,
    /** Episodes of the same window with help: no measure of the policy alone. */
    helped: num.optional(),
    /** Over all episodes so far, resets and help included; left out before any work of the robot. */
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
    /** Least margin of the last step: 1 in the middle of all limits, 0 at one. */
    marginMin: num,
    /** Speed limit of every monitored point, m/s; left out if only the joints' speeds are limited. */
    toolSpeedMPerS: num.optional(),
    /** Content of the energy tank as a share; null if the robot has none. */
    tankLevel: known,
  }),
  policy: z.object({
    /** Weights in use; 0 = untrained. */
    version: num,
    /** Time since these weights were published, s; null before the first. */
    ageS: known,
    /** The learner's newest weights, as last reported; 0 before any, and without a learner. */
    learnerVersion: num,
    /** There is no policy, and nothing that could provide one: only people drive. Left out otherwise. */
    isAbsent: z.boolean().optional(),
  }),
  /** Transitions between robot and learner. `lost` and `duplicated` must stay 0. */
  link: z.object({
    sent: num,
    acked: num,
    pending: num,
    lost: num,
    duplicated: num,
    /** Steps that were not recorded for lack of disk or memory; part of `lost` if there is a learner. */
    notRecorded: num,
  }),
  operator: z.object({
    /** Current driver, e.g. `policy`, `scripted operator`, `you`. */
    driving: z.string(),
    /** One line about the keys; empty without a keyboard. */
    keys: z.string(),
    /** Current request to the operator; left out if there is none. */
    prompt: z.string().optional(),
    /** `prompt` in terms of the page's buttons, if it names keys. */
    promptAtPage: z.string().optional(),
    /** Operator in control, and the person's name, empty if unknown; left out unless a person is in control. */
    by: z.object({ operator: z.string(), person: z.string() }).optional(),
    /** Cause that keeps the robot from moving until a person lets it go on, in words; left out if there is none. */
    held: z.object({ kind: z.enum(['stopped', 'paused', 'fault']), by: z.string() }).optional(),
    /** Age of what the driver's page showed when its newest command arrived, ms, and its limit; left out unless a page drives. */
    network: z.object({ ageMs: num, leaseMs: num }).optional(),
    /** The person at the keyboard, if there is one. */
    person: echoSchema.optional(),
  }),
  /** Left out unless demonstrations are recorded with `rein record`. */
  recording: recordingSchema.optional(),
  /** Pose of the tool; left out if the robot has none. */
  tool: toolViewSchema.optional(),
  /** Last few messages worth reading, oldest first; one line each. */
  messages: z.array(z.string()),
});

export type HeldStatus = NonNullable<Written['operator']['held']>;

type Written = z.output<typeof runStatusSchema>;
/** A snapshot of a run. Displays must keep no reference to it: the same object may be changed and shown again. */
export type RunStatus = { -readonly [K in keyof Written]: Configured<z.ZodType<Written[K]>> };

/** Returns `value` as a status, as passed on by JSON; `undefined` if it is none. Never throws. */
export function readRunStatus(value: unknown): RunStatus | undefined {
  return runStatusSchema.safeParse(value).data;
}

/** Creates an empty status. */
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
