/**
 * Gamepads by Linux's event interface, `/dev/input/event*`, for machines without joydev (kernel:
 * Documentation/input/event-codes.rst). States are those of joydev. A device reports only changes after opening, not
 * its state: buttons count as released until pressed, and the position of a stick is unknown until it is moved.
 */
import { clamp } from '../../model/index.ts';
import type { JoyMessage } from '../remote/joy-teleop.ts';
import { type EvdevPad, isHat } from './evdev-layout.ts';
import type { Report } from './input-port.ts';
import type { PadParser } from './joydev.ts';
import { inputEvents } from './key-events.ts';

const [SYN, KEY, ABS] = [0x00, 0x01, 0x03];
const SYN_REPORT = 0;
const BTN_MISC = 0x100;
/** Value of a key event repeated while the key is held. */
const REPEAT = 2;

export class EvdevPadParser implements PadParser {
  readonly #pad: EvdevPad;
  /** NaN: not reported yet. A hat (cross) is centred by a spring: it starts in its middle. */
  readonly #axes: number[];
  readonly #buttons: number[];
  #hasBegun = false;

  constructor(pad: EvdevPad) {
    this.#pad = pad;
    this.#axes = pad.axes.map(restOf);
    this.#buttons = pad.buttons.map(() => 0);
  }

  feed(report: Uint8Array, onState: (state: JoyMessage) => void): Report {
    const state = { axes: this.#axes, buttons: this.#buttons };
    let fits = true;
    const found = inputEvents(report, (type, code, value) => {
      // The initial state precedes the first event, so that a press counts as one.
      if (!this.#hasBegun) onState(state);
      this.#hasBegun = true;
      if (!fits) return;
      if (type === SYN && code === SYN_REPORT) onState(state);
      else if (type === KEY && code >= BTN_MISC && value !== REPEAT) fits = this.#press(code, value);
      else if (type === ABS) fits = this.#move(code, value);
    });
    return fits ? found : 'malformed';
  }

  reset(): void {
    this.#pad.axes.forEach((axis, i) => {
      this.#axes[i] = restOf(axis);
    });
    this.#buttons.fill(0);
    this.#hasBegun = false;
  }

  /** Returns true if the device has the button. */
  #press(code: number, value: number): boolean {
    const at = this.#pad.buttons.indexOf(code);
    if (at >= 0) this.#buttons[at] = value;
    return at >= 0;
  }

  /** Left and forward are +1, as in `sensor_msgs/Joy`: the kernel's sign inverted. */
  #move(code: number, value: number): boolean {
    const at = this.#pad.axes.findIndex((axis) => axis.code === code);
    const range = this.#pad.axes[at]?.range;
    if (range === undefined) return at >= 0;
    const middle = Math.ceil((range[0] + range[1]) / 2);
    this.#axes[at] = 0 - clamp((value - middle) / (range[1] - middle), -1, 1);
    return true;
  }
}

function restOf({ code }: EvdevPad['axes'][number]): number {
  return isHat(code) ? 0 : Number.NaN;
}
