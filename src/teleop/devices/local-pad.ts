/**
 * A gamepad or six-axis mouse plugged into this machine: a `JoyTeleop` whose messages are read from a device, so that
 * taking over, enabling, dead zone and stop are those of a joystick over ROS.
 *
 * A wired device reports only changes. Being readable is its sign of life: its last state is repeated at every poll,
 * and unplugging it is a dropout at once, without waiting for a lease. So is an untrustworthy report: the last state
 * would persist for ever.
 */
import type { JoyMapping } from '../remote/joy-pads.ts';
import { isThere, type JoyMessage, JoyTeleop, type JoyTeleopOptions } from '../remote/joy-teleop.ts';
import { type InputPort, LOSS_TEXT, type Loss, pullThrough } from './input-port.ts';
import type { PadParser } from './joydev.ts';

export interface LocalPadOptions extends JoyTeleopOptions {
  readonly port: InputPort;
  readonly parser: PadParser;
  readonly device: { readonly name: string; readonly subject: string };
  /**
   * `hold`: motion passes while the enabling button is held. `latch`: pressing it takes over, and pressing it again
   * gives back; in between motion passes, for devices that spring back to neutral when released.
   */
  readonly enabling: 'hold' | 'latch';
  /** Button legend for displays, in one line. */
  readonly hint: string;
}

export class LocalPad extends JoyTeleop {
  readonly hint: string;
  readonly #options: LocalPadOptions;
  readonly #nowS: () => number;
  readonly #enable: JoyMapping['buttons']['enable'];
  /** Whether the mapping needs axes or buttons that the device lacks; `undefined` before its first state. */
  #lacking: 'nothing' | 'something' | undefined;
  #last: JoyMessage | undefined;
  #isPulling = false;
  #isLatched = false;
  #wasPressed = true;

  constructor(options: LocalPadOptions) {
    super({ ...options, axes: 'asTold' });
    this.#options = options;
    this.hint = options.hint;
    this.#nowS = () => options.clock.nowS();
    this.#enable = options.mapping.buttons.enable;
  }

  /** Reads new reports, and detects a lost device at once. */
  override watch(): void {
    if (!this.#isPulling && !this.isClosed) this.#pull();
    super.watch();
  }

  override close(): void {
    super.close();
    this.#options.port.close();
  }

  #pull(): void {
    const { port, parser } = this.#options;
    this.#isPulling = true;
    this.renew();
    let hasNews = false;
    const found = pullThrough(port, (report) =>
      parser.feed(report, (state) => {
        hasNews = true;
        this.#last = state;
        this.#hear(state);
      }),
    );
    if (found !== 'there') this.#forget(found);
    // A pedal may have changed even if the pad has not.
    else if (!hasNews && this.#last !== undefined) this.#hear(this.#last);
    this.#isPulling = false;
  }

  #forget(loss: Loss): void {
    this.#last = undefined;
    this.#lacking = undefined;
    this.#isLatched = false;
    this.#wasPressed = true;
    this.#options.parser.reset();
    if (loss === 'gone') this.lose();
    else this.distrust(LOSS_TEXT[loss]);
  }

  #hear(said: JoyMessage): void {
    // A snapshot ends with axes: without them it is incomplete.
    if (said.axes.length === 0) return;
    this.#lacking ??= this.#tellLacking(said);
    const state = this.#lacking === 'nothing' ? said : this.#completed(said);
    this.onJoy(this.#options.enabling === 'latch' ? this.#latched(state) : state, this.#nowS());
  }

  /** Adds missing axes as centred and missing buttons as released. */
  #completed({ axes, buttons }: JoyMessage): JoyMessage {
    const [all, pressed] = [Array.from(axes), Array.from(buttons)];
    for (const { axis } of this.#options.mapping.sticks) while (all.length <= axis) all.push(0);
    for (const needed of [this.#enable, this.#options.mapping.buttons.stop]) {
      if (needed !== undefined && 'button' in needed) while (pressed.length <= needed.button) pressed.push(0);
    }
    return { axes: all, buttons: pressed };
  }

  /** Reports once which mapped functions this device lacks. */
  #tellLacking(state: JoyMessage): 'nothing' | 'something' {
    const { mapping, device, isEnabledElsewhere, onEvent } = this.#options;
    const still = mapping.sticks.filter(({ axis }) => axis >= state.axes.length);
    const hasEnable = isThere(state, this.#enable);
    const { stop } = mapping.buttons;
    const hasStop = stop === undefined || isThere(state, stop);
    const lacking = still.map(({ moves, axis }) => `axis ${axis}, which moves ${moves}`);
    if (!hasEnable && isEnabledElsewhere === undefined) lacking.push('the enable button: it moves nothing');
    if (!hasStop) lacking.push('the stop button: stop at the terminal, the page or a pedal');
    if (lacking.length > 0) {
      const message = `The ${device.subject} lacks ${lacking.join(', and ')}.`;
      const remedy = 'Set its layout (pad: xbox, playstation or stick in operators), or add a pedal that enables.';
      onEvent?.({ row: 11, name: 'malformed', message, remedy });
    }
    return still.length === 0 && hasEnable && hasStop ? 'nothing' : 'something';
  }

  /** Returns the state with the enabling button as latched. */
  #latched({ axes, buttons }: JoyMessage): JoyMessage {
    const enable = this.#enable;
    if (!('button' in enable)) return { axes, buttons };
    // After losing control, or a stop, the operator has to press again.
    if (!this.isInControl || this.isStopRequested) this.#isLatched = false;
    const isPressed = buttons[enable.button] !== 0;
    if (isPressed && !this.#wasPressed) this.#onPress();
    this.#wasPressed = isPressed;
    const written = Array.from(buttons);
    written[enable.button] = this.#isLatched ? 1 : 0;
    return { axes, buttons: written };
  }

  #onPress(): void {
    if (this.#isLatched) this.giveBack();
    this.#isLatched = !this.#isLatched;
  }
}
