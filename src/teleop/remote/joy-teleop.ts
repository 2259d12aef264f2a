/**
 * Teleoperation from `sensor_msgs/Joy`: a person takes over by pressing the enabling button and moves while holding it.
 * Releasing it holds the robot and keeps control; only giving back ends it. A joystick that falls silent in control
 * stops the robot.
 */
import { type ActionSpec, allFinite, type Clock, clamp } from '../../core/index.ts';
import { SLOWEST_STEP_SCALE, STEP_SCALES } from '../step-scales.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';
import type { JoyButton, JoyButtons, JoyMapping } from './joy-pads.ts';
import { DEFAULT_LEASE_S, RemoteOperator } from './remote-operator.ts';
import type { TeleopEvent } from './teleop-event.ts';

/** The part of `sensor_msgs/Joy` that counts. */
export interface JoyMessage {
  readonly axes: ArrayLike<number>;
  readonly buttons: ArrayLike<number>;
}

export interface JoyTeleopOptions {
  readonly action: ActionSpec;
  readonly mapping: JoyMapping;
  readonly clock: Clock;
  /**
   * How long one message counts, s, ≤ 0.15; 0.1 by default, which needs messages at 30 Hz or more. `joy_node` repeats at
   * 20 Hz unless told otherwise (`autorepeat_rate`): then take 0.15.
   */
  readonly leaseS?: number;
  /** Share of a stick's way that counts as its middle, [0, 0.5]; 0.1 by default. */
  readonly deadzone?: number;
  /** A stick that has not changed for so long is let go of, s; 5 by default. */
  readonly stuckAfterS?: number;
  readonly onEvent?: (event: TeleopEvent) => void;
  /** The person says how the episode ended. */
  readonly onMark?: (outcome: 'success' | 'failure') => void;
}

const DEFAULT_DEADZONE = 0.1;
const PRESSED = 0.5;
const FIRST_STEP_SCALE = 0.5;

interface Stick {
  readonly axis: number;
  readonly sign: 1 | -1;
  readonly dimension: number;
}

type Role = keyof JoyButtons;

export class JoyTeleop implements TeleopSource {
  readonly name = 'joy';
  readonly decidedBy = 'human';
  /** Messages taken, too old, and not fit for the mapping. */
  readonly counters: { taken: number; stale: number; malformed: number } = { taken: 0, stale: 0, malformed: 0 };

  readonly #options: JoyTeleopOptions;
  readonly #sticks: readonly Stick[];
  readonly #roles: readonly (readonly [Role, JoyButton])[];
  readonly #deadzone: number;
  readonly #operator: RemoteOperator;
  /** Roles held in the last message; those of the first one count as held before, so that nothing begins by itself. */
  #held: ReadonlySet<Role> | undefined;
  #scale = FIRST_STEP_SCALE;
  #isClosed = false;

  /** Throws `RangeError` for a mapping onto a dimension that the action does not have, and for numbers out of range. */
  constructor(options: JoyTeleopOptions) {
    const { action, mapping, clock, deadzone = DEFAULT_DEADZONE } = options;
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
    this.#operator = new RemoteOperator({
      ...{ subject: 'joystick', actionSize: action.dimensions.length, clock },
      ...{ leaseS: options.leaseS ?? DEFAULT_LEASE_S, silence: 'isDropout' },
      ...(options.stuckAfterS === undefined ? {} : { stuckAfterS: options.stuckAfterS }),
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
    });
  }

  get isStopRequested(): boolean {
    return this.#operator.isStopped;
  }

  get isInControl(): boolean {
    return this.#operator.isInControl;
  }

  /** Action for a stick at its end, (0, 1]. */
  get stepScale(): number {
    return this.#scale;
  }

  /** Takes a message that arrived at `receivedAtS` of the clock. Never throws: what does not fit is counted, and is silence. */
  onJoy(message: JoyMessage, receivedAtS: number): void {
    if (this.#isClosed) return;
    if (!this.#fits(message)) {
      this.counters.malformed++;
      return;
    }
    if (!this.#operator.isFresh(receivedAtS)) {
      this.counters.stale++;
      return;
    }
    this.counters.taken++;
    // A gap that nobody has polled in is a gap all the same.
    this.watch();
    const before = this.#held;
    const held = new Set(this.#roles.filter(([, button]) => isPressed(message, button)).map(([role]) => role));
    const isPressedNow = (role: Role): boolean => held.has(role) && before?.has(role) === false;
    this.#held = held;
    if (isPressedNow('enable')) this.#operator.takeOver();
    this.#readSticks(message);
    this.#operator.phase = held.has('recover') ? 'recover' : 'correct';
    this.#operator.hear(held.has('enable') ? 'held' : 'released', receivedAtS);
    if (isPressedNow('stop')) this.#operator.stop();
    if (isPressedNow('giveBack') && !this.#operator.isStopped) this.#operator.giveBack();
    if (isPressedNow('success')) this.#options.onMark?.('success');
    if (isPressedNow('failure')) this.#options.onMark?.('failure');
    if (isPressedNow('slower')) this.#scale = STEP_SCALES.findLast((s) => s < this.#scale) ?? SLOWEST_STEP_SCALE;
    if (isPressedNow('faster')) this.#scale = STEP_SCALES.find((s) => s > this.#scale) ?? 1;
  }

  /** See `TeleopSource`. Uses its own clock, not `_nowS`, which may be simulated. */
  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.watch();
    this.#operator.fill(out);
  }

  /** Sees a dropout without waiting for the next poll. */
  watch(): void {
    this.#operator.watch();
    // Whatever is held when it comes back was not pressed now.
    if (!this.#operator.isHeard) this.#held = undefined;
  }

  /** Control and a stop outlast an episode. */
  reset(): void {
    this.watch();
  }

  giveBack(): void {
    this.#operator.giveBack();
  }

  onControlLost(): void {
    this.#operator.giveWay();
  }

  close(): void {
    this.#isClosed = true;
    this.#operator.giveBack();
  }

  #fits({ axes, buttons }: JoyMessage): boolean {
    if (!allFinite(axes) || !allFinite(buttons)) return false;
    const hasSticks = this.#sticks.every(({ axis }) => axis < axes.length);
    return (
      hasSticks && this.#roles.every(([, b]) => ('button' in b ? b.button < buttons.length : b.axis < axes.length))
    );
  }

  #readSticks({ axes }: JoyMessage): void {
    const { action } = this.#operator;
    action.fill(0);
    for (const { axis, sign, dimension } of this.#sticks) {
      const value = clamp(axes[axis]!, -1, 1);
      const beyond = Math.max(0, Math.abs(value) - this.#deadzone) / (1 - this.#deadzone);
      if (beyond > 0) action[dimension] = sign * Math.sign(value) * beyond * this.#scale;
    }
  }
}

function isPressed({ axes, buttons }: JoyMessage, button: JoyButton): boolean {
  if ('button' in button) return buttons[button.button] !== 0;
  return axes[button.axis]! * button.sign > PRESSED;
}
