/**
 * The first motion after power-up (row 34): each joint in turn goes a little way out and back at 5 % of its highest speed, and has to be
 * measured to follow. What it asks for passes the whole chain, so that a way that is not clear is not gone. Pure: tick-safe after
 * construction.
 */
import { isFree, type JointModel, LinkTopology, type RobotModel } from '../core/index.ts';

export const FIRST_MOTION_SPEED_RATIO = 0.05;
const AMPLITUDE_RAD = 0.035;
/** Of what rolls: a motor without sensors turns no slower than it wants to, and stands still this side of half the way. */
const PATH_AMPLITUDE_M = 0.25;
/** Of joints with little room, and of those that slide: share of their range. */
const AMPLITUDE_SHARE = 0.05;
/** A joint that follows has gone between so much and so much of the way; stiction and gravity keep it from going all of it. */
const LEAST_RATIO = 0.6;
const MOST_RATIO = 1.5;
/** So much of the way is no noise: back where it was to go out, or by another joint. */
const NOTED_RATIO = 0.3;
/** A reference is there within so much of the way. */
const ARRIVED_RATIO = 0.01;
/** The way may take so many times as long as it would without acceleration and obstacles, and so long beside, s. */
const PATIENCE = 3;
const PATIENCE_S = 0.5;
/** What a servo may take to get to where its reference stands, s. */
const SETTLE_S = 0.6;

export type FirstMotionFault = 'mirrored' | 'scaled' | 'stuck' | 'other' | 'left' | 'jumped';

/** What was seen of the joint, for people. */
const SEEN: Readonly<Record<FirstMotionFault, string>> = {
  mirrored: 'moves the other way than it was asked to',
  scaled: 'goes another distance than it was asked to',
  stuck: 'does not move',
  other: 'does not move, and another joint does: two servos may have changed places',
  left: 'is read outside its limits: its calibrated zero is wrong, or its reading wraps',
  jumped: 'is read at a place where it cannot be: its reading jumps or wraps at 2π',
};

type Phase = 'out' | 'settle' | 'back';

export class FirstMotion {
  /** [n] what the chain is to ask for in this tick, rad/s. */
  readonly wantedRadPerS: Float64Array;
  /** Joint that is checked now. */
  joint = 0;
  isRunning = false;
  hasPassed = false;
  /** What is wrong with `joint`; the robot moves no further. */
  fault: FirstMotionFault | undefined;
  /** `joint` has no room either way: nothing is wrong, and nothing was seen. */
  isBlocked = false;
  readonly #joints: readonly JointModel[];
  readonly #isBeside: readonly boolean[];
  readonly #isMeasured: readonly boolean[];
  /** [n] reading and reference at the beginning of the joint's turn, and how far it goes, rad. */
  readonly #fromRad: Float64Array;
  readonly #referenceRad: Float64Array;
  readonly #amplitudeRad: Float64Array;
  #phase: Phase = 'out';
  #direction = 1;
  #hasTurned = false;
  #isFresh = true;
  #passedS = 0;

  /** `unmeasured`: names of joints that are passed over, as no reading says where they are. */
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

  /** What is tried rolls, and may stand for long before it breaks loose: whether it turns at all shows at the end of its way. */
  get isRolling(): boolean {
    return this.isRunning && isFree(this.#joints[this.joint]!);
  }

  /** From the first joint on. */
  start(): void {
    this.isRunning = true;
    this.hasPassed = false;
    this.isBlocked = false;
    this.fault = undefined;
    this.#begin(0);
  }

  /** Something else ends it: it begins anew, or not at all. */
  cancel(): void {
    this.isRunning = false;
    this.isBlocked = false;
    this.wantedRadPerS.fill(0);
  }

  /** The reading of `joint`, or what came of it, is not believed any more. */
  fail(fault: FirstMotionFault): void {
    this.fault ??= fault;
    this.cancel();
  }

  /** `joint` was seen to stand still although it was asked to move. */
  stands(positionRad: ArrayLike<number>): void {
    this.fail(this.#movesAnother(positionRad, NOTED_RATIO) ? 'other' : 'stuck');
  }

  /** One tick, after a reading that is believed: fills `wantedRadPerS`, and ends where the last joint is back or one is wrong. */
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

  /** `joint 3 of 6` and what was seen of it, for people. Allocates. */
  text(): string {
    const { name } = this.#joints[this.joint]!;
    return `joint ${this.joint + 1} of ${this.#joints.length} (${name})${this.fault === undefined ? '' : ` ${SEEN[this.fault]}`}`;
  }

  /** Tries the first joint from `joint` on that is measured; behind the last one it has passed. */
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

  /** How far the joint was measured to go the way that it was asked to, as a share of that. */
  #share(positionRad: ArrayLike<number>): number {
    const i = this.joint;
    return (this.#direction * (positionRad[i]! - this.#fromRad[i]!)) / this.#amplitudeRad[i]!;
  }

  /** What is wrong at any moment. */
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
    // A gripper may stand at its stop, or hold something.
    if (share < NOTED_RATIO && this.#isBeside[this.joint]! && !this.#hasTurned) this.#turn();
    else this.fail(share < NOTED_RATIO ? 'stuck' : 'scaled');
  }

  get #patienceS(): number {
    const speed = FIRST_MOTION_SPEED_RATIO * this.#joints[this.joint]!.velocityMaxRadPerS;
    return (PATIENCE * this.#amplitudeRad[this.joint]!) / speed + PATIENCE_S;
  }

  /** The chain did not let it go: the other way, once. */
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
