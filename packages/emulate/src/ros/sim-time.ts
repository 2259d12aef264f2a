/** Time of the simulator: stamps of messages, and periods kept on the main thread beside the callbacks of ROS. */
import type { Clock } from '../../../../src/model/index.ts';
import { isSet, nanosecondsOf, type RosClock, setTime, type Time } from '../../../../src/ros/program.ts';

export interface SimClockOptions {
  readonly ros: RosClock;
  /** Own time: begins at 0 and runs `factor` times as fast as the machine's. Otherwise the time of `ros`. */
  readonly own?: { readonly factor: number; readonly startS: number };
}

export class SimClock {
  readonly #options: SimClockOptions;
  #backS = 0;

  constructor(options: SimClockOptions) {
    this.#options = options;
  }

  /** `nowS`: time of the machine's monotonic clock. */
  nowNs(nowS: number): bigint {
    const { ros, own } = this.#options;
    if (own === undefined) return ros.nowNs();
    return BigInt(Math.round(Math.max(0, (nowS - own.startS) * own.factor - this.#backS) * 1e9));
  }

  /** Sets the own time back, once. No effect without an own time. */
  jumpBack(byS: number): void {
    this.#backS += byS;
  }

  /** Writes the present time into `stamp`. */
  write(stamp: Time, nowS: number): void {
    setTime(stamp, this.nowNs(nowS));
  }

  /** Age of `stamp`, s; 0 for a stamp of zero, which means "now" by convention. */
  ageS(stamp: Readonly<Time>, nowS: number): number {
    return isSet(stamp) ? Number(this.nowNs(nowS) - nanosecondsOf(stamp)) * 1e-9 : 0;
  }
}

/** Periods that are made up for at once after the thread was busy; further ones are skipped, and counted. */
const CATCH_UP_PERIODS = 10;

export interface Pace {
  /** Periods that were skipped because the machine was too slow. */
  readonly lostPeriods: number;
  stop(): void;
}

/**
 * Calls `tick` once per period with the deadline's time, s of `clock`. Late ticks follow each other at once, but messages
 * that have arrived meanwhile are handled between them.
 */
export function keepPace(periodS: number, clock: Clock, tick: (deadlineS: number) => void): Pace {
  const startS = clock.nowS();
  let ticks = 0;
  let lostPeriods = 0;
  let isStopped = false;
  const wake = (): void => {
    if (isStopped) return;
    const lateS = clock.nowS() - (startS + (ticks + 1) * periodS);
    if (lateS < 0) {
      setTimeout(wake, Math.max(1, Math.floor(-lateS * 1e3)));
      return;
    }
    const behind = Math.floor(lateS / periodS) - CATCH_UP_PERIODS;
    if (behind > 0) {
      ticks += behind;
      lostPeriods += behind;
    }
    ticks++;
    tick(startS + ticks * periodS);
    setImmediate(wake);
  };
  setImmediate(wake);
  return {
    get lostPeriods() {
      return lostPeriods;
    },
    stop() {
      isStopped = true;
    },
  };
}
