/** Turns who decided each step into reports: when somebody takes over, and when control goes back. */
import { isIntervention, type Transition } from '../../core/index.ts';
import type { InterventionReport } from '../session-types.ts';

export class InterventionWatch {
  readonly #emit: (report: InterventionReport) => void;
  #current:
    | { readonly operator: string; readonly decidedBy: 'human' | 'scripted'; readonly sinceS: number }
    | undefined;
  #episode = 0;
  #step = 0;

  constructor(emit: (report: InterventionReport) => void) {
    this.#emit = emit;
  }

  /** Takes a step that was done; `operator` is who holds control. */
  see({ source, episode, step }: Transition, operator: string, nowS: number): void {
    this.#episode = episode;
    this.#step = step;
    if (!isIntervention(source)) {
      this.end(nowS);
      return;
    }
    if (this.#current?.operator === operator) return;
    this.end(nowS);
    this.#current = { operator, decidedBy: source.startsWith('human') ? 'human' : 'scripted', sinceS: nowS };
    this.#report(true, 0);
  }

  /** Control has gone back, or the episode is over. */
  end(nowS: number): void {
    if (this.#current === undefined) return;
    this.#report(false, nowS - this.#current.sinceS);
    this.#current = undefined;
  }

  #report(isActive: boolean, durationS: number): void {
    if (this.#current === undefined) return;
    const { operator, decidedBy } = this.#current;
    this.#emit({ isActive, operator, decidedBy, episode: this.#episode, step: this.#step, durationS });
  }
}
