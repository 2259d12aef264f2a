import type { Clock } from '../../src/model/index.ts';
import type { MonotonicNs } from '../../src/model/units.ts';

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #ns: bigint;
  #wallMs: number;

  constructor(startNs = 0n, startWallMs = 0) {
    this.#ns = startNs;
    this.#wallMs = startWallMs;
  }

  monotonicNs(): MonotonicNs {
    return this.#ns as MonotonicNs;
  }

  nowS(): number {
    return Number(this.#ns) * 1e-9;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  /** Moves both clocks on by `milliseconds` ≥ 0. Throws `RangeError` when asked to go back. */
  advanceMs(milliseconds: number): void {
    if (!(milliseconds >= 0)) throw new RangeError(`a monotonic clock cannot move by ${milliseconds} ms`);
    this.#ns += BigInt(Math.round(milliseconds * 1e6));
    this.#wallMs += milliseconds;
  }

  /** On or back, as no monotonic clock goes: that of a machine which was suspended, moved or set back as a whole may. */
  jumpMs(milliseconds: number): void {
    this.#ns += BigInt(Math.round(milliseconds * 1e6));
  }

  /** Sets the wall clock only, as a user or NTP may do. */
  jumpWallTo(milliseconds: number): void {
    this.#wallMs = milliseconds;
  }
}
