/**
 * An operator who is only heard of by messages: control, enabling, lease and stop, the same for joysticks and twists. Nothing
 * is queued: the newest command counts, and only for its lease. Control ends by explicit acts, never by silence.
 */
import type { ActionSpec, Clock } from '../../core/index.ts';
import type { MotionFrame } from '../devices/motion-frame.ts';
import { Enabling } from '../enabling.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';

/** Reports of an operator's device besides motion, for events and diagnostics. */
export interface TeleopEvent {
  /** Row of the fault table. */
  readonly row: 11 | 18 | 19 | 20;
  readonly name: 'malformed' | 'teleopLost' | 'teleopStale' | 'teleopStuck' | 'leaderNotice';
  readonly message: string;
  readonly remedy: string;
}

/** What to do about an operator whose device is gone while they drove. Whoever reads it has a terminal, a page or ROS. */
export const TELEOP_LOST_REMEDY =
  'Bring it back. The policy goes on only when a person says so: c at the terminal, Start at the page, ~/reset and ~/resume over ROS.';

/** What is chosen for every remote operator. */
export interface RemoteOptions {
  readonly action: ActionSpec;
  /** Real time: an operator does not follow simulated time. The clock of the messages' times of arrival. */
  readonly clock: Clock;
  /**
   * How long one message counts, from when it was sent, s, ≤ 0.15 (1.5 of a browser); 0.1 by default (0.25), which needs messages at
   * 30 Hz or more. `joy_node` repeats at 20 Hz unless told otherwise (`autorepeat_rate`): then take 0.15.
   */
  readonly leaseS?: number;
  /** A command other than zero that has not changed for so long is let go of, s; 5 by default. */
  readonly stuckAfterS?: number;
  readonly onEvent?: (event: TeleopEvent) => void;
  /** It hears nothing any more. */
  readonly onClose?: () => void;
  /** In whose directions the person moves the tool; the base's by default. */
  readonly frame?: MotionFrame | undefined;
}

/** What a kind of remote operator is. */
export interface RemoteKind {
  /** Name in messages: `joystick`. */
  readonly subject: string;
  /** Meaning of silence in control: always a dropout, or only where the last command moved something. */
  readonly silence: 'isDropout' | 'isDropoutInMotion';
  /** Default and most of `RemoteOptions.leaseS`, s; those of a wired device where absent. */
  readonly lease?: { readonly defaultS: number; readonly mostS: number };
}

/** Wired devices have 0.1 s; three periods of joy_node's default 20 Hz are 0.15 s. */
const WIRED_LEASE = { defaultS: 0.1, mostS: 0.15 };
const STUCK_AFTER_S = 5;

/** Pure but for its memory and clock. Who extends it reads messages, and writes what they ask for into `action` before `hear`. */
export abstract class RemoteOperator implements TeleopSource {
  abstract readonly name: string;
  readonly decidedBy = 'human';
  /** Messages taken, too old or sent before, and without the numbers or the stamp that they need. */
  readonly counters: { taken: number; stale: number; malformed: number } = { taken: 0, stale: 0, malformed: 0 };
  /** [A] what the newest message asks for, normalised. */
  protected readonly action: Float32Array;
  protected readonly leaseS: number;
  protected phase: 'recover' | 'correct' = 'correct';
  protected isClosed = false;

  readonly #options: RemoteOptions;
  readonly #kind: RemoteKind;
  readonly #stuckAfterS: number;
  readonly #enabling: Enabling;
  #heardAtS = Number.NEGATIVE_INFINITY;
  #isHeard = false;
  #isHeld = false;
  #isMoving = false;
  #isInControl = false;
  #isStopped = false;
  #stoppedBy = '';
  #isDistrusted = false;

  /** Throws `RangeError` for a lease that is 0 or more than the most of its kind. */
  constructor(options: RemoteOptions, kind: RemoteKind) {
    const { defaultS, mostS } = kind.lease ?? WIRED_LEASE;
    const { leaseS = defaultS, stuckAfterS = STUCK_AFTER_S, action } = options;
    if (!(leaseS > 0 && leaseS <= mostS)) throw new RangeError(`leaseS must be > 0 and ≤ ${mostS}, got ${leaseS}`);
    this.#options = options;
    this.#kind = kind;
    this.leaseS = leaseS;
    this.#stuckAfterS = stuckAfterS;
    this.action = new Float32Array(action.dimensions.length);
    this.#enabling = new Enabling({ stuckAfterS });
  }

  get isInControl(): boolean {
    return this.#isInControl;
  }

  /** Stopped by a dropout or by the operator, until `giveBack`. */
  get isStopRequested(): boolean {
    return this.#isStopped;
  }

  get stoppedBy(): string {
    return this.#stoppedBy;
  }

  /** See `TeleopSource`. Uses its own clock, not `_nowS`, which may be simulated. */
  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.watch();
    out.active = this.#isInControl || this.#isStopped;
    out.phase = this.phase;
    if (this.#isMoving) out.action.set(this.action);
    else out.action.fill(0);
    this.#options.frame?.apply(out.action);
  }

  /** Sees dropouts and stuck sticks without waiting for the next poll; call it at least once a policy step, better every 20 ms. */
  watch(): void {
    // After a clock went back nobody knows how old a message is.
    const isHeardNow = this.isFresh(this.#heardAtS) && this.#heardAtS <= this.#options.clock.nowS();
    if (this.#isHeard && !isHeardNow) this.#onSilence(`has not been heard for ${Math.round(this.leaseS * 1e3)} ms`);
    else if (this.#isHeard) this.#judge();
  }

  /** Control and a stop outlast an episode. */
  reset(): void {
    this.watch();
  }

  /** Ends control and stop: an explicit act, of the operator or of a resume or reset. */
  giveBack(): void {
    this.#isInControl = false;
    this.#isStopped = false;
    this.#let();
  }

  liftStop(): void {
    this.#isStopped = false;
  }

  /** Another operator took over: this one gives way, except for a stop. */
  onControlLost(): void {
    this.#isInControl = false;
    this.#let();
  }

  close(): void {
    if (!this.isClosed) this.#options.onClose?.();
    this.isClosed = true;
    this.giveBack();
  }

  /** What is asked for moves the robot: in control, enabled, heard within the lease. */
  protected get passesMotion(): boolean {
    return this.#isMoving;
  }

  /** Messages come: the lease of the last one runs. */
  protected get isHeard(): boolean {
    return this.#isHeard;
  }

  /** The operator takes over. A stop stays. */
  protected takeOver(): void {
    this.#isInControl = true;
  }

  /** The operator, or somebody else (`by`), asks for a stop, which takes control from nobody. The first is named. */
  protected stop(by = `the ${this.#kind.subject}`): void {
    if (!this.#isStopped) this.#stoppedBy = by;
    this.#isStopped = true;
    this.#let();
  }

  /** True while a message that arrived at `receivedAtS` counts; one that waited too long, or has no time, does not. */
  protected isFresh(receivedAtS: number): boolean {
    return this.#options.clock.nowS() - receivedAtS <= this.leaseS;
  }

  /** What was heard last holds on: a device that tells of changes alone is there, and has told of none. */
  protected renew(): void {
    if (this.#isHeard) this.#heardAtS = this.#options.clock.nowS();
  }

  /** The device cannot be heard any more: at once what silence would be after its lease. */
  protected lose(how = 'can no longer be read'): void {
    if (this.#isHeard) this.#onSilence(how);
  }

  /** What the device says means nothing: it is lost, and that is said once where nobody drove, too. */
  protected distrust(how: string): void {
    const wasDriving = this.#isHeard && this.#isInControl && !this.#isStopped;
    this.lose(how);
    if (wasDriving || this.#isDistrusted) return;
    this.#isDistrusted = true;
    this.#options.onEvent?.({
      row: 11,
      name: 'malformed',
      message: `The ${this.#kind.subject} ${how}; it counts as unplugged until it is opened anew.`,
      remedy:
        'See that device in operators names the right one (rein doctor lists them), and try another port or cable.',
    });
  }

  /** Takes `action` as heard at `receivedAtS`, which must be fresh. */
  protected hear(enablingSwitch: 'held' | 'released', receivedAtS: number): void {
    // A time to come must not make the lease longer.
    this.#heardAtS = Math.min(receivedAtS, this.#options.clock.nowS());
    this.#isHeard = true;
    this.#isDistrusted = false;
    this.#isHeld = enablingSwitch === 'held';
    this.#judge();
  }

  #judge(): void {
    const { clock, onEvent } = this.#options;
    const wasMoving = this.#isMoving;
    const isHeld = this.#isHeld && this.#isInControl && !this.#isStopped;
    this.#isMoving = this.#enabling.update(isHeld ? 'held' : 'released', this.action, clock.nowS());
    if (!wasMoving || this.#isMoving || !isHeld) return;
    onEvent?.({
      row: 20,
      name: 'teleopStuck',
      message: `The ${this.#kind.subject} asked for the same motion for ${this.#stuckAfterS} s; it counts as stuck and the robot holds.`,
      remedy: 'Let the stick go to its middle, then move on.',
    });
  }

  #onSilence(how: string): void {
    const { subject, silence } = this.#kind;
    const isMoved = this.#isMoving && this.action.some((value) => value !== 0);
    this.#isHeard = false;
    this.#let();
    if (!this.#isInControl || this.#isStopped) return;
    if (silence === 'isDropoutInMotion' && !isMoved) return;
    // Who is gone has no control that they could go on with.
    this.#isInControl = false;
    this.#isStopped = true;
    this.#stoppedBy = `the silence of the ${subject}`;
    this.#options.onEvent?.({
      row: 18,
      name: 'teleopLost',
      message: `The ${subject} was in control and ${how}; the robot stops and stays.`,
      remedy: TELEOP_LOST_REMEDY,
    });
  }

  #let(): void {
    this.action.fill(0);
    this.#isHeld = false;
    this.#isMoving = false;
    this.#enabling.update('released', this.action, this.#options.clock.nowS());
  }
}
