/**
 * Records of `metrics.jsonl`: one JSON object per line, distinguished by `kind`. Every record carries `tS` (seconds
 * since the run began) and `envStep` (training steps so far). Numbers that are not finite are written as null. Readers
 * skip unknown kinds and fields, so that both may be added later.
 */
import { type HistogramData, parseObject } from '../model/index.ts';
import type { Source } from '../rows/index.ts';
import type { Agreement } from './diagnosis/answers.ts';
import type { Contradiction } from './diagnosis/demonstration-pairs.ts';
import type { StepFigures } from './diagnosis/step-figures.ts';

interface Stamp {
  readonly tS: number;
  readonly envStep: number;
}

/** Settings of a run that its figures are compared with. Written at each start. */
export interface SetupRecord extends Stamp {
  readonly kind: 'setup';
  /** Sizes of the observation's state, and of an action. */
  readonly stateSize: number;
  readonly actionSize: number;
  /** Time limit of an episode, steps, and period of a step, s. */
  readonly maxSteps: number;
  readonly periodS: number;
  /** Steps are made in real time: time without steps is time in which the robot stands. */
  readonly isRealTime: boolean;
  /** Demonstrations that the learner waits for; 0: none, or an earlier start of the run had them. */
  readonly demonstrations: number;
  /** Settings of the learner; null if the run has none. */
  readonly learner: LearnerFigures | null;
}

/** Settings of a learner that its figures are compared with. */
export interface LearnerFigures {
  readonly algorithm: string;
  /** Updates per step, after the first `warmupSteps`. */
  readonly utd: number;
  readonly warmupSteps: number;
  /** Steps between two versions of the policy if the learner keeps up. */
  readonly publishEverySteps: number;
  readonly discount: number;
  readonly rewardScale: number;
  readonly rewardShift: number;
  readonly normalisesObservations: boolean;
  /** Target entropy, nats per action element, and initial temperature. */
  readonly entropyTarget: number;
  readonly initialTemperature: number;
}

/** Statistics of a block of steps. Demonstrations: all of them so far; training: since the previous block. */
export interface StepsRecord extends Stamp, StepFigures {
  readonly kind: 'steps';
  readonly of: 'demonstrations' | 'training';
  /** Of demonstrations: their consistency. */
  readonly contradiction?: Contradiction;
  /** Of training: response to each action element in demonstrations, compared with that in training so far; null if not significant. */
  readonly answers?: readonly (Agreement | null)[];
}

/** One policy step of the robot. */
export interface StepRecord extends Stamp {
  readonly kind: 'step';
  readonly episode: number;
  readonly step: number;
  readonly source: Source;
  readonly reward: number;
  readonly policyVersion: number;
  /** Age of the observation when the action was decided, ms. */
  readonly observationAgeMs: number;
  /** Duration of the policy's network, ms. */
  readonly inferenceMs: number;
  /** Duration of the whole policy step's own work (without waiting for ticks), ms. */
  readonly policyStepMs: number;
  /** Share of the step's ticks that a safety stage changed, 0..1. */
  readonly changedShare: number;
  readonly filterBits: number;
}

/** Origin of the base policy's action in the observation of a step. Only in runs with a base policy. */
export interface BasePolicyRecord extends Stamp {
  readonly kind: 'basePolicy';
  readonly episode: number;
  readonly step: number;
  /** Number of the chunk since the run began, and index in it, both from 0. */
  readonly chunk: number;
  readonly index: number;
}

/** One finished episode. */
export interface EpisodeRecord extends Stamp {
  readonly kind: 'episode';
  readonly episode: number;
  readonly purpose: 'demonstration' | 'training' | 'validation' | 'evaluation';
  readonly success: boolean;
  readonly steps: number;
  /** Sum of rewards, undiscounted. */
  readonly returnSum: number;
  /** Reason why it was cut before the task or its time limit ended it; then it says nothing about the policy. Absent if it was not cut. */
  readonly cutBy?: string;
  /** Segments decided by an operator or the scripted operator, and their steps. 0 = autonomous. */
  readonly interventions: number;
  readonly interventionSteps: number;
  /** Share of its ticks that the filters changed, energy drained from the tank, and its smallest margin. */
  readonly filterShare: number;
  readonly tankDrainJ: number;
  readonly marginMin: number;
  readonly policyVersion: number;
  /** With a phase switch: steps before the critical phase, and what began that; null: nothing did. */
  readonly basePhase?: { readonly steps: number; readonly endedBy: 'rule' | 'button' | null };
  /** Successes without help, if the robot asks for help: longest time without progress, steps. Absent otherwise. */
  readonly idleSteps?: number;
  /** The same without a gain in value, if the learner has valued its steps. */
  readonly idleValueSteps?: number;
  /** End in the robot's own time, s: simulated time in simulation. Absent in real time, where it is `tS`. */
  readonly robotS?: number;
  /** Operator's verdict, if given although the task judges by itself. */
  readonly mark?: 'success' | 'failure';
}

/** Episode of demonstrations or training whose success a classifier decided, with the verdict of the task's own rules. */
export interface VerdictRecord extends Stamp {
  readonly kind: 'verdict';
  /** Numbering of the journal: starts of the robot, and episodes of a start. */
  readonly epoch: number;
  readonly episode: number;
  /** Verdict of the classifier. */
  readonly success: boolean;
  readonly steps: number;
  /** First step, from 0, that the task's rules call a success; null if there is none. */
  readonly ownFirstSuccess: number | null;
}

/** Cause why another decider than the policy is in control: own take-over, request for help, after a stop, or a script. */
export type OnsetCause = 'tookOver' | 'askedForHelp' | 'afterStop' | 'scripted';

/** Intervention: the steps of an episode from its onset to give-back, of one operator. In training only. */
export interface SegmentRecord extends Stamp {
  readonly kind: 'segment';
  /** Numbering of the journal: starts of the robot, and episodes of a start. */
  readonly epoch: number;
  readonly episode: number;
  readonly cause: OnsetCause;
  /** Name of the operator, and of their device: the same, unless a browser page names the device that it reads. */
  readonly operator: string;
  readonly device: string;
  /** Name given by the operator at the page; absent if none. */
  readonly person?: string;
  /** First policy step in the second before the onset; `firstStep` if there is none. */
  readonly beforeFromStep: number;
  readonly firstStep: number;
  readonly lastStep: number;
  /** Recovery and correction, in the order of their first steps. */
  readonly phases: readonly { readonly phase: 'recover' | 'correct'; readonly fromStep: number }[];
}

/** Training episode in which the robot asked for help, and its outcome. */
export interface HelpRecord extends Stamp {
  readonly kind: 'help';
  /** Numbering of the journal: starts of the robot, and episodes of a start. */
  readonly epoch: number;
  readonly episode: number;
  /** Criterion: the value of its steps, or its progress, which is −m to the task's goal for the tool, or the return. */
  readonly by: 'progress' | 'value';
  /** Value of the criterion when it asked, and its best in the episode. */
  readonly measure: number;
  readonly peak: number;
  /** Step before which it asked, the operator's answer, and its delay. */
  readonly step: number;
  readonly answer: 'tookOver' | 'goOn' | 'none';
  readonly waitedS: number;
  readonly success: boolean;
}

/** Return to a start of an episode, by a script or a second policy. */
export interface ResetRecord extends Stamp {
  readonly kind: 'reset';
  readonly by: 'script' | 'policy';
  readonly isBack: boolean;
  readonly steps: number;
  /** Actor that put it in place if it did not get there. */
  readonly setBackBy: 'simulator' | 'people' | null;
}

/** Figures of the learner, averaged since the last such record. */
export interface UpdateRecord extends Stamp {
  readonly kind: 'update';
  readonly update: number;
  /** `null` if the algorithm has no such number; it may add its own by name. */
  readonly criticLoss: number | null;
  readonly actorLoss: number | null;
  readonly temperature: number | null;
  /** Entropy of the policy, nats. */
  readonly entropy: number | null;
  readonly qMean: number | null;
  readonly updatesPerS: number;
  /** Updates per accepted environment step so far. */
  readonly utd: number;
  /** Training calls so far that were rejected for results that were not finite. Absent in runs from before it was counted. */
  readonly refused?: number;
}

/** Present values of steps with known returns: demonstrations, the same ones each time. */
export interface ValuesRecord extends Stamp {
  readonly kind: 'values';
  readonly update: number;
  /** Mean of Q(s, a), and of the discounted return realised from there. */
  readonly demonstrationQ: number;
  readonly demonstrationReturn: number;
}

/** Training before there are online steps. */
export interface PretrainingRecord extends Stamp {
  readonly kind: 'pretraining';
  readonly phase: 'cloning' | 'offline';
  /** Updates of the phase so far. */
  readonly update: number;
  /** Null if the call's result was not finite. */
  readonly loss: number | null;
  /** As in `ValuesRecord`; null in a phase without critics. */
  readonly demonstrationQ: number | null;
  readonly demonstrationReturn: number | null;
}

/** Round of autonomous episodes by which the policy to keep is chosen. */
export interface ValidationRecord extends Stamp {
  readonly kind: 'validation';
  readonly policyVersion: number;
  readonly successes: number;
  readonly episodes: number;
  /** Mean length of the episodes, steps. */
  readonly meanSteps: number;
}

/** Round of fresh episodes that gives a figure to publish. */
export interface EvaluationRecord extends Stamp {
  readonly kind: 'evaluation';
  /** Evaluated policy, e.g. `trained`, `untrained`, `behaviour cloning`. */
  readonly label: string;
  readonly policyVersion: number;
  readonly successes: number;
  readonly episodes: number;
  readonly meanSteps: number;
}

/** Predicted and realised returns of finished episodes: is Q believable? */
export interface CalibrationRecord extends Stamp {
  readonly kind: 'calibration';
  /** [Q of the executed action, discounted return realised from that step]. */
  readonly pairs: readonly (readonly [number, number])[];
}

/** Counters of the transition link since the run began. */
export interface LinkRecord extends Stamp {
  readonly kind: 'link';
  readonly sent: number;
  readonly acked: number;
  readonly pending: number;
  readonly lost: number;
  readonly duplicated: number;
}

/** Counters of the guard since the run began. */
export interface SafetyRecord extends Stamp {
  readonly kind: 'safety';
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  /** Ticks that began later than one period after their deadline. */
  readonly overruns: number;
  /** Changed ticks by reason (`src/safety/bits.ts`); a tick with two reasons counts in both. */
  readonly byReason: Readonly<Record<string, number>>;
  /** Ticks changed by each stage of the chain, and its smallest margin since the previous record. */
  readonly stages: Readonly<Record<string, { readonly changedTicks: number; readonly marginMin: number }>>;
  /** Smallest margin of all since the previous record: 1 in the middle of all limits, 0 at one. */
  readonly marginMin: number;
  /** Smallest monitored distance since the previous record, m; null if nothing is monitored. */
  readonly clearanceM: number | null;
  /** Energy tank: content, smallest level since the previous record, and energy injected since the run began; null without one. */
  readonly tank: { readonly energyJ: number; readonly levelMin: number; readonly injectedJ: number } | null;
}

/** Distribution of a duration: the last record of a name replaces earlier ones. */
export interface HistogramRecord extends Stamp {
  readonly kind: 'histogram';
  /** Ends in its unit: `policyStepMs`, `tickMs`, `inferenceMs`, `observationAgeMs`; others are shown too. */
  readonly name: string;
  readonly data: HistogramData;
}

export type MetricRecord =
  | SetupRecord
  | StepsRecord
  | ValuesRecord
  | PretrainingRecord
  | StepRecord
  | BasePolicyRecord
  | EpisodeRecord
  | VerdictRecord
  | SegmentRecord
  | HelpRecord
  | ResetRecord
  | UpdateRecord
  | ValidationRecord
  | EvaluationRecord
  | CalibrationRecord
  | LinkRecord
  | SafetyRecord
  | HistogramRecord;

export type MetricKind = MetricRecord['kind'];

type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never;
/** Record without the fields stamped by its writer. */
export type UnstampedRecord = Unstamped<MetricRecord>;

/** All kinds, as a record so that the compiler reports a missing one. */
const KINDS: Readonly<Record<MetricKind, true>> = {
  setup: true,
  steps: true,
  values: true,
  pretraining: true,
  step: true,
  basePolicy: true,
  episode: true,
  verdict: true,
  segment: true,
  help: true,
  reset: true,
  update: true,
  validation: true,
  evaluation: true,
  calibration: true,
  link: true,
  safety: true,
  histogram: true,
};

export interface MetricsText {
  readonly records: readonly MetricRecord[];
  /** Lines that were truncated, broken or of an unknown kind. */
  readonly skipped: number;
}

/**
 * Parses a `metrics.jsonl`, in order. Lines truncated by a crash, or written by a newer version, are skipped and
 * counted. Fields are not checked one by one: consumers treat a missing number as unknown.
 */
export function parseMetrics(text: string): MetricsText {
  const records: MetricRecord[] = [];
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const record = parseLine(line);
    if (record === undefined) skipped++;
    else records.push(record);
  }
  return { records, skipped };
}

function parseLine(line: string): MetricRecord | undefined {
  const value = parseObject(line);
  const kind = value?.['kind'];
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? (value as unknown as MetricRecord) : undefined;
}
