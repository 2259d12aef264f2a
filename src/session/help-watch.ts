/**
 * When a robot asks for help: what its task measures an episode by has not got better for so many steps. That is progress: the distance to
 * where the task wants the tool, or the return where it names none. Or it is the value that the learner's critics give the executed
 * steps, which comes some steps late; progress takes its place where none comes.
 */
import { counted, type Transition } from '../core/index.ts';
import type { StepValues } from '../link/index.ts';
import type { EpisodeRecord, HelpRecord } from '../record/index.ts';
import { IdleSteps } from './idle-steps.ts';

/** What an episode that asked comes to, beside what its writer stamps. */
export type HelpEpisode = Omit<HelpRecord, 'tS' | 'envStep'>;

export interface HelpOptions {
  readonly by: HelpRecord['by'];
  /** Steps without a gain; 0: it never asks. */
  readonly afterSteps: number;
  /** What counts as progress, m of distance or reward. */
  readonly leastProgress: number;
  /** What counts as a gain in value. */
  readonly leastValueGain: number;
}

/** Whose steps are watched, and how long successes of earlier starts were without a gain. */
export interface HelpStart {
  /** Start of the robot, as the journal counts them. */
  readonly epoch: number;
  readonly policyHz: number;
  readonly earlier: readonly Pick<EpisodeRecord, 'idleSteps' | 'idleValueSteps'>[];
}

/** Progress takes the place of values where none of the present episode has come for so long, s of steps of the policy. */
export const VALUES_WITHIN_S = 10;

export class HelpWatch {
  readonly #options: HelpOptions;
  readonly #epoch: number;
  readonly #patienceSteps: number;
  readonly #progress: IdleSteps;
  readonly #value: IdleSteps;
  readonly #tally = { asked: 0, answered: 0, waitedS: 0, successesAsked: 0, others: 0, successesOthers: 0 };
  #isTraining = false;
  #isByProgress: boolean;
  #return = 0;
  /** Of the newest step; its number is -1 before the first. */
  #at = { episode: -1, step: -1 };
  /** The newest step whose value has come. */
  #valuedStep = -1;
  /** Policy steps of training since a value came. */
  #unvaluedSteps = 0;
  #asked: Pick<HelpRecord, 'step' | 'by' | 'measure' | 'peak' | 'answer' | 'waitedS'> | undefined;
  #isHelped = false;

  constructor(options: HelpOptions, { epoch, policyHz, earlier }: HelpStart) {
    this.#options = options;
    this.#epoch = epoch;
    this.#patienceSteps = Math.ceil(VALUES_WITHIN_S * policyHz);
    this.#isByProgress = options.by === 'progress';
    const validated = (key: 'idleSteps' | 'idleValueSteps'): number[] => earlier.flatMap((each) => each[key] ?? []);
    this.#progress = new IdleSteps(options.leastProgress, validated('idleSteps'));
    this.#value = new IdleSteps(options.leastValueGain, validated('idleValueSteps'));
  }

  /** An episode begins. Learners value steps of training only. */
  begin(purpose: 'training' | 'evaluation' | 'demo'): void {
    this.#isTraining = purpose === 'training';
    this.#isByProgress = this.#options.by === 'progress' || this.#isUnvalued;
    this.#progress.begin();
    this.#value.begin();
    this.#return = 0;
    this.#at = { episode: -1, step: -1 };
    this.#valuedStep = -1;
    this.#asked = undefined;
    this.#isHelped = false;
  }

  /** A step was done; `distanceM` from where the tool should be, `undefined` where the task names no place. */
  see({ episode, step, source, reward }: Transition, distanceM: number | undefined): void {
    this.#at = { episode, step };
    this.#return += reward;
    if (source !== 'policy') {
      this.#isHelped = true;
      this.#progress.passOver(step);
      this.#value.passOver(step);
    } else if (this.#isTraining) this.#unvaluedSteps++;
    this.#isByProgress ||= this.#isUnvalued;
    this.#progress.see(step, distanceM === undefined ? this.#return : -distanceM);
  }

  /** Values of steps have come. Those of other episodes, of steps that were not done, or that are no news are passed over. */
  take({ epoch, episode, steps, values }: StepValues): void {
    if (epoch !== this.#epoch || episode !== this.#at.episode) return;
    for (const [i, step] of steps.entries()) {
      const value = values[i];
      const isNext = step > this.#valuedStep && step <= this.#at.step;
      if (!isNext || value === undefined || !Number.isFinite(value)) continue;
      this.#valuedStep = step;
      this.#unvaluedSteps = 0;
      this.#value.see(step, value);
    }
  }

  get #isUnvalued(): boolean {
    return this.#unvaluedSteps >= this.#patienceSteps;
  }

  get #measure(): IdleSteps {
    return this.#isByProgress ? this.#progress : this.#value;
  }

  /** What it goes by in this episode. */
  get by(): HelpRecord['by'] {
    return this.#isByProgress ? 'progress' : 'value';
  }

  /** Steps without a gain after which it asks now: no fewer than the task says, nor than a success has needed. */
  get threshold(): number {
    return this.#measure.threshold(this.#options.afterSteps);
  }

  /** It asks before the next step. Once an episode. */
  get isDue(): boolean {
    const { afterSteps } = this.#options;
    return afterSteps > 0 && this.#asked === undefined && this.#measure.steps >= this.threshold;
  }

  /** Why it asks. */
  get question(): string {
    if (this.#isByProgress) return `no progress for ${counted(this.threshold, 'step')}`;
    const { level, peak } = this.#measure;
    return `its value has not risen for ${counted(this.threshold, 'step')} (${level?.toPrecision(2)}, at best ${peak.toPrecision(2)})`;
  }

  /** A person answered at `step` after `waitedS`, or nobody did before the run went on otherwise. */
  answered(step: number, answer: HelpRecord['answer'], waitedS: number): void {
    const { level = 0, peak } = this.#measure;
    this.#asked = { step, by: this.by, measure: level, peak, answer, waitedS };
    this.#tally.asked++;
    if (answer === 'none') return;
    this.#tally.answered++;
    this.#tally.waitedS += waitedS;
  }

  /**
   * An episode of training or evaluation has ended. Gives its longest times without a gain, steps, where it succeeded without help: so
   * long the robot does not ask.
   */
  validate(success: boolean): Pick<EpisodeRecord, 'idleSteps' | 'idleValueSteps'> {
    const isUnasked = this.#options.afterSteps > 0 && this.#asked === undefined;
    if (!success || !isUnasked || this.#isHelped) return {};
    const { step } = this.#at;
    const idleSteps = this.#progress.validate(step);
    const idleValueSteps = this.#isByProgress ? undefined : this.#value.validate(step);
    return {
      ...(idleSteps === undefined ? {} : { idleSteps }),
      ...(idleValueSteps === undefined ? {} : { idleValueSteps }),
    };
  }

  /** An episode of training has ended. Gives what became of its question, where it asked. */
  end(epoch: number, episode: number, success: boolean): HelpEpisode | undefined {
    if (this.#options.afterSteps === 0) return undefined;
    if (this.#asked === undefined) {
      this.#tally.others++;
      if (success) this.#tally.successesOthers++;
      return undefined;
    }
    if (success) this.#tally.successesAsked++;
    return { kind: 'help', epoch, episode, ...this.#asked, success };
  }

  /** How often people answered, how fast, and what it changed; one line. */
  get text(): string {
    const { asked, answered, waitedS, successesAsked, others, successesOthers } = this.#tally;
    const speed = answered === 0 ? '' : `, in ${(waitedS / answered).toFixed(1)} s on average`;
    return `Asked for help in ${asked} episodes, answered in ${answered}${speed}: ${successesAsked} of these ${asked} succeeded, ${successesOthers} of the ${others} others.`;
  }
}
