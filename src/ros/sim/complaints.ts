/** What the simulator has to say, without drowning anybody: the same sentence once a second at most. */
import type { Clock } from '../../core/index.ts';

const PAUSE_S = 1;

export class Complaints {
  readonly #say: (sentence: string) => void;
  readonly #clock: Clock;
  readonly #saidAtS: Map<string, number> = new Map();

  constructor(say: (sentence: string) => void, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  say(sentence: string): void {
    const nowS = this.#clock.nowS();
    const saidAtS = this.#saidAtS.get(sentence);
    if (saidAtS !== undefined && nowS - saidAtS < PAUSE_S) return;
    // Sentences with numbers in them are many: what is old is forgotten.
    if (this.#saidAtS.size > 100) this.#saidAtS.clear();
    this.#saidAtS.set(sentence, nowS);
    this.#say(sentence);
  }
}
