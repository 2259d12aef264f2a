/** The time that messages are stamped with: that of ROS, or one of the simulator's own that it publishes on `/clock`. */
import type { RosClock } from '../port/ros-port.ts';

/** A stamp as messages have it. */
export interface Stamp {
  sec: number;
  nanosec: number;
}

const NS_PER_S = 1_000_000_000n;

export interface SimClockOptions {
  readonly ros: RosClock;
  /** Own time: begins at 0 and passes `factor` times as fast as the machine's. Otherwise time is that of `ros`. */
  readonly own?: { readonly factor: number; readonly startS: number };
}

export class SimClock {
  readonly #options: SimClockOptions;
  #backS = 0;

  constructor(options: SimClockOptions) {
    this.#options = options;
  }

  /** `nowS`: the machine's monotonic clock. */
  nowNs(nowS: number): bigint {
    const { ros, own } = this.#options;
    if (own === undefined) return ros.nowNs();
    return BigInt(Math.round(Math.max(0, (nowS - own.startS) * own.factor - this.#backS) * 1e9));
  }

  /** Lets the own time jump back, once. Without an own time nothing happens. */
  jumpBack(byS: number): void {
    this.#backS += byS;
  }

  /** Writes the present time into `stamp`. */
  write(stamp: Stamp, nowS: number): void {
    const ns = this.nowNs(nowS);
    stamp.sec = Number(ns / NS_PER_S);
    stamp.nanosec = Number(ns % NS_PER_S);
  }

  /** How long ago `stamp` was, s; 0 for a stamp of zero, which means "now" by convention. */
  ageS(stamp: Readonly<Stamp>, nowS: number): number {
    if (stamp.sec === 0 && stamp.nanosec === 0) return 0;
    return Number(this.nowNs(nowS) - (BigInt(stamp.sec) * NS_PER_S + BigInt(stamp.nanosec))) * 1e-9;
  }
}
