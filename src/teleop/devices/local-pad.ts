/**
 * A gamepad or six-axis mouse that hangs on this machine: a `JoyTeleop` whose messages come from a device that is read, so that taking over,
 * enabling, dead zone and stop are those of a joystick over ROS.
 *
 * A device on a cable tells of changes alone. That it can be read is its sign of life: what it said last is said again whenever it is
 * looked at, and one that was unplugged drops out at once, with no lease to wait for. So does one whose words mean nothing: what it said
 * last would go on for ever.
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
   * `hold`: motion passes while the enabling button is held. `latch`: pressing it takes over, and pressing it again gives back; in between
   * motion passes, for devices that spring back to neutral in an open hand.
   */
  readonly enabling: 'hold' | 'latch';
  /** One line for displays on which buttons do what. */
  readonly hint: string;
}

export class LocalPad extends JoyTeleop {
  readonly hint: string;
  readonly #options: LocalPadOptions;
  readonly #nowS: () => number;
  readonly #enable: JoyMapping['buttons']['enable'];
  /** What the mapping needs and the device has not; `undefined` before it has said what it has. */
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

  /** Reads what is new, and sees at once where the device is gone. */
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
    // A pedal may have changed where the pad has not.
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
    // A snapshot ends with axes: before, it is half of one.
    if (said.axes.length === 0) return;
    this.#lacking ??= this.#tellLacking(said);
    const state = this.#lacking === 'nothing' ? said : this.#completed(said);
    this.onJoy(this.#options.enabling === 'latch' ? this.#latched(state) : state, this.#nowS());
  }

  /** What it has not stands in its middle and is not pressed. */
  #completed({ axes, buttons }: JoyMessage): JoyMessage {
    const [all, pressed] = [Array.from(axes), Array.from(buttons)];
    for (const { axis } of this.#options.mapping.sticks) while (all.length <= axis) all.push(0);
    for (const needed of [this.#enable, this.#options.mapping.buttons.stop]) {
      if (needed !== undefined && 'button' in needed) while (pressed.length <= needed.button) pressed.push(0);
    }
    return { axes: all, buttons: pressed };
  }

  /** Says once what cannot be done with this device, as it is mapped. */
  #tellLacking(state: JoyMessage): 'nothing' | 'something' {
    const { mapping, device, isEnabledElsewhere, onEvent } = this.#options;
    const still = mapping.sticks.filter(({ axis }) => axis >= state.axes.length);
    const hasEnable = isThere(state, this.#enable);
    const { stop } = mapping.buttons;
    const hasStop = stop === undefined || isThere(state, stop);
    const lacking = still.map(({ moves, axis }) => `axis ${axis}, which moves ${moves}`);
    if (!hasEnable && isEnabledElsewhere === undefined) lacking.push('the button that enables: it moves nothing');
    if (!hasStop) lacking.push('the button that stops: stop at the terminal, the page or a pedal');
    if (lacking.length > 0) {
      const message = `The ${device.subject} lacks ${lacking.join(', and ')}.`;
      const remedy = 'Say which pad it is (pad: xbox, playstation or stick in operators), or add a pedal that enables.';
      onEvent?.({ row: 11, name: 'malformed', message, remedy });
    }
    return still.length === 0 && hasEnable && hasStop ? 'nothing' : 'something';
  }

  /** The same with the enabling button as it was latched. */
  #latched({ axes, buttons }: JoyMessage): JoyMessage {
    const enable = this.#enable;
    if (!('button' in enable)) return { axes, buttons };
    // Whoever lost control, or was stopped, begins with a press of their own.
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
