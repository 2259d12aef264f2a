/** Complaints of the simulator for people: the same one once a second at most. */
import type { Clock } from '../../core/index.ts';

const PAUSE_S = 1;

export class Complaints {
  readonly #say: (message: string) => void;
  readonly #clock: Clock;
  readonly #saidAtS: Map<string, number> = new Map();

  constructor(say: (message: string) => void, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  say(message: string): void {
    const nowS = this.#clock.nowS();
    const saidAtS = this.#saidAtS.get(message);
    if (saidAtS !== undefined && nowS - saidAtS < PAUSE_S) return;
    // Those with numbers in them are many: what is old is forgotten.
    if (this.#saidAtS.size > 100) this.#saidAtS.clear();
    this.#saidAtS.set(message, nowS);
    this.#say(message);
  }
}
