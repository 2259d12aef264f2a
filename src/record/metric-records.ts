/**
 * What a run writes to `metrics.jsonl`: one JSON object a line, distinguished by `kind`. Every record carries
 * `tS` (seconds since the run began) and `envStep` (training steps so far). Numbers that are not finite are
 * written as null. Readers skip kinds and fields that they do not know, so both may be added later.
 */
import { type HistogramData, parseObject, type Source } from '../core/index.ts';
import type { Agreement } from './diagnosis/answers.ts';
import type { Contradiction } from './diagnosis/demonstration-pairs.ts';
import type { StepFigures } from './diagnosis/step-figures.ts';

interface Stamp {
  readonly tS: number;
  readonly envStep: number;
}

/** What a run was asked for, as far as its figures have to be held against it. Written at each start. */
export interface SetupRecord extends Stamp {
  readonly kind: 'setup';
  /** Numbers of the observation's state, and of an action. */
  readonly stateSize: number;
  readonly actionSize: number;
  /** Time limit of an episode, steps, and the time of a step, s. */
  readonly maxSteps: number;
  readonly periodS: number;
  /** Steps are made in real time, so that time without steps is time in which the robot stands. */
  readonly isRealTime: boolean;
  /** Demonstrations that the learner waits for; 0: none, or an earlier start of the run had them. */
  readonly demonstrations: number;
  /** What the learner was asked for; null where the run has none. */
  readonly learner: LearnerFigures | null;
}

/** Settings of a learner that its figures are held against. */
export interface LearnerFigures {
  readonly algorithm: string;
  /** Updates per step, after the first `warmupSteps`. */
  readonly utd: number;
  readonly warmupSteps: number;
  /** Steps between two versions of the policy where the learner keeps up. */
  readonly publishEverySteps: number;
  readonly discount: number;
  readonly rewardScale: number;
  readonly rewardShift: number;
  readonly normalisesObservations: boolean;
  /** Entropy aimed at, nats per number of the action, and the temperature at the start. */
  readonly entropyTarget: number;
  readonly initialTemperature: number;
}

/** What a block of steps came to. Demonstrations: all of them so far; training: since the block before. */
export interface StepsRecord extends Stamp, StepFigures {
  readonly kind: 'steps';
  readonly of: 'demonstrations' | 'training';
  /** Of demonstrations: whether they agree. */
  readonly contradiction?: Contradiction;
  /** Of training: how demonstrations answer each number of the action, held against training so far; null where that is not clear. */
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
  /** Time the policy's network took, ms. */
  readonly inferenceMs: number;
  /** Time the whole policy step's own work took (without waiting for ticks), ms. */
  readonly policyStepMs: number;
  /** Share of the step's ticks that a safety stage changed, 0..1. */
  readonly changedShare: number;
  readonly filterBits: number;
}

/** Where the base policy's action in the observation of a step came from. Only in runs with a base policy. */
export interface BasePolicyRecord extends Stamp {
  readonly kind: 'basePolicy';
  readonly episode: number;
  readonly step: number;
  /** Number of the chunk since the run began, and place in it, both from 0. */
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
  /** Why it was cut before the task or its time limit ended it; then it says nothing of the policy. Left out where it was not. */
  readonly cutBy?: string;
  /** Segments that a person or the scripted operator decided, and their steps. 0 = autonomous. */
  readonly interventions: number;
  readonly interventionSteps: number;
  /** Share of its ticks that the filters changed, energy that it took from the tank, and its least margin. */
  readonly filterShare: number;
  readonly tankDrainJ: number;
  readonly marginMin: number;
  readonly policyVersion: number;
  /** With a phase switch: its steps before the critical phase, and what began that; null: nothing did. */
  readonly basePhase?: { readonly steps: number; readonly endedBy: 'rule' | 'button' | null };
  /**
   * Of a success without help, where the robot asks for help: its longest time without progress, steps. Left out of all others.
   */
  readonly idleSteps?: number;
  /** The same without a gain in value, where the learner has valued its steps. */
  readonly idleValueSteps?: number;
  /** When it ended in the robot's own time, s: simulated time in simulation. Left out in real time, where it is `tS`. */
  readonly robotS?: number;
  /** A person's verdict, where one was given although the task judges by itself. */
  readonly mark?: 'success' | 'failure';
}

/** An episode whose success a classifier decided, beside what the task's own rules say of it: of demonstrations and training. */
export interface VerdictRecord extends Stamp {
  readonly kind: 'verdict';
  /** As the journal numbers starts of the robot, and episodes of a start. */
  readonly epoch: number;
  readonly episode: number;
  /** What the classifier said. */
  readonly success: boolean;
  readonly steps: number;
  /** The first step, from 0, that the task's rules call a success; null where there is none. */
  readonly ownFirstSuccess: number | null;
}

/** Why somebody other than the policy decides: took over by themselves, was asked for help, came after a stop, or is a script. */
export type OnsetCause = 'tookOver' | 'askedForHelp' | 'afterStop' | 'scripted';

/** An intervention: the steps of an episode from its onset to give-back, of one operator. Of training only. */
export interface SegmentRecord extends Stamp {
  readonly kind: 'segment';
  /** As the journal numbers starts of the robot, and episodes of a start. */
  readonly epoch: number;
  readonly episode: number;
  readonly cause: OnsetCause;
  /** Name of the operator, and what they drive with: the same, unless a page in a browser says what it reads. */
  readonly operator: string;
  readonly device: string;
  /** Name that the person gave at the page; absent where they gave none. */
  readonly person?: string;
  /** The policy's first step of the second before the onset; `firstStep` where it had none. */
  readonly beforeFromStep: number;
  readonly firstStep: number;
  readonly lastStep: number;
  /** Recovery and correction, in the order of their first steps. */
  readonly phases: readonly { readonly phase: 'recover' | 'correct'; readonly fromStep: number }[];
}

/** An episode of training in which the robot asked for help, and what came of it. */
export interface HelpRecord extends Stamp {
  readonly kind: 'help';
  /** As the journal numbers starts of the robot, and episodes of a start. */
  readonly epoch: number;
  readonly episode: number;
  /** What it went by: the value of its steps or its progress, which is −m to where the task wants the tool, or the return. */
  readonly by: 'progress' | 'value';
  /** That, when it asked, and at its best in the episode. */
  readonly measure: number;
  readonly peak: number;
  /** Before which step it asked, how a person answered, and after how long. */
  readonly step: number;
  readonly answer: 'tookOver' | 'goOn' | 'none';
  readonly waitedS: number;
  readonly success: boolean;
}

/** A way back to where an episode may begin, by a script or a second policy. */
export interface ResetRecord extends Stamp {
  readonly kind: 'reset';
  readonly by: 'script' | 'policy';
  readonly isBack: boolean;
  readonly steps: number;
  /** Who put it in place where it did not get there. */
  readonly setBackBy: 'simulator' | 'people' | null;
}

/** The learner's figures after some updates, averaged since the last such record. */
export interface UpdateRecord extends Stamp {
  readonly kind: 'update';
  readonly update: number;
  /** `null` where the algorithm has no such number; further ones, by name, are its own. */
  readonly criticLoss: number | null;
  readonly actorLoss: number | null;
  readonly temperature: number | null;
  /** Of the policy, nats. */
  readonly entropy: number | null;
  readonly qMean: number | null;
  readonly updatesPerS: number;
  /** Updates per accepted environment step so far. */
  readonly utd: number;
  /** Training calls so far whose result was not finite and was thrown away. Runs from before it was counted have none. */
  readonly refused?: number;
}

/** What the critics make now of steps whose returns are known: demonstrations, the same ones each time. */
export interface ValuesRecord extends Stamp {
  readonly kind: 'values';
  readonly update: number;
  /** Mean of Q(s, a), and of what was realised from there, discounted. */
  readonly demonstrationQ: number;
  readonly demonstrationReturn: number;
}

/** Training before there are online steps. */
export interface PretrainingRecord extends Stamp {
  readonly kind: 'pretraining';
  readonly phase: 'cloning' | 'offline';
  /** Updates of the phase so far. */
  readonly update: number;
  /** Null where the call was not finite. */
  readonly loss: number | null;
  /** As in `ValuesRecord`; null in a phase without critics. */
  readonly demonstrationQ: number | null;
  readonly demonstrationReturn: number | null;
}

/** A round of autonomous episodes that chooses the policy that is kept. */
export interface ValidationRecord extends Stamp {
  readonly kind: 'validation';
  readonly policyVersion: number;
  readonly successes: number;
  readonly episodes: number;
  /** Mean length of the episodes, steps. */
  readonly meanSteps: number;
}

/** A round of fresh episodes that gives a figure to publish. */
export interface EvaluationRecord extends Stamp {
  readonly kind: 'evaluation';
  /** What acted, e.g. `trained`, `untrained`, `behaviour cloning`. */
  readonly label: string;
  readonly policyVersion: number;
  readonly successes: number;
  readonly episodes: number;
  readonly meanSteps: number;
}

/** What the critic expected and what then came, for finished episodes: is Q believable? */
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
  /** For each stage of the chain the ticks that it changed, and its least margin since the record before. */
  readonly stages: Readonly<Record<string, { readonly changedTicks: number; readonly marginMin: number }>>;
  /** The least of all margins since the record before: 1 in the middle of all limits, 0 at one. */
  readonly marginMin: number;
  /** Smallest monitored distance since the record before, m; null where nothing is monitored. */
  readonly clearanceM: number | null;
  /** The energy tank: content, least share since the record before, and all that was injected since the run began; null without. */
  readonly tank: { readonly energyJ: number; readonly levelMin: number; readonly injectedJ: number } | null;
}

/** How long things take: the last record of a name replaces the earlier ones. */
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
/** A record without what its writer fills in itself. */
export type UnstampedRecord = Unstamped<MetricRecord>;

/** All kinds, so that the compiler misses one that is left out. */
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
  /** Lines that were cut, broken or of an unknown kind. */
  readonly skipped: number;
}

/**
 * The records of a `metrics.jsonl`, in order. A line that a crash cut, or that a newer version wrote, is
 * skipped and counted. Fields are not checked one by one: consumers treat a missing number as unknown.
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
