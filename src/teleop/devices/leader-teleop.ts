/**
 * A leader arm: a second arm in the hand of a person, whose joints say where the robot is to go. Its clutch is a switch (a pedal, or a
 * joint that is squeezed): while it is closed the robot follows what the leader moves, from wherever both were when it closed
 * (`clutch.ts`), so that nothing jumps. Then, if asked for, the robot comes slowly to the leader's own pose.
 *
 * Where the leader has motors it may go along with the robot while nobody drives, at low torque, slowly, and limp from the moment on in which
 * the clutch closes: person and robot then begin in the same pose.
 */
import { type ActionSpec, type Clock, clamp } from '../../core/index.ts';
import { TELEOP_LOST_REMEDY, type TeleopEvent } from '../remote/remote-operator.ts';
import type { SourcePose, TeleopCommand, TeleopSource } from '../teleop-source.ts';

/** A leader as its driver gives it. Nothing here throws or waits. */
export interface LeaderArm {
  /** [n] rad (m for a sliding joint), as of the last `read`. */
  readonly positionRad: ArrayLike<number>;
  read(): 'ok' | 'lost';
  /** What its driver has to say, e.g. that a servo is too hot: each once. Absent: nothing. */
  takeNotice?(): { readonly message: string; readonly remedy: string } | undefined;
  /** Absent: passive. */
  readonly motors?: LeaderMotors;
  close(): void;
}

/** Motors of a leader that goes along. */
export interface LeaderMotors {
  /** [n] fastest that it is moved, rad/s. */
  readonly velocityMaxRadPerS: ArrayLike<number>;
  /** Torque on, low, holding where it is. */
  hold(): void;
  /** [n] within its own limits. */
  move(referenceRad: ArrayLike<number>): void;
  /** Torque off. */
  release(): void;
}

export interface LeaderOptions {
  readonly action: ActionSpec;
  /** Real time: a hand does not follow simulated time. */
  readonly clock: Clock;
  readonly arm: LeaderArm;
  /** Writes where the leader is, in the action's dimensions ([A], m and rad). */
  readonly poseOf: (out: Float64Array, positionRad: ArrayLike<number>) => void;
  /** Whether the person holds the clutch closed. */
  readonly isClutchClosed: () => boolean;
  /** Whether they say, by another device, that what they do is recovery. Absent: it is correction. */
  readonly isRecoveringElsewhere?: (() => boolean) | undefined;
  /**
   * Brings the robot to the leader's own pose after the clutch has closed: where the robot is asked to be ([A]), and how fast the difference goes
   * away, m/s and rad/s. Absent: the difference stays.
   */
  readonly ramp?: { readonly robot: () => ArrayLike<number> | undefined; readonly perS: number } | undefined;
  /** Where the leader should be to stand as the robot does ([n], rad); `undefined` while that is not known. */
  readonly alongside?: (() => ArrayLike<number> | undefined) | undefined;
  readonly onEvent?: (event: TeleopEvent) => void;
}

/** A look that comes late must not make a step of what was to be a ramp, s. */
const LONGEST_LOOK_S = 0.05;

export class LeaderTeleop implements TeleopSource {
  readonly name = 'leader';
  readonly decidedBy = 'human';
  readonly hint = 'close the clutch: the robot follows the leader arm';
  readonly #options: LeaderOptions;
  readonly #pose: Float64Array;
  readonly #absolute: SourcePose & { closing: number };
  /** [A] of the way to the leader's pose, what has been gone and what there is. */
  readonly #gone: Float64Array;
  readonly #toGo: Float64Array;
  /** [n] where the motors are asked to be. */
  readonly #reference: Float64Array;
  #closings = 0;
  /** The closing that `#toGo` is of. */
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

  /** Its arm was lost while it was in control, until `giveBack`. */
  get stoppedBy(): string {
    return 'the silence of the leader arm';
  }

  get isStopRequested(): boolean {
    return this.#isStopped;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.watch();
    const { closing } = this.#absolute;
    // From the pose that the clutch latches on: what comes before would be no part of the way.
    if (closing !== 0 && closing !== this.#rampOf) this.#beginRamp();
    out.active = this.#isInControl;
    out.phase = this.#options.isRecoveringElsewhere?.() === true ? 'recover' : 'correct';
    out.absolute = this.#absolute;
  }

  /** Reads the leader, sees its clutch, and moves its motors; call it every 20 ms or so. */
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

  /** Another operator took over: this one gives way, except for a stop. */
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
    // Held when it is first seen, or when the arm is back, it was not closed now.
    const isClosedNow = isClosed && this.#wasClutchClosed === false;
    this.#wasClutchClosed = isClosed;
    if (!isClosed) this.#absolute.closing = 0;
    if (!isClosedNow || this.#isStopped) return;
    this.#isInControl = true;
    this.#absolute.closing = ++this.#closings;
    this.#gone.fill(0);
  }

  /** The clutch takes what the pose has moved since: to come to the leader's own pose the difference at the start has to be gone, too. */
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

  /** Beside the robot while nobody holds the leader; limp otherwise. */
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
