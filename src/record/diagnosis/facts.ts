/** Input of checks: everything known of a run, gathered from its records and steps in constant memory. */
import type {
  CalibrationRecord,
  EpisodeRecord,
  MetricRecord,
  PretrainingRecord,
  SetupRecord,
  StepsRecord,
  UpdateRecord,
  ValuesRecord,
} from '../metric-records.ts';
import type { Contradiction } from './demonstration-pairs.ts';
import { addFigures, type StepFigures } from './step-figures.ts';

/** Known facts; `undefined` or empty: not recorded, or not happened yet. */
export interface Facts {
  readonly setup: SetupRecord | undefined;
  /** Training steps: all, and the newest blocks. */
  readonly all: StepFigures | undefined;
  readonly recent: StepFigures | undefined;
  readonly demonstrations: StepFigures | undefined;
  readonly contradiction: Contradiction | undefined;
  readonly answers: StepsRecord['answers'];
  /** Subsampled evenly over the whole run, oldest first; the last is the newest. */
  readonly updates: readonly UpdateRecord[];
  readonly values: readonly ValuesRecord[];
  readonly pretraining: readonly PretrainingRecord[];
  /** Newest pairs of predicted and realised return. */
  readonly calibration: readonly (readonly [q: number, realised: number])[];
  /** Newest episodes with two verdicts: that of the reward, and that of an operator or the task's own rules. */
  readonly judged: readonly (readonly [rewarded: boolean, other: boolean])[];
  readonly failing: Failing;
  /** Share of the last blocks' time in which steps were made, 0..1; `undefined` in lock-step. */
  readonly movingShare: number | undefined;
}

/** Training episodes since the last success, without cut ones, which say nothing about the policy. */
export interface Failing {
  readonly episodes: number;
  readonly steps: number;
  /** Undiscounted returns of the newest of them, oldest first. */
  readonly returns: readonly number[];
}

const NEVER_FAILED: Failing = { episodes: 0, steps: 0, returns: [] };

/** Blocks of steps that count as recent, besides the one in progress. */
const RECENT_BLOCKS = 3;
const RECENT_PAIRS = 240;
const RECENT_EPISODES = 40;
const RECENT_RETURNS = 20;
const MOST_KEPT = 64;

/** Gathers facts. */
export class FactKeeper {
  #setup: SetupRecord | undefined;
  #all: StepFigures | undefined;
  #recent: readonly StepsRecord[] = [];
  #demonstrations: StepsRecord | undefined;
  #answers: StepsRecord['answers'];
  readonly #updates: History<UpdateRecord> = new History();
  readonly #values: History<ValuesRecord> = new History();
  readonly #pretraining: History<PretrainingRecord> = new History();
  #calibration: CalibrationRecord['pairs'] = [];
  #judged: Facts['judged'] = [];
  #failing: Failing = NEVER_FAILED;

  get setup(): SetupRecord | undefined {
    return this.#setup;
  }

  /** Adds the next record; kinds that no check uses are ignored. */
  add(record: MetricRecord): void {
    switch (record.kind) {
      case 'setup':
        this.#setup = { ...this.#setup, ...record };
        break;
      case 'steps':
        this.#steps(record);
        break;
      case 'update':
        this.#updates.add(record);
        break;
      case 'values':
        this.#values.add(record);
        break;
      case 'pretraining':
        this.#pretraining.add(record);
        break;
      case 'calibration':
        this.#calibration = [...this.#calibration, ...record.pairs].slice(-RECENT_PAIRS);
        break;
      case 'episode':
        this.#episode(record);
        if (record.mark !== undefined) this.#judge(record.success, record.mark === 'success');
        break;
      case 'verdict':
        this.#judge(record.success, record.ownFirstSuccess !== null);
        break;
    }
  }

  /** `going`: blocks in progress that are not written yet; `nowS`: time of the run, if known. */
  facts(
    going: {
      readonly training?: (StepFigures & Pick<StepsRecord, 'answers'>) | undefined;
      readonly demonstrations?: StepsRecord | undefined;
    } = {},
    nowS?: number,
  ): Facts {
    const { training } = going;
    const demonstrations = going.demonstrations ?? this.#demonstrations;
    return {
      setup: this.#setup,
      all: together([this.#all, training]),
      recent: together([...this.#recent, training]),
      demonstrations,
      contradiction: demonstrations?.contradiction,
      answers: training?.answers ?? this.#answers,
      updates: this.#updates.items,
      values: this.#values.items,
      pretraining: this.#pretraining.items,
      calibration: this.#calibration,
      judged: this.#judged,
      failing: this.#failing,
      movingShare: this.#movingShare(training?.steps ?? 0, nowS),
    };
  }

  #episode({ purpose, cutBy, success, steps, returnSum }: EpisodeRecord): void {
    if (purpose !== 'training' || (cutBy !== undefined && !success)) return;
    const before = this.#failing;
    this.#failing = success
      ? NEVER_FAILED
      : {
          episodes: before.episodes + 1,
          steps: before.steps + steps,
          returns: [...before.returns, returnSum].slice(-RECENT_RETURNS),
        };
  }

  #judge(rewarded: boolean, other: boolean): void {
    this.#judged = [...this.#judged, [rewarded, other] as const].slice(-RECENT_EPISODES);
  }

  #steps(record: StepsRecord): void {
    if (record.of === 'demonstrations') {
      this.#demonstrations = record;
      return;
    }
    this.#answers = record.answers ?? this.#answers;
    this.#all = this.#all === undefined ? record : addFigures(this.#all, record);
    this.#recent = [...this.#recent, record].slice(-RECENT_BLOCKS);
  }

  #movingShare(goingSteps: number, nowS: number | undefined): number | undefined {
    const periodS = this.#setup?.periodS;
    const [first, last] = [this.#recent[0], this.#recent.at(-1)];
    if (this.#setup?.isRealTime !== true || !periodS || first === undefined || last === undefined) return undefined;
    const endS = nowS ?? last.tS;
    const steps = this.#recent.slice(1).reduce((sum, block) => sum + block.steps, nowS === undefined ? 0 : goingSteps);
    return endS > first.tS ? Math.min(1, (steps * periodS) / (endS - first.tS)) : undefined;
  }
}

function together(blocks: readonly (StepFigures | undefined)[]): StepFigures | undefined {
  const known = blocks.filter((block) => block !== undefined);
  return known.length === 0 ? undefined : known.reduce(addFigures);
}

/** Subsampled sequence in constant memory: every n-th item, and the newest. */
class History<T> {
  #kept: T[] = [];
  #newest: T | undefined;
  #stride = 1;
  #count = 0;

  get items(): readonly T[] {
    const last = this.#kept.at(-1);
    return this.#newest === undefined || this.#newest === last ? this.#kept : [...this.#kept, this.#newest];
  }

  add(item: T): void {
    this.#newest = item;
    if (this.#count++ % this.#stride !== 0) return;
    this.#kept.push(item);
    if (this.#kept.length < MOST_KEPT) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
  }
}
