/**
 * When a robot asks for help: the task's measure of progress has not got better for so many steps. The node has no critic, whose
 * value would be the field's usual measure: it takes the distance to where the task wants the tool, and the return where it names none.
 */
import type { Transition } from '../core/index.ts';
import type { HelpRecord } from '../record/index.ts';

/** What an episode that asked comes to, beside what its writer stamps. */
export type HelpEpisode = Omit<HelpRecord, 'tS' | 'envStep'>;

export interface HelpOptions {
  /** Steps without progress; 0: it never asks. */
  readonly afterSteps: number;
  /** What counts as progress, m of distance or reward. */
  readonly leastProgress: number;
}

/** Successes without help that say how long a robot may be without progress and still succeed. */
const VALIDATED = 20;

export class HelpWatch {
  readonly #options: HelpOptions;
  /** Of the last successes without help, their longest time without progress, steps. */
  readonly #validated: number[];
  readonly #tally = { asked: 0, answered: 0, waitedS: 0, successesAsked: 0, others: 0, successesOthers: 0 };
  #best = Number.NEGATIVE_INFINITY;
  #return = 0;
  #idleSteps = 0;
  #longestIdle = 0;
  #asked: { readonly step: number; readonly answer: HelpRecord['answer']; readonly waitedS: number } | undefined;
  #isHelped = false;

  /** `validated`: what `validate` gave in earlier starts of the run, the oldest first. */
  constructor(options: HelpOptions, validated: readonly number[] = []) {
    this.#options = options;
    this.#validated = validated.slice(-VALIDATED);
  }

  /** An episode begins. */
  begin(): void {
    this.#best = Number.NEGATIVE_INFINITY;
    this.#return = 0;
    this.#idleSteps = 0;
    this.#longestIdle = 0;
    this.#asked = undefined;
    this.#isHelped = false;
  }

  /** A step was done; `distanceM` from where the tool should be, `undefined` where the task names no place. */
  see({ source, reward }: Transition, distanceM: number | undefined): void {
    this.#return += reward;
    if (source !== 'policy') this.#isHelped = true;
    const progress = distanceM === undefined ? this.#return : -distanceM;
    if (source !== 'policy' || progress >= this.#best + this.#options.leastProgress) {
      this.#best = Math.max(this.#best, progress);
      this.#idleSteps = 0;
      return;
    }
    this.#longestIdle = Math.max(this.#longestIdle, ++this.#idleSteps);
  }

  /** Steps without progress after which it asks now: no fewer than the task says, nor than a success has needed. */
  get threshold(): number {
    return Math.max(this.#options.afterSteps, 1 + Math.max(0, ...this.#validated));
  }

  /** It asks before the next step. Once an episode. */
  get isDue(): boolean {
    const { afterSteps } = this.#options;
    return afterSteps > 0 && this.#asked === undefined && this.#idleSteps >= this.threshold;
  }

  /** A person answered at `step` after `waitedS`, or nobody did before the run went on otherwise. */
  answered(step: number, answer: HelpRecord['answer'], waitedS: number): void {
    this.#asked = { step, answer, waitedS };
    this.#tally.asked++;
    if (answer === 'none') return;
    this.#tally.answered++;
    this.#tally.waitedS += waitedS;
  }

  /**
   * An episode of training or evaluation has ended. Gives its longest time without progress, steps, where it succeeded without help: so long the
   * robot does not ask.
   */
  validate(success: boolean): number | undefined {
    const isUnasked = this.#options.afterSteps > 0 && this.#asked === undefined;
    if (!success || !isUnasked || this.#isHelped) return undefined;
    this.#validated.push(this.#longestIdle);
    if (this.#validated.length > VALIDATED) this.#validated.shift();
    return this.#longestIdle;
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
