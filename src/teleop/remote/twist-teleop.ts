/**
 * Teleoperation from stamped twists: their sender is in control. A twist is a speed of the tool or of the base in the
 * robot's base frame; its request counts for its lease and is never executed later. The first motion must follow a
 * twist of zeros. A stream that ends in motion stops the robot; one that ends with zeros leaves it holding.
 */
import { allFinite } from '../../model/index.ts';
import { RemoteOperator, type RemoteOptions } from './remote-operator.ts';

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

export interface TwistTeleopOptions extends RemoteOptions {
  /** Nominal duration of one action, s. */
  readonly policyPeriodS: number;
}

/** All components of a twist, with their names in messages, and the dimension that takes each. */
const PARTS: readonly {
  readonly name: string;
  readonly takenBy?: string;
  readonly of: (twist: TwistMessage) => number;
}[] = [
  { name: 'linear.x', takenBy: 'x', of: ({ linear }) => linear.x },
  { name: 'linear.y', takenBy: 'y', of: ({ linear }) => linear.y },
  { name: 'linear.z', takenBy: 'z', of: ({ linear }) => linear.z },
  { name: 'angular.x', of: ({ angular }) => angular.x },
  { name: 'angular.y', of: ({ angular }) => angular.y },
  { name: 'angular.z', takenBy: 'yaw', of: ({ angular }) => angular.z },
];

/** Largest clock difference between two machines, s. */
const FUTURE_S = 0.1;

interface Axis {
  readonly dimension: number;
  readonly speedOf: (twist: TwistMessage) => number;
  /** Action per m/s or rad/s. */
  readonly gain: number;
}

export class TwistTeleop extends RemoteOperator {
  readonly name = 'twist';
  readonly #onEvent: TwistTeleopOptions['onEvent'];
  readonly #axes: readonly Axis[];
  /** Components that no dimension of the action takes. */
  readonly #ignored: typeof PARTS;
  #isIgnoredReported = false;
  #newestStampS = Number.NEGATIVE_INFINITY;
  #newestRosS = Number.NEGATIVE_INFINITY;
  #isStaleReported = false;

  /** Throws `RangeError` if no dimension of the action is one of x, y, z and yaw, and for a lease out of range. */
  constructor(options: TwistTeleopOptions) {
    super(options, { subject: 'sender of twists', silence: 'isDropoutInMotion' });
    const { action, policyPeriodS, onEvent } = options;
    this.#onEvent = onEvent;
    this.#axes = action.dimensions.flatMap(({ name, scale }, dimension) => {
      const speedOf = PARTS.find(({ takenBy }) => takenBy === name)?.of;
      return speedOf === undefined ? [] : [{ dimension, speedOf, gain: policyPeriodS / scale }];
    });
    const names = this.#axes.map(({ dimension }) => action.dimensions[dimension]!.name);
    this.#ignored = PARTS.filter(({ takenBy }) => takenBy === undefined || !names.includes(takenBy));
    if (this.#axes.length === 0) {
      throw new RangeError(
        `a twist moves ${PARTS.flatMap(({ takenBy }) => takenBy ?? []).join(', ')}; the action has ${action.dimensions.map((d) => d.name).join(', ')}`,
      );
    }
  }

  /**
   * Takes a twist stamped `stampS` that arrived at `receivedAtS` of the clock, at ROS time `rosNowS`. Never throws. A
   * stamp must be newer than the last one: earlier twists are not executed again.
   */
  onTwist(twist: TwistMessage, stampS: number, rosNowS: number, receivedAtS: number): void {
    if (this.isClosed) return;
    const speeds = this.#axes.map(({ speedOf }) => speedOf(twist));
    if (!allFinite(speeds) || !(stampS > 0) || !Number.isFinite(rosNowS)) {
      this.counters.malformed++;
      return;
    }
    // After ROS time went back, old stamps are meaningless.
    if (rosNowS < this.#newestRosS - this.leaseS) this.#newestStampS = Number.NEGATIVE_INFINITY;
    this.#newestRosS = rosNowS;
    const ageS = rosNowS - stampS;
    if (!this.#isNew(stampS, ageS) || !this.isFresh(receivedAtS)) {
      this.counters.stale++;
      this.#reportStale(ageS);
      return;
    }
    this.#isStaleReported = false;
    this.counters.taken++;
    this.#reportIgnored(twist);
    this.#newestStampS = stampS;
    this.watch();
    this.takeOver();
    this.#write(speeds);
    // The lease runs from the sending.
    this.hear('held', receivedAtS - Math.max(0, ageS));
  }

  #isNew(stampS: number, ageS: number): boolean {
    return stampS > this.#newestStampS && ageS <= this.leaseS && ageS >= -FUTURE_S;
  }

  /** Keeps the direction if the requested speed exceeds an action's range. */
  #write(speeds: readonly number[]): void {
    const wanted = this.#axes.map(({ gain }, k) => speeds[k]! * gain);
    const ratio = 1 / Math.max(1, ...wanted.map(Math.abs));
    this.action.fill(0);
    this.#axes.forEach(({ dimension }, k) => {
      this.action[dimension] = wanted[k]! * ratio || 0;
    });
  }

  /** Reports once that components without a dimension in the task are not executed, as their sender would wait for them. */
  #reportIgnored(twist: TwistMessage): void {
    if (this.#isIgnoredReported) return;
    const asked = this.#ignored.filter(({ of }) => of(twist) !== 0).map(({ name }) => name);
    if (asked.length === 0) return;
    this.#isIgnoredReported = true;
    this.#onEvent?.({
      row: 11,
      name: 'malformed',
      message: `A twist asks for ${asked.join(', ')}, which no dimension of this task's action takes: that part is not executed.`,
      remedy: 'Leave it zero, or give the task that dimension.',
    });
  }

  #reportStale(ageS: number): void {
    if (this.#isStaleReported) return;
    this.#isStaleReported = true;
    const why =
      ageS < -FUTURE_S ? `is stamped ${-ageS.toFixed(3)} s ahead of this machine's time` : 'is old or came twice';
    this.#onEvent?.({
      row: 19,
      name: 'teleopStale',
      message: `A twist ${why} (age ${ageS.toFixed(3)} s, lease ${this.leaseS} s); it is not executed.`,
      remedy: 'Stamp twists when they are sent, send only new ones, and set the clocks of both machines.',
    });
  }
}
