/**
 * An operator who communicates by messages only: control, enabling, lease and stop, the same for joysticks and twists.
 * Nothing is queued: the newest command counts, and only for its lease. Control ends by explicit acts or by a dropout,
 * which stops the robot.
 */
import type { ActionSpec, Clock } from '../../model/index.ts';
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

/** Remedy for a device that was lost while its operator drove. Its reader has a terminal, a page or ROS. */
export const TELEOP_LOST_REMEDY =
  'Bring it back. The policy goes on only when a person says so: c at the terminal, Start at the page, ~/reset and ~/resume over ROS.';

/** Options of every remote operator. */
export interface RemoteOptions {
  readonly action: ActionSpec;
  /** Real time: an operator does not follow simulated time. The clock of the messages' arrival times. */
  readonly clock: Clock;
  /**
   * Lease of one message, from its sending, s, ≤ 0.15 (1.5 for a browser); 0.1 by default (0.25), which needs messages
   * at 30 Hz or more. `joy_node` repeats at 20 Hz by default (`autorepeat_rate`): then use 0.15.
   */
  readonly leaseS?: number;
  /** Time after which an unchanged nonzero command is withdrawn, s; 5 by default. */
  readonly stuckAfterS?: number;
  readonly onEvent?: (event: TeleopEvent) => void;
  /** Called when the operator stops listening. */
  readonly onClose?: () => void;
  /** Frame in which the operator moves the tool; the base by default. */
  readonly frame?: MotionFrame | undefined;
}

/** Characteristics of a kind of remote operator. */
export interface RemoteKind {
  /** Name in messages: `joystick`. */
  readonly subject: string;
  /** Meaning of silence in control: always a dropout, or only if the last command moved something. */
  readonly silence: 'isDropout' | 'isDropoutInMotion';
  /** Default and maximum of `RemoteOptions.leaseS`, s; by default those of a wired device. */
  readonly lease?: { readonly defaultS: number; readonly mostS: number };
}

/** Lease of wired devices, s; 0.15 s are three periods of joy_node's default 20 Hz. */
const WIRED_LEASE = { defaultS: 0.1, mostS: 0.15 };
const STUCK_AFTER_S = 5;

/** Pure but for its memory and clock. Subclasses read messages, and write the requested motion into `action` before `hear`. */
export abstract class RemoteOperator implements TeleopSource {
  abstract readonly name: string;
  readonly decidedBy = 'human';
  /** Messages accepted; too old or repeated; and without the required numbers or stamp. */
  readonly counters: { taken: number; stale: number; malformed: number } = { taken: 0, stale: 0, malformed: 0 };
  /** [A] motion requested by the newest message, normalised. */
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

  /** Throws `RangeError` for a lease that is not > 0 or exceeds the maximum of its kind. */
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

  /** Detects dropouts and stuck sticks without waiting for the next poll; to be called at least once a policy step, better every 20 ms. */
  watch(): void {
    // After a clock went back, the age of a message is unknown.
    const isHeardNow = this.isFresh(this.#heardAtS) && this.#heardAtS <= this.#options.clock.nowS();
    if (this.#isHeard && !isHeardNow) this.#onSilence(`has sent nothing for ${Math.round(this.leaseS * 1e3)} ms`);
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

  /** Called when another operator took over: this one gives way, except for a stop. */
  onControlLost(): void {
    this.#isInControl = false;
    this.#let();
  }

  close(): void {
    if (!this.isClosed) this.#options.onClose?.();
    this.isClosed = true;
    this.giveBack();
  }

  /** True if requested motion moves the robot: in control, enabled, heard within the lease. */
  protected get passesMotion(): boolean {
    return this.#isMoving;
  }

  /** True while messages arrive: the lease of the last one is running. */
  protected get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Takes over. A stop remains. */
  protected takeOver(): void {
    this.#isInControl = true;
  }

  /** Requests a stop by the operator, or another person (`by`), which leaves control unchanged. The first one is named. */
  protected stop(by = `the ${this.#kind.subject}`): void {
    if (!this.#isStopped) this.#stoppedBy = by;
    this.#isStopped = true;
    this.#let();
  }

  /** True while a message that arrived at `receivedAtS` counts; false for one that waited too long, or has no time. */
  protected isFresh(receivedAtS: number): boolean {
    return this.#options.clock.nowS() - receivedAtS <= this.leaseS;
  }

  /** Renews the last message: a device that reports only changes is present, and has reported none. */
  protected renew(): void {
    if (this.#isHeard) this.#heardAtS = this.#options.clock.nowS();
  }

  /** Reports that the device can no longer be read: takes effect at once, as silence does after the lease. */
  protected lose(how = 'can no longer be read'): void {
    if (this.#isHeard) this.#onSilence(how);
  }

  /** Reports that the device's messages cannot be trusted: it is lost, which is reported once even if no operator drove. */
  protected distrust(how: string): void {
    const wasDriving = this.#isHeard && this.#isInControl && !this.#isStopped;
    this.lose(how);
    if (wasDriving || this.#isDistrusted) return;
    this.#isDistrusted = true;
    this.#options.onEvent?.({
      row: 11,
      name: 'malformed',
      message: `The ${this.#kind.subject} ${how}; it counts as unplugged until it is reopened.`,
      remedy:
        'Check that device in operators names the right one (rein doctor lists them), and try another port or cable.',
    });
  }

  /** Takes `action` as received at `receivedAtS`, which must be fresh. */
  protected hear(enablingSwitch: 'held' | 'released', receivedAtS: number): void {
    // A time in the future must not prolong the lease.
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
    // An operator who is gone has no control to continue with.
    this.#isInControl = false;
    this.#isStopped = true;
    this.#stoppedBy = `the loss of the ${subject}`;
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
