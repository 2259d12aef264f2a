/**
 * Teleoperation from a page in a browser: keys, a gamepad, fingers on a screen or a hand that WebXR tracks, read by the page and sent as what they ask for.
 * Each message gives back the stamp of the newest frame that the page had shown, and counts for its lease from that stamp on: one
 * that waited in a network, or comes from a page that stands still or sees nothing, is too old to move anything.
 */
import { allFinite, type Clock, clamp } from '../../core/index.ts';
import type { MotionFrame } from '../devices/motion-frame.ts';
import type { SourcePose, TeleopCommand, TeleopSource } from '../teleop-source.ts';
import { RemoteOperator, type RemoteOptions } from './remote-operator.ts';

/** What a page asks for, as often as it is told where the robot is. */
export interface BrowserInput {
  /** `FrameView.sentAtS` of the newest frame that the page had, s of the robot machine's monotonic clock. */
  readonly shownAtS: number;
  /** The enabling switch: the page has the person's attention, and the button or key for it is held. */
  readonly isEnabled: boolean;
  /** The person recovers; else they correct. */
  readonly isRecovering: boolean;
  /** [A] normalised, [−1, 1]. */
  readonly action: readonly number[];
  /** In whose directions `action` is; the base's where nothing is said. */
  readonly frame?: 'tool' | undefined;
  /** Where a tracked hand is, in place of an action: it moves the robot only while its clutch is closed. */
  readonly pose?: BrowserPose | undefined;
}

export interface BrowserPose {
  /** Number of the closing of its clutch: another at each, 0 while it is open. */
  readonly closing: number;
  /** [A] m and rad, in the action's dimensions. */
  readonly at: readonly number[];
}

/** What a page takes over with, and who sits at it. */
export interface BrowserOnset {
  readonly shownAtS: number;
  readonly device: string;
  readonly by?: string;
}

export interface BrowserOptions extends Omit<RemoteOptions, 'frame'> {
  /** Directions of the tool, for messages that are in its frame. Absent: they move nothing. */
  readonly toolFrame?: MotionFrame | undefined;
}

/**
 * A page hears at 50 Hz and answers at once: two periods and a wireless network's worst usual round trip fit. More than half a second is for
 * simulations alone.
 */
const BROWSER_LEASE = { defaultS: 0.25, mostS: 1.5 };

export class BrowserTeleop extends RemoteOperator {
  readonly name = 'browser';
  /** What the page reads its input from, e.g. `keyboard` or a gamepad's name; recorded with what the person does. */
  device = '';
  /** Their name, as they gave it at the page. */
  person = '';
  readonly #clock: Clock;
  readonly #toolFrame: MotionFrame | undefined;
  readonly #hand: SourcePose & { closing: number; readonly pose: Float64Array };
  /** Of the page's numbers; ours never begin anew. */
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

  /** A person takes over, by a button: the robot holds until they move. Their page has to be heard within its lease. */
  begin({ shownAtS, device, by = '' }: BrowserOnset): boolean {
    if (this.isClosed || !this.#isShown(shownAtS)) return false;
    this.device = device;
    this.person = by;
    this.action.fill(0);
    // Another page may count its closings alike.
    this.#closingOfPage = 0;
    this.takeOver();
    this.hear('released', shownAtS);
    return true;
  }

  /** Takes a message. Never throws: what does not fit is counted, and is silence. */
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
    // A gap that nobody has polled in is a gap all the same.
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

  /** Anybody who watches stops the robot; it stays stopped until a resume or reset. `by`: their name. */
  stopNow(by: string): void {
    this.stop(`${by} at the page`);
  }

  /** What the page had shown is young enough; what it cannot have seen yet, a stamp of the future, is nothing that it saw. */
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
