/**
 * "Why is it not learning?": what a run has recorded, and the steps that it makes, held against what healthy runs looked like. Live
 * beside a robot or a learner, and afterwards from the run's metrics alone. Reads no clock, and its memory does not grow.
 */
import type { Transition } from '../../core/index.ts';
import type { MetricRecord, SetupRecord, StepsRecord } from '../metric-records.ts';
import { Answers } from './answers.ts';
import { type Row, rowOf } from './check.ts';
import { CHECKS } from './checks.ts';
import { DemonstrationPairs } from './demonstration-pairs.ts';
import { FactKeeper, type Facts } from './facts.ts';
import { isSound } from './sound-record.ts';
import { StepStatistics } from './step-statistics.ts';

/** Steps of training that one line of metrics sums up. */
const BLOCK_STEPS = 500;

/** A line of metrics that is due, without what its writer stamps it with. */
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

  /** Takes in a record of the run's metrics; each kind in its order. One that is not whole, or that no check looks at, is passed over. */
  add(record: MetricRecord): void {
    if (!isSound(record)) return;
    this.#keeper.add(record);
    if (record.kind === 'setup') this.#steps ??= new StepBlocks(record);
    if (record.kind === 'steps') this.#steps?.written(record);
  }

  /**
   * Takes in the next step of a live run, whose `setup` record came before; copies what it keeps. Gives the lines of metrics that are
   * now due: to be written, and given to `add`.
   */
  step(transition: Transition): readonly StepsDue[] {
    return this.#steps?.add(transition) ?? NONE;
  }

  /** The lines of the blocks that are not full, for the end of a run. */
  rest(): readonly StepsDue[] {
    return this.#steps?.rest() ?? NONE;
  }

  /** All checks, in their order. `nowS`: the run's time, where it goes on. */
  rows(nowS?: number): Row[] {
    const facts = this.#facts(nowS);
    return CHECKS.map((check) => rowOf(check, facts));
  }

  /** Those of `rows` that are bad and were not told of before: each is told of once. */
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

  /** What is not written down yet. */
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

  /** Nothing where nobody has shown anything since this start. */
  #held(): Pick<StepsRecord, 'answers'> {
    const { training, demonstrations } = this.#answers;
    return demonstrations.steps === 0 ? {} : { answers: training.held(demonstrations) };
  }

  #shown(): StepsDue {
    const contradiction = this.#pairs.contradiction();
    return { kind: 'steps', of: 'demonstrations', ...this.#demonstrations.figures(), contradiction };
  }
}
