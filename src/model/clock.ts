/** Time as a parameter of control code, which reads a `Clock` only. */
import type { MonotonicNs } from './units.ts';

/** A source of time. Durations are computed from `monotonicNs` only; `wallMs` is for human-readable labels. */
export interface Clock {
  /** Nanoseconds since an arbitrary origin; never goes back. Allocates a bigint. */
  monotonicNs(): MonotonicNs;
  /** The same instant in seconds as a double, for the tick path: no allocation, resolution below 1 µs. */
  nowS(): number;
  /** Milliseconds since 1970 (UTC), for names and log lines; may jump. */
  wallMs(): number;
}

const OFFSET_SAMPLES = 16;

/**
 * Offset between hrtime and performance.now, s. A thread preempted between the two reads measures too little, by milliseconds
 * on a busy machine: the maximum of several samples is taken.
 */
function monotonicOffsetS(): number {
  let offsetS = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < OFFSET_SAMPLES; i++) {
    offsetS = Math.max(offsetS, Number(process.hrtime.bigint()) * 1e-9 - performance.now() * 1e-3);
  }
  return offsetS;
}

/** The machine's clocks. */
export class SystemClock implements Clock {
  // hrtime is CLOCK_MONOTONIC, so two processes can compare it; performance.now is the same clock without an array.
  static readonly #offsetS: number = monotonicOffsetS();

  monotonicNs(): MonotonicNs {
    return process.hrtime.bigint() as MonotonicNs;
  }

  nowS(): number {
    return SystemClock.#offsetS + performance.now() * 1e-3;
  }

  wallMs(): number {
    return Date.now();
  }
}

/** Lock-step time is a multiple of this, 15 ps: all instants within 36 hours, and their differences, are exact doubles. */
const GRAIN_S = 2 ** -36;

/**
 * Clock that advances one control period per tick, however long the tick took: simulated runs are as fast as the machine
 * allows, and repeat exactly. The period is rounded to `GRAIN_S`, so that the time between two ticks is bit-identical early
 * and late in a run: an episode does not depend on how many preceded it.
 */
export class LockStepClock implements Clock {
  readonly #periodS: number;
  #ticks = 0;

  constructor(periodS: number) {
    this.#periodS = Math.round(periodS / GRAIN_S) * GRAIN_S;
    if (!(this.#periodS > 0)) throw new RangeError(`periodS must be ≥ 15e-12, got ${periodS}`);
  }

  monotonicNs(): MonotonicNs {
    return BigInt(Math.round(this.nowS() * 1e9)) as MonotonicNs;
  }

  nowS(): number {
    return this.#ticks * this.#periodS;
  }

  wallMs(): number {
    return this.#ticks * this.#periodS * 1e3;
  }

  /** Advances the clock by one control period. Tick-safe. */
  step(): void {
    this.#ticks++;
  }
}
