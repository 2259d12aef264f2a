/** First stage: only a complete, finite, current command passes. Everything else means "brake". */
import { allFinite, clamp } from '../../model/index.ts';
import type { ActionCommand } from '../../rows/index.ts';
import { ACTION_CLAMPED, COMMAND_LENGTH, COMMAND_NOT_FINITE, COMMAND_STALE, STOP_LATCHED } from '../bits.ts';
import { NOW, type TickTimes } from '../tick-times.ts';

/** Broken commands within `LATCH_WINDOW_S` that latch a stop. */
const LATCH_COUNT = 3;
const LATCH_WINDOW_S = 1;
/** Commands more than this from the future are not trusted: clocks of one machine agree far better, s. */
const FUTURE_S = 0.01;
/** Upper bound of any requested lease, s. */
const LEASE_MAX_S = 0.5;

/** Checks commands against the action space and the clock. Tick-safe after construction. */
export class Sanitizer {
  /** [A] the accepted action, in [−1, 1]. Meaningful while `isValid`. */
  readonly action: Float64Array;
  /** True if the last command may be executed. */
  isValid = false;
  /** True if the last command is valid and new. */
  isNew = false;
  /** True after three non-finite commands within a second since `reset`. */
  isLatched = false;

  #lastSeq = Number.NaN;
  /** [3] `seq`, `issuedAtS` and `leaseS` of a command: numbers, as in the link's arrays. */
  readonly #head: Float64Array = new Float64Array(3);
  readonly #brokenAtS: Float64Array = new Float64Array(LATCH_COUNT).fill(Number.NEGATIVE_INFINITY);

  constructor(actionSize: number) {
    this.action = new Float64Array(actionSize);
  }

  /** Clears the count of broken commands and the latch. */
  reset(): void {
    this.isValid = false;
    this.isNew = false;
    this.isLatched = false;
    this.#lastSeq = Number.NaN;
    this.#brokenAtS.fill(Number.NEGATIVE_INFINITY);
  }

  /** Judges `command` (null or decider `hold`: no motion is requested) at the time of `times`. Returns reason bits. */
  check(command: ActionCommand | null, times: TickTimes): number {
    this.isValid = false;
    this.isNew = false;
    if (this.isLatched) return STOP_LATCHED;
    if (command === null || command.decider === 'hold') return 0;
    const isNew = command.seq !== this.#lastSeq;
    this.#lastSeq = command.seq;
    if (!this.#isFinite(command)) return COMMAND_NOT_FINITE | (isNew ? this.#countBroken(times) : 0);
    if (command.action.length !== this.action.length) return COMMAND_LENGTH;
    const ageS = times[NOW]! - command.issuedAtS;
    // Written so that a NaN clock is stale.
    if (!(ageS >= -FUTURE_S && ageS <= Math.min(command.leaseS, LEASE_MAX_S))) return COMMAND_STALE;
    this.isValid = true;
    this.isNew = isNew;
    return this.#take(command.action);
  }

  /** Accepts `command` unchecked, whatever its age and values: only for a trial without this stage (`ChainTrial`). */
  believe(command: ActionCommand | null): void {
    if (this.isValid || command === null || command.action.length !== this.action.length) return;
    this.isValid = true;
    this.isNew = true;
    this.action.set(command.action);
  }

  #isFinite(command: ActionCommand): boolean {
    const head = this.#head;
    head[0] = command.seq;
    head[1] = command.issuedAtS;
    head[2] = command.leaseS;
    return allFinite(head) && allFinite(command.action);
  }

  #countBroken(times: TickTimes): number {
    const nowS = times[NOW]!;
    const brokenAtS = this.#brokenAtS;
    brokenAtS.copyWithin(0, 1);
    brokenAtS[LATCH_COUNT - 1] = nowS;
    this.isLatched = !(nowS - brokenAtS[0]! > LATCH_WINDOW_S);
    return this.isLatched ? STOP_LATCHED : 0;
  }

  #take(action: Float64Array): number {
    let bits = 0;
    for (let i = 0; i < action.length; i++) {
      const value = clamp(action[i]!, -1, 1);
      if (value !== action[i]) bits = ACTION_CLAMPED;
      this.action[i] = value;
    }
    return bits;
  }
}
