/**
 * An operator at a terminal's keyboard. Taking over and giving back are explicit; in between, a held motion key moves
 * and without a key the robot holds still. The terminal's mode is always restored.
 */
import type { ActionSpec, Clock } from '../model/index.ts';
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
  /** True while the operator signals recovery by another device. */
  readonly isRecoveringElsewhere?: (() => boolean) | undefined;
  /** Called for Ctrl+C, which raw mode keeps from becoming a signal. Absent: the signal is raised after all. */
  readonly onInterrupt?: () => void;
  /** Called when control ended by itself: no key was pressed for `LEASE_S`. */
  readonly onExpired?: () => void;
  /** Called for `?`; `help` is one line per group of keys. */
  readonly onHelp?: (help: string) => void;
}

/** Keyboard state for displays. */
export interface KeyboardState extends OperatorEcho {
  /** True if the terminal has gone away. */
  readonly isLost: boolean;
  /** Time of the last key, seconds of the clock. */
  readonly lastKeyAtS: number;
}

/** Silence after which control by this operator ends, s; a stop stays until the operator lifts it. */
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
  /** Actions of the non-motion keys, by name. */
  readonly #acts: Readonly<Record<string, () => void>> = {
    interrupt: () => this.#interrupt(),
    t: () => this.#onTakeOver(),
    g: () => this.giveBack(),
    // The operator lets the robot continue: their own stop ends as well.
    c: () => this.liftStop(),
    // Not used for giving back: half an arrow key's sequence looks the same.
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

  /** Puts a terminal into raw mode; other byte streams work as well. */
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

  /** True if the terminal has gone away. */
  get isLost(): boolean {
    return this.#state.isLost;
  }

  /** Key legend for the operator: lines that fit a terminal of 80 columns. */
  get help(): string {
    const motion = this.#motion.help(this.#options.action);
    // Marks are offered only if they are handled.
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

  /** Begins a new episode: keys count as released; control is kept, unless the terminal has gone away. */
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

  /** As `c`: control returns to its previous holder. */
  liftStop(): void {
    this.#update({ isStopped: false });
  }

  /** Called when another operator took over: this one gives way, except for a stop. */
  onControlLost(): void {
    this.#motion.release();
    this.#update({ isInControl: false });
  }

  /** Restores the terminal and lets the process end. Idempotent. */
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

  /** Repeating it while in control only lifts a stop, so that a repeated key does no harm. */
  #onTakeOver(): void {
    if (!this.state.isInControl || this.state.isStopped) this.#motion.release();
    this.#update({ isInControl: true, isStopped: false });
  }

  #interrupt(): void {
    if (this.#options.onInterrupt !== undefined) {
      this.#options.onInterrupt();
      return;
    }
    // Without a handler the signal ends the process at once, and the terminal would not be restored.
    if (process.listenerCount('SIGINT') === 0) this.#terminal.close();
    process.kill(process.pid, 'SIGINT');
  }

  /** As `g`, after `LEASE_S` without a key. A lost terminal keeps control until the end of the episode. */
  #expire(nowS: number): void {
    const { isInControl, isStopped, isLost, lastKeyAtS } = this.#state;
    if (!isInControl || isStopped || isLost || nowS - lastKeyAtS < LEASE_S) return;
    this.#motion.release();
    this.#update({ isInControl: false });
    this.#options.onExpired?.();
  }

  /**
   * The operator can no longer be heard: if they were in control, the robot holds still and the policy stays out until
   * the next episode. A requested stop remains.
   */
  #onLost(): void {
    this.#motion.release();
    this.#update({ isLost: true });
  }

  #update(change: Partial<KeyboardState>): void {
    this.#state = { ...this.#state, ...change };
  }
}
