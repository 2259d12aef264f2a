/**
 * Decides when a robot asks for help: its measure has not improved for a number of steps. The measure is progress (the distance to where
 * the task wants the tool, or the return if it names no place), or the value that the learner's critics give the executed steps, which
 * arrives some steps late; progress replaces it if none arrives.
 */

import type { StepValues } from '../link/index.ts';
import { counted } from '../model/index.ts';
import type { EpisodeRecord, HelpRecord } from '../record/index.ts';
import type { Transition } from '../rows/index.ts';
import { IdleSteps } from './idle-steps.ts';

/** Record of an episode that asked for help, without the writer's stamps. */
export type HelpEpisode = Omit<HelpRecord, 'tS' | 'envStep'>;

export interface HelpOptions {
  readonly by: HelpRecord['by'];
  /** Steps without a gain; 0: never asks. */
  readonly afterSteps: number;
  /** Smallest change that counts as progress, m of distance or reward. */
  readonly leastProgress: number;
  /** Smallest change that counts as a gain in value. */
  readonly leastValueGain: number;
}

/** The robot's start, and the longest times without a gain of successes in earlier starts. */
export interface HelpStart {
  /** Number of the robot's start, as in the journal. */
  readonly epoch: number;
  readonly policyHz: number;
  readonly earlier: readonly Pick<EpisodeRecord, 'idleSteps' | 'idleValueSteps'>[];
}

/** Progress replaces values if none of the current episode has arrived for so long, s of policy steps. */
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
  /** Position of the newest step; its number is -1 before the first. */
  #at = { episode: -1, step: -1 };
  /** Newest step whose value has arrived. */
  #valuedStep = -1;
  /** Policy steps of training since a value arrived. */
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

  /** Called when an episode begins. Learners value steps of training only. */
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

  /** Called after a step; `distanceM`: distance of the tool from its goal, `undefined` if the task names no place. */
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

  /** Takes values of steps. Those of other episodes, of steps not executed yet, or already known are ignored. */
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

  /** Measure used in this episode. */
  get by(): HelpRecord['by'] {
    return this.#isByProgress ? 'progress' : 'value';
  }

  /** Steps without a gain after which it asks now: no fewer than the task's setting, nor than a success has needed. */
  get threshold(): number {
    return this.#measure.threshold(this.#options.afterSteps);
  }

  /** True if it asks before the next step. At most once per episode. */
  get isDue(): boolean {
    const { afterSteps } = this.#options;
    return afterSteps > 0 && this.#asked === undefined && this.#measure.steps >= this.threshold;
  }

  /** Reason for asking. */
  get question(): string {
    if (this.#isByProgress) return `no progress for ${counted(this.threshold, 'step')}`;
    const { level, peak } = this.#measure;
    return `its value has not risen for ${counted(this.threshold, 'step')} (${level?.toPrecision(2)}, at best ${peak.toPrecision(2)})`;
  }

  /** Called when a person has answered at `step` after `waitedS`, or the run went on otherwise without an answer. */
  answered(step: number, answer: HelpRecord['answer'], waitedS: number): void {
    const { level = 0, peak } = this.#measure;
    this.#asked = { step, by: this.by, measure: level, peak, answer, waitedS };
    this.#tally.asked++;
    if (answer === 'none') return;
    this.#tally.answered++;
    this.#tally.waitedS += waitedS;
  }

  /**
   * Called when an episode of training or evaluation has ended. If it succeeded without help, returns its longest times without a gain,
   * steps: within these the robot does not ask.
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

  /** Called when a training episode has ended. Returns the outcome of its question, if it asked. */
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

  /** Summary in one line: number and speed of answers, and success with and without a question. */
  get text(): string {
    const { asked, answered, waitedS, successesAsked, others, successesOthers } = this.#tally;
    const speed = answered === 0 ? '' : `, in ${(waitedS / answered).toFixed(1)} s on average`;
    return `Asked for help in ${asked} episodes, answered in ${answered}${speed}: ${successesAsked} of these ${asked} succeeded, ${successesOthers} of the ${others} others.`;
  }
}
