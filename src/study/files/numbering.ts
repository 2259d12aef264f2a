/** Numbers the transitions of a trial: the same whether they were just made or are read back. */
import type { Source, Transition } from '../../core/index.ts';

export class Numbering {
  #seq = 0;
  #episode = -1;
  #segment = -1;
  #source: Source | undefined;

  /** Sets `epoch`, `seq`, `episode` and `segment` by what came before; an episode begins at step 0, a segment where the decider changes. */
  stamp(transition: Transition): void {
    const isFirst = transition.step === 0;
    if (isFirst) this.#episode++;
    if (isFirst || transition.source !== this.#source) this.#segment++;
    this.#source = transition.source;
    transition.epoch = 1;
    transition.seq = this.#seq++;
    transition.episode = this.#episode;
    transition.segment = this.#segment;
  }
}
