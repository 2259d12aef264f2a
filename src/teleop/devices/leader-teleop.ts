/**
 * A leader arm: a second arm moved by the operator's hand, whose joints determine the robot's target. Its clutch is a
 * switch (a pedal, or a joint that is squeezed): while it is closed the robot follows the leader's motion, from
 * wherever both were when it closed (`clutch.ts`), so that nothing jumps. If configured, the robot then moves slowly to
 * the leader's own pose.
 *
 * If the leader has motors, it can follow the robot while no operator drives, at low torque, slowly, and limp as soon
 * as the clutch closes: operator and robot then begin in the same pose.
 */
import { type ActionSpec, type Clock, clamp } from '../../model/index.ts';
import { TELEOP_LOST_REMEDY, type TeleopEvent } from '../remote/remote-operator.ts';
import type { SourcePose, TeleopCommand, TeleopSource } from '../teleop-source.ts';

/** Driver interface of a leader arm. Nothing here throws or blocks. */
export interface LeaderArm {
  /** [n] rad (m for a prismatic joint), as of the last `read`. */
  readonly positionRad: ArrayLike<number>;
  read(): 'ok' | 'lost';
  /** Notice of its driver, e.g. that a servo is too hot; each is returned once. Absent: none. */
  takeNotice?(): { readonly message: string; readonly remedy: string } | undefined;
  /** Absent: passive. */
  readonly motors?: LeaderMotors;
  close(): void;
}

/** Motors of a leader that follows the robot. */
export interface LeaderMotors {
  /** [n] largest commanded speed, rad/s. */
  readonly velocityMaxRadPerS: ArrayLike<number>;
  /** Switches torque on, low, holding the present pose. */
  hold(): void;
  /** Commands joint positions ([n]) within its own limits. */
  move(referenceRad: ArrayLike<number>): void;
  /** Torque off. */
  release(): void;
}

export interface LeaderOptions {
  readonly action: ActionSpec;
  /** Real time: a hand does not follow simulated time. */
  readonly clock: Clock;
  readonly arm: LeaderArm;
  /** Writes the leader's pose in the action's dimensions ([A], m and rad). */
  readonly poseOf: (out: Float64Array, positionRad: ArrayLike<number>) => void;
  /** True while the operator holds the clutch closed. */
  readonly isClutchClosed: () => boolean;
  /** True while the operator signals recovery by another device. Absent: it is correction. */
  readonly isRecoveringElsewhere?: (() => boolean) | undefined;
  /**
   * Moves the robot to the leader's own pose after the clutch has closed: the robot's reference ([A]), and the rate at
   * which the difference is removed, m/s and rad/s. Absent: the difference stays.
   */
  readonly ramp?: { readonly robot: () => ArrayLike<number> | undefined; readonly perS: number } | undefined;
  /** Leader pose that matches the robot's ([n], rad); `undefined` while unknown. */
  readonly alongside?: (() => ArrayLike<number> | undefined) | undefined;
  readonly onEvent?: (event: TeleopEvent) => void;
}

/** Longest period counted between two polls, s: a late one must not turn the ramp into a step. */
const LONGEST_LOOK_S = 0.05;

export class LeaderTeleop implements TeleopSource {
  readonly name = 'leader';
  readonly decidedBy = 'human';
  readonly hint = 'close the clutch: the robot follows the leader arm';
  readonly #options: LeaderOptions;
  readonly #pose: Float64Array;
  readonly #absolute: SourcePose & { closing: number };
  /** [A] covered part, and whole, of the ramp to the leader's pose. */
  readonly #gone: Float64Array;
  readonly #toGo: Float64Array;
  /** [n] commanded positions of the motors. */
  readonly #reference: Float64Array;
  #closings = 0;
  /** The closing that `#toGo` belongs to. */
  #rampOf = 0;
  #isClosed = false;
  #wasClutchClosed: boolean | undefined;
  #isInControl = false;
  #isStopped = false;
  #isFollowing = false;
  #isThere = true;
  #lookedAtS: number;

  constructor(options: LeaderOptions) {
    const actions = options.action.dimensions.length;
    this.#options = options;
    this.#pose = new Float64Array(actions);
    this.#gone = new Float64Array(actions);
    this.#toGo = new Float64Array(actions);
    this.#reference = new Float64Array(options.arm.positionRad.length);
    this.#absolute = { source: this.name, closing: 0, pose: this.#pose };
    this.#lookedAtS = options.clock.nowS();
  }

  get isInControl(): boolean {
    return this.#isInControl;
  }

  /** Stopped by the loss of its arm while in control, until `giveBack`. */
  get stoppedBy(): string {
    return 'the loss of the leader arm';
  }

  get isStopRequested(): boolean {
    return this.#isStopped;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.watch();
    const { closing } = this.#absolute;
    // From the pose on which the clutch latches: earlier motion is no part of the ramp.
    if (closing !== 0 && closing !== this.#rampOf) this.#beginRamp();
    out.active = this.#isInControl;
    out.phase = this.#options.isRecoveringElsewhere?.() === true ? 'recover' : 'correct';
    out.absolute = this.#absolute;
  }

  /** Reads the leader and its clutch, and moves its motors; to be called about every 20 ms. */
  watch(): void {
    if (this.#isClosed) return;
    const { arm, clock } = this.#options;
    const nowS = clock.nowS();
    const passedS = clamp(nowS - this.#lookedAtS, 0, LONGEST_LOOK_S);
    this.#lookedAtS = nowS;
    this.#isThere = arm.read() === 'ok';
    this.#passOn(arm.takeNotice?.());
    if (!this.#isThere) {
      this.#onLost();
      return;
    }
    this.#seeClutch();
    this.#fillPose(passedS);
    this.#goAlong(passedS);
  }

  /** Control and a stop outlast an episode. */
  reset(): void {}

  giveBack(): void {
    this.#isInControl = false;
    this.#isStopped = false;
    this.#absolute.closing = 0;
  }

  /** Called when another operator took over: this one gives way, except for a stop. */
  onControlLost(): void {
    if (!this.#isStopped) this.giveBack();
  }

  close(): void {
    if (this.#isClosed) return;
    this.giveBack();
    this.#stopFollowing();
    this.#isClosed = true;
    this.#options.arm.close();
  }

  #seeClutch(): void {
    const isClosed = this.#options.isClutchClosed();
    // A clutch held when it is first read, or when the arm is back, does not count as closed now.
    const isClosedNow = isClosed && this.#wasClutchClosed === false;
    this.#wasClutchClosed = isClosed;
    if (!isClosed) this.#absolute.closing = 0;
    if (!isClosedNow || this.#isStopped) return;
    this.#isInControl = true;
    this.#absolute.closing = ++this.#closings;
    this.#gone.fill(0);
  }

  /** The clutch takes the pose's motion since latching: to reach the leader's own pose, the initial difference has to be removed, too. */
  #beginRamp(): void {
    this.#rampOf = this.#absolute.closing;
    this.#toGo.fill(0);
    const robot = this.#options.ramp?.robot();
    if (robot === undefined) return;
    for (let i = 0; i < this.#toGo.length; i++) this.#toGo[i] = this.#pose[i]! - robot[i]!;
  }

  #fillPose(passedS: number): void {
    const { poseOf, arm, ramp } = this.#options;
    poseOf(this.#pose, arm.positionRad);
    const step = (ramp?.perS ?? 0) * passedS;
    for (let i = 0; i < this.#pose.length; i++) {
      if (this.#absolute.closing !== 0 && this.#rampOf === this.#absolute.closing)
        this.#gone[i]! += clamp(this.#toGo[i]! - this.#gone[i]!, -step, step);
      this.#pose[i]! += this.#gone[i]!;
    }
  }

  /** Follows the robot while no operator holds the leader; limp otherwise. */
  #goAlong(passedS: number): void {
    const { arm, alongside } = this.#options;
    const { motors } = arm;
    if (motors === undefined || alongside === undefined) return;
    const wanted = this.#isInControl || this.#wasClutchClosed === true ? undefined : alongside();
    if (wanted === undefined) {
      this.#stopFollowing();
      return;
    }
    if (!this.#isFollowing) {
      motors.hold();
      this.#reference.set(arm.positionRad);
      this.#isFollowing = true;
    }
    for (let i = 0; i < this.#reference.length; i++) {
      const step = motors.velocityMaxRadPerS[i]! * passedS;
      this.#reference[i]! += clamp(wanted[i]! - this.#reference[i]!, -step, step);
    }
    motors.move(this.#reference);
  }

  #stopFollowing(): void {
    if (this.#isFollowing) this.#options.arm.motors?.release();
    this.#isFollowing = false;
  }

  #passOn(notice: ReturnType<NonNullable<LeaderArm['takeNotice']>>): void {
    if (notice === undefined) return;
    const { message, remedy } = notice;
    this.#options.onEvent?.({ row: 18, name: 'leaderNotice', message: `Of the leader arm: ${message}`, remedy });
  }

  #onLost(): void {
    this.#absolute.closing = 0;
    this.#wasClutchClosed = undefined;
    this.#stopFollowing();
    if (!this.#isInControl || this.#isStopped) return;
    this.#isStopped = true;
    this.#options.onEvent?.({
      row: 18,
      name: 'teleopLost',
      message: 'The leader arm was in control and can no longer be read; the robot stops and stays.',
      remedy: TELEOP_LOST_REMEDY,
    });
  }
}
