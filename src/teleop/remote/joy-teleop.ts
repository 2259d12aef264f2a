/**
 * Teleoperation from `sensor_msgs/Joy`: the operator takes over by pressing the enabling button and moves while holding
 * it. Releasing it holds the robot and keeps control; only giving back ends it. Silence of a joystick in control stops
 * the robot.
 */
import { allFinite, clamp } from '../../model/index.ts';
import { FIRST_STEP_SCALE, faster, slower } from '../step-scales.ts';
import type { OperatorHeard } from '../teleop-source.ts';
import { type JoyButton, type JoyButtons, type JoyMapping, type JoyPadName, padMisfit } from './joy-pads.ts';
import { RemoteOperator, type RemoteOptions } from './remote-operator.ts';

/** The relevant part of `sensor_msgs/Joy`. */
export interface JoyMessage {
  readonly axes: ArrayLike<number>;
  readonly buttons: ArrayLike<number>;
}

export interface JoyTeleopOptions
  extends RemoteOptions,
    Partial<Pick<OperatorHeard, 'onMark' | 'onRewind' | 'onCritical'>> {
  readonly mapping: JoyMapping;
  /** Share of a stick's travel that counts as its middle, [0, 0.5]; 0.1 by default. */
  readonly deadzone?: number;
  /** Initial action for a stick at its end, (0, 1]; 0.5 by default. */
  readonly speed?: number;
  /**
   * `asTold`: a NaN axis exists, but has not been reported yet: it is neither in its middle nor moved. Else such a
   * message is malformed.
   */
  readonly axes?: 'complete' | 'asTold';
  /** Name of the operator and of the device in messages; by default `joy`, a joystick. */
  readonly device?: { readonly name: string; readonly subject: string };
  /** Expected pad of a remote sender: a message with other numbers of axes and buttons is from another pad, and counts as malformed. */
  readonly pad?: JoyPadName | undefined;
  /** True while another device of this operator enables motion, such as a pedal, as the enabling button does. */
  readonly isEnabledElsewhere?: (() => boolean) | undefined;
  /** The same for recovery. */
  readonly isRecoveringElsewhere?: (() => boolean) | undefined;
}

const DEFAULT_DEADZONE = 0.1;
const PRESSED = 0.5;

interface Stick {
  readonly axis: number;
  readonly sign: 1 | -1;
  readonly dimension: number;
}

type Role = keyof JoyButtons;

export class JoyTeleop extends RemoteOperator {
  readonly name: string;
  readonly #options: JoyTeleopOptions;
  readonly #sticks: readonly Stick[];
  readonly #roles: readonly (readonly [Role, JoyButton])[];
  readonly #deadzone: number;
  /** Roles held in the last message; those in the first one count as held before, so that nothing is triggered by it. */
  #held: ReadonlySet<Role> | undefined;
  #scale: number;
  #misfit: string | undefined;

  /** Throws `RangeError` for a mapping onto a dimension that the action does not have, and for values out of range. */
  constructor(options: JoyTeleopOptions) {
    const { action, mapping, deadzone = DEFAULT_DEADZONE, speed = FIRST_STEP_SCALE, device } = options;
    super(options, { subject: device?.subject ?? 'joystick', silence: 'isDropout' });
    this.name = device?.name ?? 'joy';
    this.#scale = speed;
    if (!(speed > 0 && speed <= 1)) throw new RangeError(`speed must be > 0 and ≤ 1, got ${speed}`);
    if (!(deadzone >= 0 && deadzone <= 0.5)) throw new RangeError(`deadzone must be ≥ 0 and ≤ 0.5, got ${deadzone}`);
    this.#options = options;
    this.#deadzone = deadzone;
    this.#sticks = mapping.sticks.map(({ axis, moves, sign }) => {
      const names = action.dimensions.map((dimension) => dimension.name);
      const dimension = names.indexOf(moves);
      if (dimension < 0)
        throw new RangeError(`no dimension of the action is called ${moves}; there are ${names.join(', ')}`);
      return { axis, sign, dimension };
    });
    this.#roles = Object.entries(mapping.buttons) as [Role, JoyButton][];
  }

  /** Action for a stick at its end, (0, 1]. */
  get stepScale(): number {
    return this.#scale;
  }

  /** Reason why the newest message is not one of `pad`; `undefined` if it may be. */
  get misfit(): string | undefined {
    return this.#misfit;
  }

  /** Takes a message that arrived at `receivedAtS` of the clock. Never throws: an invalid one is counted, and treated as silence. */
  onJoy(message: JoyMessage, receivedAtS: number): void {
    if (this.isClosed) return;
    if (!this.#fits(message)) {
      this.counters.malformed++;
      return;
    }
    if (!this.isFresh(receivedAtS)) {
      this.counters.stale++;
      return;
    }
    this.counters.taken++;
    // A gap counts even if there was no poll during it.
    this.watch();
    const before = this.#held;
    const held = new Set(this.#roles.filter(([, button]) => isPressed(message, button)).map(([role]) => role));
    if (this.#options.isEnabledElsewhere?.() === true) held.add('enable');
    if (this.#options.isRecoveringElsewhere?.() === true) held.add('recover');
    const isPressedNow = (role: Role): boolean => held.has(role) && before?.has(role) === false;
    this.#held = held;
    if (isPressedNow('enable')) this.takeOver();
    this.#readSticks(message);
    this.phase = held.has('recover') ? 'recover' : 'correct';
    this.hear(held.has('enable') ? 'held' : 'released', receivedAtS);
    if (isPressedNow('stop')) this.stop();
    if (isPressedNow('giveBack') && !this.isStopRequested) this.giveBack();
    if (isPressedNow('success')) this.#options.onMark?.('success');
    if (isPressedNow('failure')) this.#options.onMark?.('failure');
    if (isPressedNow('rewind')) this.#options.onRewind?.();
    if (isPressedNow('critical')) this.#options.onCritical?.();
    if (isPressedNow('slower')) this.#scale = slower(this.#scale);
    if (isPressedNow('faster')) this.#scale = faster(this.#scale);
  }

  /** Detects a dropout without waiting for the next poll. */
  override watch(): void {
    super.watch();
    // Buttons held when it comes back do not count as pressed then.
    if (!this.isHeard) this.#held = undefined;
  }

  /** Mapped sticks and the buttons that enable and stop must exist; other missing buttons count as released. */
  #fits(message: JoyMessage): boolean {
    const { pad } = this.#options;
    this.#misfit = pad && padMisfit(pad, message);
    if (this.#misfit !== undefined) return false;
    const { axes, buttons } = message;
    const areKnown = allFinite(this.#options.axes === 'asTold' ? Array.from(axes, (value) => value || 0) : axes);
    if (!areKnown || !allFinite(buttons)) return false;
    const { enable, stop } = this.#options.mapping.buttons;
    return (
      isThere(message, enable) &&
      (stop === undefined || isThere(message, stop)) &&
      this.#sticks.every(({ axis }) => axis < axes.length)
    );
  }

  #readSticks({ axes }: JoyMessage): void {
    const { action } = this;
    action.fill(0);
    for (const { axis, sign, dimension } of this.#sticks) {
      // An unknown axis passes no motion, and is not neutral.
      if (Number.isNaN(axes[axis])) action[dimension] = Number.NaN;
      const value = clamp(axes[axis]!, -1, 1);
      const beyond = Math.max(0, Math.abs(value) - this.#deadzone) / (1 - this.#deadzone);
      if (beyond > 0) action[dimension] = sign * Math.sign(value) * beyond * this.#scale;
    }
  }
}

/** True if the device has the button. */
export function isThere({ axes, buttons }: JoyMessage, button: JoyButton): boolean {
  return 'button' in button ? button.button < buttons.length : button.axis < axes.length;
}

function isPressed({ axes, buttons }: JoyMessage, button: JoyButton): boolean {
  if ('button' in button) return (buttons[button.button] ?? 0) !== 0;
  return (axes[button.axis] ?? 0) * button.sign > PRESSED;
}
