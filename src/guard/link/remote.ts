/** Common part of the link ends outside the guard: waiting for ticks, and asynchronous answers. */
import type { ReinError } from '../../model/index.ts';
import type { GuardAnswer } from '../../rows/index.ts';
import { unpackFrame } from './frames.ts';
import { LinkEnd, lostError } from './link-end.ts';

interface Waiter {
  readonly targetTick: number;
  readonly resolve: () => void;
  readonly reject: (error: ReinError) => void;
}

/** Resolves after a given number of ticks, keeping the phase from one wait to the next. */
class TickWaits {
  #waiters: Waiter[] = [];
  #lastTarget = -1;

  /**
   * Waits for the tick `ticks` after the previous target; without a previous target, or if that tick has passed, for the one
   * `ticks` after `latestTick`.
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

/** Pending requests, by number. */
export class PendingAnswers {
  readonly #pending = new Map<number, { resolve: (answer: GuardAnswer) => void; reject: (error: ReinError) => void }>();
  #nextId = 0;

  /** Takes the next number, lets `ask` send the request with it, and resolves with the answer of that number. */
  ask(ask: (id: number) => void): Promise<GuardAnswer> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      ask(id);
    });
  }

  /** An answer without a pending request is dropped. */
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

/** A link end that receives frames and answers from elsewhere. */
export class RemoteEnd extends LinkEnd {
  readonly #waits = new TickWaits();
  readonly #answers = new PendingAnswers();

  /** Lets `send` send a request with its number; resolves with the answer. Throws if the guard is lost. */
  protected ask(send: (id: number) => void): Promise<GuardAnswer> {
    this.throwIfLost();
    return this.#answers.ask(send);
  }

  /** Implements `GuardLink.advance`. Throws if the guard is lost. */
  protected wait(ticks: number): Promise<void> {
    this.throwIfLost();
    return this.#waits.wait(ticks, this.latest.tick);
  }

  /** Takes a frame as a row of doubles; false if invalid. */
  protected takeFrame(row: Float64Array): boolean {
    if (!unpackFrame(this.latest, row, 0)) return false;
    this.emitFrame();
    this.#waits.reached(this.latest.tick);
    return true;
  }

  /** Settles a request; a later wait starts after the answer. */
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
