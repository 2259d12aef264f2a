/** The time that messages are stamped with: that of ROS, or one of the simulator's own that it publishes on `/clock`. */

import type { Time } from '../messages/definitions.ts';
import { isSet, nanosecondsOf, setTime } from '../messages/time.ts';
import type { RosClock } from '../port/ros-port.ts';

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
  write(stamp: Time, nowS: number): void {
    setTime(stamp, this.nowNs(nowS));
  }

  /** How long ago `stamp` was, s; 0 for a stamp of zero, which means "now" by convention. */
  ageS(stamp: Readonly<Time>, nowS: number): number {
    return isSet(stamp) ? Number(this.nowNs(nowS) - nanosecondsOf(stamp)) * 1e-9 : 0;
  }
}
