/** Ticks at absolute deadlines on a dedicated thread. */
import { type Clock, QuantileHistogram } from '../model/index.ts';

/** Sleep ends this long before a deadline, and the thread spins for the rest, because wake-ups are late by up to this. */
const SPIN_S = 100e-6;
/**
 * Reading the clock allocates a heap number, so it is read rarely while spinning: loads of a shared word fill the time between
 * reads, about 8 µs of them, and 1.5 µs within the last `NEAR_S`.
 */
const NEAR_S = 20e-6;
const FAR_LOADS = 16_000;
const NEAR_LOADS = 3000;
/** Interval of garbage collections between two ticks, and the time to the next deadline that they need. */
const COLLECT_EVERY_S = 1;
const COLLECT_GAP_S = 0.7e-3;
/** Periods until the first deadline, so that start-up is not counted as lateness. */
const START_PERIODS = 1;

export interface DeadlineOptions {
  readonly periodS: number;
  readonly clock: Clock;
  /** Runs one tick. Synchronous. */
  readonly tick: () => void;
  /** Called after each tick; false ends the loop. */
  readonly shouldGoOn: () => boolean;
  readonly lateness: Lateness;
  /** Collects the ticks' garbage, in about half a millisecond. Absent: V8 collects within some tick. */
  readonly collect?: (() => void) | undefined;
}

/**
 * Calls `tick` once per period at deadlines that do not drift, until `shouldGoOn` returns false. Blocks its
 * thread: for worker threads only. A tick that begins or ends more than a period late counts as an overrun, and the
 * whole periods that it missed are skipped, so that the phase is kept.
 */
export function runAtDeadlines(options: DeadlineOptions): void {
  const { periodS, clock, tick, shouldGoOn, lateness, collect } = options;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  // Objects of start-up are long-lived and double the time of a collection; the second one promotes them.
  collect?.();
  collect?.();
  let deadlineS = clock.nowS() + START_PERIODS * periodS;
  let collectAtS = deadlineS + COLLECT_EVERY_S;
  do {
    sleepUntil(deadlineS, clock, sleeper);
    const lateS = clock.nowS() - deadlineS;
    lateness.lateS = lateS;
    tick();
    const endS = clock.nowS();
    lateness.add(lateS, endS - deadlineS - lateS);
    deadlineS += periodS;
    const missedPeriods = Math.floor(Math.max(0, endS - deadlineS) / periodS);
    if (lateS > periodS || missedPeriods > 0) lateness.addOverrun();
    deadlineS += missedPeriods * periodS;
    if (collect !== undefined && deadlineS >= collectAtS && deadlineS - endS > COLLECT_GAP_S) {
      collect();
      collectAtS = deadlineS + COLLECT_EVERY_S;
    }
  } while (shouldGoOn());
}

function sleepUntil(deadlineS: number, clock: Clock, sleeper: Int32Array): void {
  const sleepMs = (deadlineS - SPIN_S - clock.nowS()) * 1e3;
  // This word is never notified: the wait is a sleep that allocates nothing and needs no event loop.
  if (sleepMs > 0) Atomics.wait(sleeper, 0, 0, sleepMs);
  for (;;) {
    const leftS = deadlineS - clock.nowS();
    if (leftS <= 0) return;
    pause(sleeper, leftS > NEAR_S ? FAR_LOADS : NEAR_LOADS);
  }
}

/** A separate function, which stays optimised once it is compiled. */
function pause(word: Int32Array, loads: number): void {
  for (let i = 0; i < loads; i++) Atomics.load(word, 0);
}

/** Lateness and duration of ticks, as plain data; µs. */
export interface LatenessSummary {
  readonly ticks: number;
  readonly overruns: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
  readonly workP50Us: number;
  readonly workP99Us: number;
  readonly workMaxUs: number;
}

/** Collects the lateness and duration of ticks. */
export class Lateness {
  /** Lateness of the present tick, s. */
  lateS = 0;
  readonly #late = new QuantileHistogram(0.1, 1e7, 40);
  readonly #work = new QuantileHistogram(0.1, 1e7, 40);
  #overruns = 0;

  get overruns(): number {
    return this.#overruns;
  }

  /** Counts one tick. Tick-safe. */
  add(lateS: number, workS: number): void {
    this.#late.add(lateS * 1e6);
    this.#work.add(workS * 1e6);
  }

  addOverrun(): void {
    this.#overruns++;
  }

  /** Quantiles are accurate to 3 %, maxima are exact; NaN and −Infinity before the first tick. */
  summary(): LatenessSummary {
    return {
      ticks: this.#late.count,
      overruns: this.#overruns,
      p50Us: this.#late.quantile(0.5),
      p99Us: this.#late.quantile(0.99),
      p999Us: this.#late.quantile(0.999),
      maxUs: this.#late.max,
      workP50Us: this.#work.quantile(0.5),
      workP99Us: this.#work.quantile(0.99),
      workMaxUs: this.#work.max,
    };
  }
}
