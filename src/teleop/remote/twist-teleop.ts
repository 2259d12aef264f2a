/**
 * Teleoperation from stamped twists: whoever sends them is in control. A twist is a speed of the tool or of the base in
 * the robot's base frame; what it asks for counts for its lease and is never executed later. The first motion must follow
 * a twist of zeros. A stream that ends in motion stops the robot; one that ends with zeros leaves it holding.
 */
import { type ActionSpec, allFinite, type Clock } from '../../core/index.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';
import { DEFAULT_LEASE_S, RemoteOperator } from './remote-operator.ts';
import type { TeleopEvent } from './teleop-event.ts';

interface Xyz {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** `geometry_msgs/Twist`: m/s and rad/s. */
export interface TwistMessage {
  readonly linear: Xyz;
  readonly angular: Xyz;
}

export interface TwistTeleopOptions {
  readonly action: ActionSpec;
  /** Time that one action is meant to take, s. */
  readonly policyPeriodS: number;
  readonly clock: Clock;
  /** Lease of one message, from its stamp and from its arrival, s, ≤ 0.15; 0.1 by default. */
  readonly leaseS?: number;
  /** A twist that has not changed for so long is let go of, s; 5 by default. */
  readonly stuckAfterS?: number;
  readonly onEvent?: (event: TeleopEvent) => void;
}

/** Place of each dimension's speed in a twist. */
const SPEED_OF: Readonly<Record<string, (twist: TwistMessage) => number>> = {
  x: ({ linear }) => linear.x,
  y: ({ linear }) => linear.y,
  z: ({ linear }) => linear.z,
  yaw: ({ angular }) => angular.z,
};

/** Clocks of two machines may differ by this, s. */
const FUTURE_S = 0.1;

interface Axis {
  readonly dimension: number;
  readonly speedOf: (twist: TwistMessage) => number;
  /** Action per m/s or rad/s. */
  readonly gain: number;
}

export class TwistTeleop implements TeleopSource {
  readonly name = 'twist';
  readonly decidedBy = 'human';
  /** Messages taken, too old or sent before, and with numbers or a stamp that mean nothing. */
  readonly counters: { taken: number; stale: number; malformed: number } = { taken: 0, stale: 0, malformed: 0 };

  readonly #options: TwistTeleopOptions;
  readonly #operator: RemoteOperator;
  readonly #axes: readonly Axis[];
  readonly #leaseS: number;
  #newestStampS = Number.NEGATIVE_INFINITY;
  #newestRosS = Number.NEGATIVE_INFINITY;
  #isStaleTold = false;
  #isClosed = false;

  /** Throws `RangeError` where no dimension of the action is one of x, y, z and yaw, and for a lease out of range. */
  constructor(options: TwistTeleopOptions) {
    const { action, policyPeriodS, clock, leaseS = DEFAULT_LEASE_S } = options;
    this.#options = options;
    this.#leaseS = leaseS;
    this.#axes = action.dimensions.flatMap(({ name, scale }, dimension) => {
      const speedOf = SPEED_OF[name];
      return speedOf === undefined ? [] : [{ dimension, speedOf, gain: policyPeriodS / scale }];
    });
    if (this.#axes.length === 0) {
      throw new RangeError(
        `a twist moves ${Object.keys(SPEED_OF).join(', ')}; the action has ${action.dimensions.map((d) => d.name).join(', ')}`,
      );
    }
    this.#operator = new RemoteOperator({
      ...{ subject: 'sender of twists', actionSize: action.dimensions.length, clock, leaseS },
      silence: 'isDropoutInMotion',
      ...(options.stuckAfterS === undefined ? {} : { stuckAfterS: options.stuckAfterS }),
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
    });
  }

  get isStopRequested(): boolean {
    return this.#operator.isStopped;
  }

  get isInControl(): boolean {
    return this.#operator.isInControl;
  }

  /**
   * Takes a twist stamped `stampS` that arrived at `receivedAtS` of the clock, when ROS time was `rosNowS`. Never throws.
   * A stamp must be newer than the last one: what was sent before is not executed again.
   */
  onTwist(twist: TwistMessage, stampS: number, rosNowS: number, receivedAtS: number): void {
    if (this.#isClosed) return;
    const speeds = this.#axes.map(({ speedOf }) => speedOf(twist));
    if (!allFinite(speeds) || !(stampS > 0) || !Number.isFinite(rosNowS)) {
      this.counters.malformed++;
      return;
    }
    // After ROS time went back, old stamps mean nothing any more.
    if (rosNowS < this.#newestRosS - this.#leaseS) this.#newestStampS = Number.NEGATIVE_INFINITY;
    this.#newestRosS = rosNowS;
    const ageS = rosNowS - stampS;
    if (!this.#isNew(stampS, ageS) || !this.#operator.isFresh(receivedAtS)) {
      this.counters.stale++;
      this.#tellStale(ageS);
      return;
    }
    this.#isStaleTold = false;
    this.counters.taken++;
    this.#newestStampS = stampS;
    this.watch();
    this.#operator.takeOver();
    this.#write(speeds);
    // The lease runs from when it was sent.
    this.#operator.hear('held', receivedAtS - Math.max(0, ageS));
  }

  /** See `TeleopSource`. Uses its own clock, not `_nowS`, which may be simulated. */
  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.#operator.fill(out);
  }

  /** Sees a dropout without waiting for the next poll. */
  watch(): void {
    this.#operator.watch();
  }

  /** Control and a stop outlast an episode. */
  reset(): void {
    this.watch();
  }

  giveBack(): void {
    this.#operator.giveBack();
  }

  onControlLost(): void {
    this.#operator.giveWay();
  }

  close(): void {
    this.#isClosed = true;
    this.#operator.giveBack();
  }

  #isNew(stampS: number, ageS: number): boolean {
    return stampS > this.#newestStampS && ageS <= this.#leaseS && ageS >= -FUTURE_S;
  }

  /** Keeps the direction where the speed asked for is more than an action can be. */
  #write(speeds: readonly number[]): void {
    const wanted = this.#axes.map(({ gain }, k) => speeds[k]! * gain);
    const ratio = 1 / Math.max(1, ...wanted.map(Math.abs));
    this.#operator.action.fill(0);
    this.#axes.forEach(({ dimension }, k) => {
      this.#operator.action[dimension] = wanted[k]! * ratio || 0;
    });
  }

  #tellStale(ageS: number): void {
    if (this.#isStaleTold) return;
    this.#isStaleTold = true;
    const why =
      ageS < -FUTURE_S ? `is stamped ${-ageS.toFixed(3)} s ahead of this machine's time` : 'is old or came twice';
    this.#options.onEvent?.({
      row: 19,
      name: 'teleopStale',
      message: `A twist ${why} (age ${ageS.toFixed(3)} s, lease ${this.#leaseS} s); it is not executed.`,
      remedy: 'Stamp twists when they are sent, send only new ones, and set the clocks of both machines.',
    });
  }
}
