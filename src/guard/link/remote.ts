/** What the ends that are not the guard itself share: steps of time and answers that arrive later. */
import type { GuardAnswer, ReinError } from '../../core/index.ts';
import { unpackFrame } from './frames.ts';
import { LinkEnd, lostError } from './link-end.ts';

interface Waiter {
  readonly targetTick: number;
  readonly resolve: () => void;
  readonly reject: (error: ReinError) => void;
}

/** Resolves when a given number of ticks has passed, keeping the phase from one wait to the next. */
class TickWaits {
  #waiters: Waiter[] = [];
  #lastTarget = -1;

  /**
   * Waits for the tick `ticks` after the last one waited for; where that has passed already, or was never
   * waited for, for the one `ticks` after `latestTick`.
   */
  wait(ticks: number, latestTick: number): Promise<void> {
    if (!(ticks >= 1)) throw new RangeError(`ticks must be ≥ 1, got ${ticks}`);
    const inPhase = this.#lastTarget >= 0 && this.#lastTarget + ticks > latestTick;
    const targetTick = (inPhase ? this.#lastTarget : latestTick) + ticks;
    this.#lastTarget = targetTick;
    return new Promise((resolve, reject) => this.#waiters.push({ targetTick, resolve, reject }));
  }

  /** The next wait starts a new phase, at the newest tick. */
  restart(): void {
    this.#lastTarget = -1;
  }

  reached(tick: number): void {
    if (this.#waiters.length === 0) return;
    const due = this.#waiters.filter((waiter) => waiter.targetTick <= tick);
    if (due.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.targetTick > tick);
    for (const waiter of due) waiter.resolve();
  }

  fail(reason: string): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(lostError(reason));
  }
}

/** Questions under way, by number. */
export class PendingAnswers {
  readonly #pending = new Map<number, { resolve: (answer: GuardAnswer) => void; reject: (error: ReinError) => void }>();
  #nextId = 0;

  /** Takes the next number, lets `ask` send the question with it, and resolves with the answer of that number. */
  ask(ask: (id: number) => void): Promise<GuardAnswer> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      ask(id);
    });
  }

  /** An answer whose number nobody waits for is dropped. */
  settle(id: number, answer: GuardAnswer): void {
    this.#pending.get(id)?.resolve(answer);
    this.#pending.delete(id);
  }

  fail(reason: string): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(lostError(reason));
  }
}

/** An end to which frames and answers come from elsewhere. */
export class RemoteEnd extends LinkEnd {
  readonly #waits = new TickWaits();
  readonly #answers = new PendingAnswers();

  /** Lets `send` send a question with its number; resolves with the answer. Throws where the guard is lost. */
  protected ask(send: (id: number) => void): Promise<GuardAnswer> {
    this.throwIfLost();
    return this.#answers.ask(send);
  }

  /** `GuardLink.advance`. Throws where the guard is lost. */
  protected wait(ticks: number): Promise<void> {
    this.throwIfLost();
    return this.#waits.wait(ticks, this.latest.tick);
  }

  /** A frame has come as a row of doubles; false where it is none. */
  protected takeFrame(row: Float64Array): boolean {
    if (!unpackFrame(this.latest, row, 0)) return false;
    this.emitFrame();
    this.#waits.reached(this.latest.tick);
    return true;
  }

  /** What is waited for next comes after the answer. */
  protected takeAnswer(id: number, answer: GuardAnswer): void {
    this.#waits.restart();
    this.#answers.settle(id, answer);
  }

  protected lose(reason: string): void {
    this.emitLost(reason);
    this.#waits.fail(reason);
    this.#answers.fail(reason);
  }
}
