/**
 * A person at a terminal's keyboard. Taking over and giving back are explicit; in between, a held motion key moves and
 * no key means hold still. The terminal's raw mode is put back whatever happens.
 */
import type { ActionSpec, Clock } from '../core/index.ts';
import { Enabling } from './enabling.ts';
import { type Key, KeyParser } from './key-parser.ts';
import { DEFAULT_HOLD_WINDOWS, type HoldWindows, MotionKeys } from './motion-keys.ts';
import { RawTerminal, type TerminalInput } from './raw-terminal.ts';
import { FIRST_STEP_SCALE, faster, slower } from './step-scales.ts';
import type { OperatorEcho, OperatorHeard, TeleopCommand, TeleopSource } from './teleop-source.ts';

export interface KeyboardOptions extends Partial<OperatorHeard> {
  /** Usually `process.stdin`. */
  readonly input: TerminalInput;
  /** Real time: a hand does not follow simulated time. */
  readonly clock: Clock;
  readonly action: ActionSpec;
  readonly windows?: HoldWindows;
  /** Whether they say, by another device, that what they do is recovery. */
  readonly isRecoveringElsewhere?: (() => boolean) | undefined;
  /** Ctrl+C, which raw mode keeps from becoming a signal. Absent: the signal is raised after all. */
  readonly onInterrupt?: () => void;
  /** Control ended by itself: nothing was pressed for `LEASE_S`. */
  readonly onExpired?: () => void;
  /** `?` was pressed; `help` is one line per group of keys. */
  readonly onHelp?: (help: string) => void;
}

/** What a display shows of the keyboard. */
export interface KeyboardState extends OperatorEcho {
  /** The terminal has gone away. */
  readonly isLost: boolean;
  /** When the last key came, seconds of the clock. */
  readonly lastKeyAtS: number;
}

/** A person in control of whom nothing was heard for this long has gone; a stop stays until they take it back, s. */
const LEASE_S = 30;

const FIRST_STATE: KeyboardState = {
  isInControl: false,
  isStopped: false,
  isLost: false,
  lastKey: '',
  lastKeyAtS: 0,
  stepScale: FIRST_STEP_SCALE,
};

export class KeyboardTeleop implements TeleopSource {
  readonly name = 'keyboard';
  readonly decidedBy = 'human';
  readonly stoppedBy = 'space at the terminal';
  readonly hint: string;
  readonly #options: KeyboardOptions;
  readonly #terminal: RawTerminal;
  readonly #parser = new KeyParser();
  readonly #motion: MotionKeys;
  readonly #enabling = new Enabling();
  #state: KeyboardState = FIRST_STATE;
  /** What keys do that move nothing, by their names. */
  readonly #acts: Readonly<Record<string, () => void>> = {
    interrupt: () => this.#interrupt(),
    t: () => this.#onTakeOver(),
    g: () => this.giveBack(),
    // The person lets the robot go on: their own stop is over as well.
    c: () => this.liftStop(),
    // Not a way to give back: half an arrow key's sequence looks the same.
    escape: () => this.#motion.release(),
    ' ': () => {
      this.#motion.release();
      this.#update({ isStopped: true });
    },
    '[': () => this.#update({ stepScale: slower(this.state.stepScale) }),
    ']': () => this.#update({ stepScale: faster(this.state.stepScale) }),
    b: () => this.#options.onRewind?.(),
    p: () => this.#options.onCritical?.(),
    m: () => this.#options.onMark?.('success'),
    n: () => this.#options.onMark?.('failure'),
    enter: () => this.#options.onSkip?.(),
    backspace: () => this.#options.onRedo?.(),
    '?': () => this.#options.onHelp?.(this.help),
  };

  /** Puts the terminal into raw mode where it is one; another stream of bytes works as well. */
  constructor(options: KeyboardOptions) {
    this.#options = options;
    const mark = options.onMark === undefined ? '' : 'm/n mark  ';
    this.hint = `t take over  g give back  space stop  c continue  ${mark}? keys`;
    this.#motion = new MotionKeys(options.action, options.windows ?? DEFAULT_HOLD_WINDOWS);
    this.#terminal = new RawTerminal(options.input, {
      onBytes: (bytes) => this.#onBytes(bytes),
      onLost: () => this.#onLost(),
    });
  }

  /** The newest state. */
  get state(): KeyboardState {
    return this.#state;
  }

  get echo(): OperatorEcho {
    return this.#state;
  }

  get isStopRequested(): boolean {
    return this.#state.isStopped;
  }

  get isInControl(): boolean {
    return this.#state.isInControl;
  }

  /** The terminal has gone away. */
  get isLost(): boolean {
    return this.#state.isLost;
  }

  /** What the keys do, for people: lines that fit a terminal of 80 columns. */
  get help(): string {
    const motion = this.#motion.help(this.#options.action);
    // Marks are offered where somebody listens to them.
    const marks = this.#options.onMark === undefined ? '' : 'm/n success/failure  ';
    const back = this.#options.onRewind === undefined ? '' : 'b go back the way it came  ';
    const critical = this.#options.onCritical === undefined ? '' : 'p critical phase  ';
    return `t take over  g give back  space stop  c continue after a stop\n${marks}${back}${critical}? help  Ctrl+C quit\n${motion}  (Shift: recovery)  [/] slower/faster`;
  }

  /** See `TeleopSource`. Uses its own clock, not `_nowS`, which may be simulated. */
  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    const nowS = this.#options.clock.nowS();
    for (const key of this.#parser.idle(nowS)) this.#onKey(key, nowS);
    this.#expire(nowS);
    const { isInControl, isStopped, stepScale } = this.#state;
    out.active = isInControl || isStopped;
    out.phase = this.#motion.fill(out.action, stepScale, nowS);
    if (this.#options.isRecoveringElsewhere?.() === true) out.phase = 'recover';
    const isHeld = isInControl && !isStopped;
    if (!this.#enabling.update(isHeld ? 'held' : 'released', out.action, nowS)) out.action.fill(0);
  }

  /** A new episode: keys count as released; control stays where it is, unless the terminal has gone away. */
  reset(): void {
    this.#motion.release();
    const { isInControl, isStopped, isLost } = this.#state;
    if (isLost && isInControl && !isStopped) this.#update({ isInControl: false });
  }

  /** As `g`. */
  giveBack(): void {
    this.#motion.release();
    this.#update({ isInControl: false, isStopped: false });
  }

  /** As `c`: who had the arm before has it again. */
  liftStop(): void {
    this.#update({ isStopped: false });
  }

  /** Another operator took over: this one gives way, except for a stop. */
  onControlLost(): void {
    this.#motion.release();
    this.#update({ isInControl: false });
  }

  /** Puts the terminal back as it was and lets the process end. Idempotent. */
  close(): void {
    this.#terminal.close();
    this.#motion.release();
  }

  #onBytes(bytes: Uint8Array): void {
    const nowS = this.#options.clock.nowS();
    for (const key of this.#parser.feed(bytes, nowS)) this.#onKey(key, nowS);
  }

  #onKey(key: Key, nowS: number): void {
    this.#update({ lastKey: key.name, lastKeyAtS: nowS });
    const act = this.#acts[key.name];
    if (act !== undefined) act();
    else if (this.state.isInControl && !this.state.isStopped) this.#motion.press(key, nowS);
  }

  /** Taking over again while in control changes nothing but a stop, so that a repeated key does no harm. */
  #onTakeOver(): void {
    if (!this.state.isInControl || this.state.isStopped) this.#motion.release();
    this.#update({ isInControl: true, isStopped: false });
  }

  #interrupt(): void {
    if (this.#options.onInterrupt !== undefined) {
      this.#options.onInterrupt();
      return;
    }
    // Without a handler the signal ends the process at once, and nothing would put the terminal back.
    if (process.listenerCount('SIGINT') === 0) this.#terminal.close();
    process.kill(process.pid, 'SIGINT');
  }

  /** As `g`, when nothing was heard for `LEASE_S`. A lost terminal keeps control until the episode is over. */
  #expire(nowS: number): void {
    const { isInControl, isStopped, isLost, lastKeyAtS } = this.#state;
    if (!isInControl || isStopped || isLost || nowS - lastKeyAtS < LEASE_S) return;
    this.#motion.release();
    this.#update({ isInControl: false });
    this.#options.onExpired?.();
  }

  /**
   * The person can no longer be heard: if they had control, the robot holds still and the policy stays out until the
   * next episode. Where they had asked for a stop it stays stopped.
   */
  #onLost(): void {
    this.#motion.release();
    this.#update({ isLost: true });
  }

  #update(change: Partial<KeyboardState>): void {
    this.#state = { ...this.#state, ...change };
  }
}
