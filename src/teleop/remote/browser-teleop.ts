/**
 * Teleoperation from a page in a browser: keys, a gamepad, fingers on a screen or a hand tracked by WebXR, read by the
 * page and sent as motion requests. Each message returns the stamp of the newest frame that the page had shown, and
 * counts for its lease from that stamp on: one that waited in a network, or comes from a page that is frozen or
 * receives nothing, is too old to move anything.
 */
import { allFinite, type Clock, clamp } from '../../model/index.ts';
import type { MotionFrame } from '../devices/motion-frame.ts';
import type { SourcePose, TeleopCommand, TeleopSource } from '../teleop-source.ts';
import { RemoteOperator, type RemoteOptions } from './remote-operator.ts';

/** Input of a page, sent in response to each frame. */
export interface BrowserInput {
  /** `FrameView.sentAtS` of the newest frame that the page had, s of the robot machine's monotonic clock. */
  readonly shownAtS: number;
  /** The enabling switch: the page has the operator's attention, and the button or key for it is held. */
  readonly isEnabled: boolean;
  /** True while the operator recovers; else they correct. */
  readonly isRecovering: boolean;
  /** [A] normalised, [−1, 1]. */
  readonly action: readonly number[];
  /** Frame of `action`; the base by default. */
  readonly frame?: 'tool' | undefined;
  /** Pose of a tracked hand, in place of an action: it moves the robot only while its clutch is closed. */
  readonly pose?: BrowserPose | undefined;
}

export interface BrowserPose {
  /** Number of the clutch's closing: incremented at each, 0 while it is open. */
  readonly closing: number;
  /** [A] m and rad, in the action's dimensions. */
  readonly at: readonly number[];
}

/** Device and operator of a page that takes over. */
export interface BrowserOnset {
  readonly shownAtS: number;
  readonly device: string;
  readonly by?: string;
}

export interface BrowserOptions extends Omit<RemoteOptions, 'frame'> {
  /** Orientation of the tool, for messages in its frame. Absent: these move nothing. */
  readonly toolFrame?: MotionFrame | undefined;
}

/**
 * A page receives frames at 50 Hz and responds at once: two periods and a wireless network's worst usual round trip
 * fit. More than half a second is for simulations only.
 */
const BROWSER_LEASE = { defaultS: 0.25, mostS: 1.5 };

export class BrowserTeleop extends RemoteOperator {
  readonly name = 'browser';
  /** Input device of the page, e.g. `keyboard` or a gamepad's name; recorded with the operator's actions. */
  device = '';
  /** Name of the operator, as entered at the page. */
  person = '';
  readonly #clock: Clock;
  readonly #toolFrame: MotionFrame | undefined;
  readonly #hand: SourcePose & { closing: number; readonly pose: Float64Array };
  /** The page's own closing number; ours never restarts. */
  #closingOfPage = 0;
  #closings = 0;
  #isHand = false;
  #isOfTool = false;
  #ageS = 0;

  constructor(options: BrowserOptions) {
    super(options, { subject: "operator's page", silence: 'isDropout', lease: BROWSER_LEASE });
    this.#clock = options.clock;
    this.#toolFrame = options.toolFrame;
    this.#hand = { source: this.name, closing: 0, pose: new Float64Array(options.action.dimensions.length) };
  }

  get network(): TeleopSource['network'] {
    return { ageMs: 1e3 * this.#ageS, leaseMs: 1e3 * this.leaseS };
  }

  override poll(observation: Float32Array, nowS: number, out: TeleopCommand): void {
    super.poll(observation, nowS, out);
    if (this.#isOfTool) this.#toolFrame?.apply(out.action);
    this.#hand.closing = this.passesMotion && this.#closingOfPage !== 0 ? this.#closings : 0;
    out.absolute = this.#isHand ? this.#hand : undefined;
  }

  /**
   * Begins control by an operator, after a button press: the robot holds until they move. Requires a message of their
   * page within its lease.
   */
  begin({ shownAtS, device, by = '' }: BrowserOnset): boolean {
    if (this.isClosed || !this.#isShown(shownAtS)) return false;
    this.device = device;
    this.person = by;
    this.action.fill(0);
    // Another page may use the same closing numbers.
    this.#closingOfPage = 0;
    this.takeOver();
    this.hear('released', shownAtS);
    return true;
  }

  /** Takes a message. Never throws: an invalid one is counted, and treated as silence. */
  onInput({ shownAtS, isEnabled, isRecovering, action, frame, pose }: BrowserInput): void {
    if (this.isClosed) return;
    const isOfTool = frame === 'tool';
    const isMeant =
      this.#fits(action) && this.#fits(pose?.at ?? action) && (!isOfTool || this.#toolFrame !== undefined);
    if (!isMeant || !Number.isFinite(shownAtS)) {
      this.counters.malformed++;
      return;
    }
    this.#ageS = this.#clock.nowS() - shownAtS;
    // A gap counts even if there was no poll during it.
    this.watch();
    if (!this.#isShown(shownAtS)) {
      this.counters.stale++;
      return;
    }
    this.counters.taken++;
    if (!this.isInControl) return;
    this.#isOfTool = isOfTool;
    this.#isHand = pose !== undefined;
    if (pose !== undefined) this.#track(pose);
    for (let i = 0; i < action.length; i++) this.action[i] = pose === undefined ? clamp(action[i]!, -1, 1) : 0;
    this.phase = isRecovering ? 'recover' : 'correct';
    this.hear(isEnabled ? 'held' : 'released', shownAtS);
  }

  /** Stops the robot, on request of any page, including guests; it stays stopped until a resume or reset. `by`: their name. */
  stopNow(by: string): void {
    this.stop(`${by} at the page`);
  }

  /** True if the page's last frame is recent enough; a stamp of the future cannot have been shown. */
  #isShown(shownAtS: number): boolean {
    return this.isFresh(shownAtS) && shownAtS <= this.#clock.nowS();
  }

  #fits(numbers: readonly number[]): boolean {
    return numbers.length === this.action.length && allFinite(numbers);
  }

  #track({ closing, at }: BrowserPose): void {
    if (closing !== this.#closingOfPage && closing !== 0) this.#closings++;
    this.#closingOfPage = closing;
    this.#hand.pose.set(at);
  }
}
