/**
 * "Why is it not learning?": a run's records and steps compared with those of healthy runs. Live beside a robot or a
 * learner, or afterwards from the run's metrics alone. Reads no clock; memory is bounded.
 */
import type { Transition } from '../../rows/index.ts';
import type { MetricRecord, SetupRecord, StepsRecord } from '../metric-records.ts';
import { Answers } from './answers.ts';
import { type Row, rowOf } from './check.ts';
import { CHECKS } from './checks.ts';
import { DemonstrationPairs } from './demonstration-pairs.ts';
import { FactKeeper, type Facts } from './facts.ts';
import { isSound } from './sound-record.ts';
import { StepStatistics } from './step-statistics.ts';

/** Training steps summarised by one line of metrics. */
const BLOCK_STEPS = 500;

/** Line of metrics that is due, without the fields stamped by its writer. */
export type StepsDue = Omit<StepsRecord, 'tS' | 'envStep'>;

/**
 * @example
 * const diagnosis = new Diagnosis();
 * for (const record of parseMetrics(text).records) diagnosis.add(record);
 * const wrong = diagnosis.rows().filter(({ state }) => state === 'bad');
 */
export class Diagnosis {
  readonly #keeper: FactKeeper = new FactKeeper();
  #steps: StepBlocks | undefined;
  readonly #told: Set<string> = new Set();

  /** Adds a record of the run's metrics, in order within each kind. Incomplete records, and kinds that no check uses, are ignored. */
  add(record: MetricRecord): void {
    if (!isSound(record)) return;
    this.#keeper.add(record);
    if (record.kind === 'setup') this.#steps ??= new StepBlocks(record);
    if (record.kind === 'steps') this.#steps?.written(record);
  }

  /**
   * Adds the next step of a live run, after its `setup` record; copies what it keeps. Returns the lines of metrics that
   * are now due: to be written, and passed to `add`.
   */
  step(transition: Transition): readonly StepsDue[] {
    return this.#steps?.add(transition) ?? NONE;
  }

  /** Lines of the blocks that are not full, for the end of a run. */
  rest(): readonly StepsDue[] {
    return this.#steps?.rest() ?? NONE;
  }

  /** Rows of all checks, in order. `nowS`: time of the run, if it is going on. */
  rows(nowS?: number): Row[] {
    const facts = this.#facts(nowS);
    return CHECKS.map((check) => rowOf(check, facts));
  }

  /** Those of `rows` that are bad and were not returned before: each is returned once. */
  turnedBad(rows: readonly Row[]): Row[] {
    const turned = rows.filter(({ id, state }) => state === 'bad' && !this.#told.has(id));
    for (const { id } of turned) this.#told.add(id);
    return turned;
  }

  #facts(nowS: number | undefined): Facts {
    return this.#keeper.facts(this.#steps?.going, nowS);
  }
}

const NONE: readonly StepsDue[] = [];

/** Sorts steps into blocks. */
class StepBlocks {
  readonly #training: StepStatistics;
  readonly #demonstrations: StepStatistics;
  readonly #pairs: DemonstrationPairs;
  readonly #answers: { readonly training: Answers; readonly demonstrations: Answers };
  #hasDemonstrationsDue = false;

  constructor(setup: SetupRecord) {
    this.#training = new StepStatistics(setup);
    this.#demonstrations = new StepStatistics(setup);
    this.#pairs = new DemonstrationPairs(setup.stateSize);
    const answers = (): Answers => new Answers(setup.stateSize, setup.actionSize);
    this.#answers = { training: answers(), demonstrations: answers() };
  }

  /** Blocks that are not written yet. */
  get going(): Parameters<FactKeeper['facts']>[0] {
    return {
      ...(this.#training.steps === 0 ? {} : { training: { ...this.#training.figures(), ...this.#held() } }),
      ...(this.#hasDemonstrationsDue ? { demonstrations: { ...this.#shown(), tS: 0, envStep: 0 } } : {}),
    };
  }

  add(transition: Transition): readonly StepsDue[] {
    if (transition.source === 'demo') {
      this.#demonstrations.add(transition);
      this.#pairs.add(transition);
      this.#answers.demonstrations.add(transition);
      this.#hasDemonstrationsDue = true;
      return NONE;
    }
    this.#training.add(transition);
    this.#answers.training.add(transition);
    const isFull = this.#training.steps >= BLOCK_STEPS;
    if (!isFull && !this.#hasDemonstrationsDue) return NONE;
    return [...(this.#hasDemonstrationsDue ? [this.#shown()] : []), ...(isFull ? [this.#trained()] : [])];
  }

  rest(): readonly StepsDue[] {
    return [
      ...(this.#hasDemonstrationsDue ? [this.#shown()] : []),
      ...(this.#training.steps === 0 ? [] : [this.#trained()]),
    ];
  }

  written({ of }: StepsRecord): void {
    if (of === 'demonstrations') this.#hasDemonstrationsDue = false;
  }

  #trained(): StepsDue {
    return { kind: 'steps', of: 'training', ...this.#training.take(), ...this.#held() };
  }

  /** Empty if there was no demonstration since this start. */
  #held(): Pick<StepsRecord, 'answers'> {
    const { training, demonstrations } = this.#answers;
    return demonstrations.steps === 0 ? {} : { answers: training.held(demonstrations) };
  }

  #shown(): StepsDue {
    const contradiction = this.#pairs.contradiction();
    return { kind: 'steps', of: 'demonstrations', ...this.#demonstrations.figures(), contradiction };
  }
}
