/**
 * An operator who is only heard of by messages: control, enabling, lease and stop, the same for joysticks and twists. Nothing
 * is queued: the newest command counts, and only for its lease. Control ends by explicit acts, never by silence.
 */
import type { Clock } from '../../core/index.ts';
import { Enabling } from '../enabling.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import type { TeleopEvent } from './teleop-event.ts';

export interface RemoteOperatorOptions {
  /** Name in messages: `joystick`. */
  readonly subject: string;
  readonly actionSize: number;
  /** Real time: an operator does not follow simulated time. The clock of the messages' times of arrival. */
  readonly clock: Clock;
  /** Lease of one message, s: > 0 and ≤ `LONGEST_LEASE_S`. */
  readonly leaseS: number;
  /** A command other than zero that has not changed for so long is let go of, s; 5 by default. */
  readonly stuckAfterS?: number;
  /** Meaning of silence in control: always a dropout, or only where the last command moved something. */
  readonly silence: 'isDropout' | 'isDropoutInMotion';
  readonly onEvent?: (event: TeleopEvent) => void;
}

/** Wired devices have 0.1 s; three periods of joy_node's default 20 Hz are 0.15 s. */
export const DEFAULT_LEASE_S = 0.1;
export const LONGEST_LEASE_S = 0.15;
const STUCK_AFTER_S = 5;

/** Pure but for its memory and clock. */
export class RemoteOperator {
  /** [A] what the newest message asks for, normalised. Written by whoever reads messages, before `hear`. */
  readonly action: Float32Array;
  phase: 'recover' | 'correct' = 'correct';

  readonly #options: RemoteOperatorOptions;
  readonly #enabling: Enabling;
  #heardAtS = Number.NEGATIVE_INFINITY;
  #isHeard = false;
  #isHeld = false;
  #isMoving = false;
  #isInControl = false;
  #isStopped = false;

  /** Throws `RangeError` for a lease that is not in (0, 0.15] s. */
  constructor(options: RemoteOperatorOptions) {
    if (!(options.leaseS > 0 && options.leaseS <= LONGEST_LEASE_S)) {
      throw new RangeError(`leaseS must be > 0 and ≤ ${LONGEST_LEASE_S}, got ${options.leaseS}`);
    }
    this.#options = options;
    this.action = new Float32Array(options.actionSize);
    this.#enabling = new Enabling({ stuckAfterS: options.stuckAfterS ?? STUCK_AFTER_S });
  }

  get isInControl(): boolean {
    return this.#isInControl;
  }

  /** Stopped by a dropout or by the operator, until `giveBack`. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Messages come: the lease of the last one runs. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** The operator takes over. A stop stays. */
  takeOver(): void {
    this.#isInControl = true;
  }

  /** The operator asks for a stop. */
  stop(): void {
    this.#isInControl = true;
    this.#isStopped = true;
    this.#let();
  }

  /** Ends control and stop: an explicit act, of the operator or of a resume or reset. */
  giveBack(): void {
    this.#isInControl = false;
    this.#isStopped = false;
    this.#let();
  }

  /** Another operator took over: this one gives way, except for a stop. */
  giveWay(): void {
    if (this.#isStopped) return;
    this.giveBack();
  }

  /** True while a message that arrived at `receivedAtS` counts; one that waited too long, or has no time, does not. */
  isFresh(receivedAtS: number): boolean {
    return this.#options.clock.nowS() - receivedAtS <= this.#options.leaseS;
  }

  /** Takes `action` as heard at `receivedAtS`, which must be fresh. */
  hear(enablingSwitch: 'held' | 'released', receivedAtS: number): void {
    // A time to come must not make the lease longer.
    this.#heardAtS = Math.min(receivedAtS, this.#options.clock.nowS());
    this.#isHeard = true;
    this.#isHeld = enablingSwitch === 'held';
    this.#judge();
  }

  /** Sees dropouts and stuck sticks; call it at least once a policy step, better every 20 ms. */
  watch(): void {
    if (this.#isHeard && !this.isFresh(this.#heardAtS)) this.#onSilence();
    else if (this.#isHeard) this.#judge();
  }

  fill(out: TeleopCommand): void {
    this.watch();
    out.active = this.#isInControl;
    out.phase = this.phase;
    if (this.#isMoving) out.action.set(this.action);
    else out.action.fill(0);
  }

  #judge(): void {
    const { clock, subject, onEvent, stuckAfterS = STUCK_AFTER_S } = this.#options;
    const wasMoving = this.#isMoving;
    const isHeld = this.#isHeld && this.#isInControl && !this.#isStopped;
    this.#isMoving = this.#enabling.update(isHeld ? 'held' : 'released', this.action, clock.nowS());
    if (!wasMoving || this.#isMoving || !isHeld) return;
    onEvent?.({
      row: 20,
      name: 'teleopStuck',
      message: `The ${subject} asked for the same motion for ${stuckAfterS} s; it counts as stuck and the robot holds.`,
      remedy: 'Let the stick go to its middle, then move on.',
    });
  }

  #onSilence(): void {
    const { subject, leaseS, silence, onEvent } = this.#options;
    const isMoved = this.#isMoving && this.action.some((value) => value !== 0);
    this.#isHeard = false;
    this.#let();
    if (!this.#isInControl || this.#isStopped) return;
    if (silence === 'isDropoutInMotion' && !isMoved) return;
    this.#isStopped = true;
    onEvent?.({
      row: 18,
      name: 'teleopLost',
      message: `The ${subject} was in control and has not been heard for ${Math.round(leaseS * 1e3)} ms; the robot stops and stays.`,
      remedy: 'Bring it back, then reset; the policy goes on only after an explicit resume.',
    });
  }

  #let(): void {
    this.action.fill(0);
    this.#isHeld = false;
    this.#isMoving = false;
    this.#enabling.update('released', this.action, this.#options.clock.nowS());
  }
}
