/**
 * First motion after power-up (row 34): each joint in turn moves a little out and back at 5 % of its velocity limit, and must be
 * measured to follow. The motion passes through the whole safety chain, so that a blocked path is not taken. Pure: tick-safe after
 * construction.
 */
import { isFree, type JointModel, LinkTopology, type RobotModel } from '../model/index.ts';

export const FIRST_MOTION_SPEED_RATIO = 0.05;
const AMPLITUDE_RAD = 0.035;
/** Amplitude of driven axes, m: a motor without sensors has a minimum speed, and stands still for up to half of the way. */
const PATH_AMPLITUDE_M = 0.25;
/** Amplitude of joints with little range, and of prismatic ones, as a fraction of their range. */
const AMPLITUDE_SHARE = 0.05;
/** Accepted travel of a following joint, as a fraction of the amplitude; stiction and gravity reduce it. */
const LEAST_RATIO = 0.6;
const MOST_RATIO = 1.5;
/** Travel above noise, as a fraction of the amplitude: in the wrong direction, or by another joint. */
const NOTED_RATIO = 0.3;
/** Tolerance within which a reference has arrived, as a fraction of the amplitude. */
const ARRIVED_RATIO = 0.01;
/** Time allowed for the way, as a multiple of the time without acceleration and obstacles, plus a constant, s. */
const PATIENCE = 3;
const PATIENCE_S = 0.5;
/** Time allowed for a servo to reach its resting reference, s. */
const SETTLE_S = 0.6;

export type FirstMotionFault = 'mirrored' | 'scaled' | 'stuck' | 'other' | 'left' | 'jumped';

/** Descriptions of the faults, for the operator. */
const SEEN: Readonly<Record<FirstMotionFault, string>> = {
  mirrored: 'moves opposite to its command',
  scaled: 'moves by another distance than commanded',
  stuck: 'does not move',
  other: 'does not move, and another joint does: two servos may have changed places',
  left: 'is read outside its limits: its calibrated zero is wrong, or its reading wraps',
  jumped: 'has an impossible reading: it jumps or wraps at 2π',
};

type Phase = 'out' | 'settle' | 'back';

export class FirstMotion {
  /** [n] velocities requested from the chain in this tick, rad/s. */
  readonly wantedRadPerS: Float64Array;
  /** Joint under test. */
  joint = 0;
  isRunning = false;
  hasPassed = false;
  /** Fault of `joint`; the robot moves no further. */
  fault: FirstMotionFault | undefined;
  /** `joint` has no room in either direction: no fault, but no result either. */
  isBlocked = false;
  readonly #joints: readonly JointModel[];
  readonly #isBeside: readonly boolean[];
  readonly #isMeasured: readonly boolean[];
  /** [n] reading and reference at the start of the joint's test, and its amplitude, rad. */
  readonly #fromRad: Float64Array;
  readonly #referenceRad: Float64Array;
  readonly #amplitudeRad: Float64Array;
  #phase: Phase = 'out';
  #direction = 1;
  #hasTurned = false;
  #isFresh = true;
  #passedS = 0;

  /** `unmeasured`: names of joints to skip, as they have no position reading. */
  constructor(model: RobotModel, unmeasured: readonly string[] = []) {
    const n = model.joints.length;
    const topology = model.base === undefined ? new LinkTopology(model) : undefined;
    this.#joints = model.joints;
    this.#isBeside = model.joints.map((_, i) => topology?.carriesTool(i) === false);
    this.#isMeasured = model.joints.map(({ name }) => !unmeasured.includes(name));
    this.wantedRadPerS = new Float64Array(n);
    this.#fromRad = new Float64Array(n);
    this.#referenceRad = new Float64Array(n);
    this.#amplitudeRad = Float64Array.from(model.joints, (joint) => {
      if (joint.kind === 'path') return PATH_AMPLITUDE_M;
      const share = isFree(joint) ? AMPLITUDE_RAD : AMPLITUDE_SHARE * (joint.positionMaxRad - joint.positionMinRad);
      return Math.min(AMPLITUDE_RAD, share);
    });
  }

  /** True if the axis under test is driven by wheels, which may stand long before it breaks loose: judged at the end of its way. */
  get isRolling(): boolean {
    return this.isRunning && isFree(this.#joints[this.joint]!);
  }

  /** Starts with the first joint. */
  start(): void {
    this.isRunning = true;
    this.hasPassed = false;
    this.isBlocked = false;
    this.fault = undefined;
    this.#begin(0);
  }

  /** Ends the test for another reason, without a result. */
  cancel(): void {
    this.isRunning = false;
    this.isBlocked = false;
    this.wantedRadPerS.fill(0);
  }

  /** Fails the test: the reading of `joint`, or the resulting motion, is not trusted. */
  fail(fault: FirstMotionFault): void {
    this.fault ??= fault;
    this.cancel();
  }

  /** Fails the test: `joint` stood still although it was commanded to move. */
  stands(positionRad: ArrayLike<number>): void {
    this.fail(this.#movesAnother(positionRad, NOTED_RATIO) ? 'other' : 'stuck');
  }

  /** Runs one tick after a trusted reading: fills `wantedRadPerS`, and ends once the last joint is back or one has failed. */
  step(referenceRad: ArrayLike<number>, positionRad: ArrayLike<number>, dtS: number): void {
    if (!this.isRunning) return;
    if (this.#isFresh) this.#take(referenceRad, positionRad);
    this.#passedS += dtS > 0 ? dtS : 0;
    const fault = this.#seen(positionRad);
    if (fault !== undefined) {
      this.fail(fault);
      return;
    }
    const i = this.joint;
    const goalRad = this.#referenceRad[i]! + (this.#phase === 'back' ? 0 : this.#direction * this.#amplitudeRad[i]!);
    const leftRad = goalRad - referenceRad[i]!;
    const hasArrived = Math.abs(leftRad) <= ARRIVED_RATIO * this.#amplitudeRad[i]!;
    this.#want(leftRad, dtS);
    if (this.#phase === 'settle') this.#settle(positionRad);
    else if (hasArrived && this.#phase === 'out') this.#enter('settle');
    else if (hasArrived) this.#begin(this.joint + 1);
    else if (this.#passedS > this.#patienceS) this.#giveUp();
  }

  /** `joint 3 of 6` and its fault, for the operator. Allocates. */
  text(): string {
    const { name } = this.#joints[this.joint]!;
    return `joint ${this.joint + 1} of ${this.#joints.length} (${name})${this.fault === undefined ? '' : ` ${SEEN[this.fault]}`}`;
  }

  /** Tests the first measured joint from `joint` on; after the last one the test has passed. */
  #begin(joint: number): void {
    this.joint = joint;
    while (this.#isMeasured[this.joint] === false) this.joint++;
    if (this.joint >= this.#joints.length) {
      this.joint = 0;
      this.isRunning = false;
      this.hasPassed = true;
      this.wantedRadPerS.fill(0);
      return;
    }
    this.#isFresh = true;
    this.#hasTurned = false;
    this.#enter('out');
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#passedS = 0;
  }

  #take(referenceRad: ArrayLike<number>, positionRad: ArrayLike<number>): void {
    this.#isFresh = false;
    for (let i = 0; i < this.#fromRad.length; i++) {
      this.#fromRad[i] = positionRad[i]!;
      this.#referenceRad[i] = referenceRad[i]!;
    }
    const { positionMinRad, positionMaxRad } = this.#joints[this.joint]!;
    const at = referenceRad[this.joint]!;
    // Away from the nearer limit.
    this.#direction = positionMaxRad - at >= at - positionMinRad ? 1 : -1;
  }

  #want(leftRad: number, dtS: number): void {
    const speed = FIRST_MOTION_SPEED_RATIO * this.#joints[this.joint]!.velocityMaxRadPerS;
    this.wantedRadPerS.fill(0);
    const wanted = dtS > 0 ? leftRad / dtS : 0;
    this.wantedRadPerS[this.joint] = Math.max(-speed, Math.min(speed, wanted));
  }

  /** Measured travel in the commanded direction, as a fraction of the amplitude. */
  #share(positionRad: ArrayLike<number>): number {
    const i = this.joint;
    return (this.#direction * (positionRad[i]! - this.#fromRad[i]!)) / this.#amplitudeRad[i]!;
  }

  /** Fault that can be detected at any moment of the test. */
  #seen(positionRad: ArrayLike<number>): FirstMotionFault | undefined {
    const i = this.joint;
    const { positionMinRad, positionMaxRad } = this.#joints[i]!;
    const q = positionRad[i]!;
    const slackRad = this.#amplitudeRad[i]!;
    if (!isFree(this.#joints[i]!) && !(q >= positionMinRad - slackRad && q <= positionMaxRad + slackRad)) return 'left';
    const share = this.#share(positionRad);
    if (share < -NOTED_RATIO) return 'mirrored';
    if (share > MOST_RATIO) return 'scaled';
    return share < NOTED_RATIO && this.#movesAnother(positionRad, LEAST_RATIO) ? 'other' : undefined;
  }

  #movesAnother(positionRad: ArrayLike<number>, leastRatio: number): boolean {
    for (let j = 0; j < this.#fromRad.length; j++) {
      if (j === this.joint) continue;
      const moved = Math.abs(positionRad[j]! - this.#fromRad[j]!);
      if (moved > leastRatio * this.#amplitudeRad[this.joint]!) return true;
    }
    return false;
  }

  #settle(positionRad: ArrayLike<number>): void {
    const share = this.#share(positionRad);
    if (share >= LEAST_RATIO) this.#enter('back');
    if (share >= LEAST_RATIO || this.#passedS < SETTLE_S) return;
    // A gripper may be at its stop, or hold an object.
    if (share < NOTED_RATIO && this.#isBeside[this.joint]! && !this.#hasTurned) this.#turn();
    else this.fail(share < NOTED_RATIO ? 'stuck' : 'scaled');
  }

  get #patienceS(): number {
    const speed = FIRST_MOTION_SPEED_RATIO * this.#joints[this.joint]!.velocityMaxRadPerS;
    return (PATIENCE * this.#amplitudeRad[this.joint]!) / speed + PATIENCE_S;
  }

  /** Blocked by the chain: tries the other direction, once. */
  #giveUp(): void {
    if (this.#phase === 'out' && !this.#hasTurned) this.#turn();
    else {
      this.isRunning = false;
      this.isBlocked = true;
      this.wantedRadPerS.fill(0);
    }
  }

  #turn(): void {
    this.#hasTurned = true;
    this.#direction = -this.#direction;
    this.#enter('out');
  }
}
