/**
 * Gamepads and joysticks by Linux's joystick interface, `/dev/input/js*` (kernel: Documentation/input/joydev/joystick-api.rst).
 *
 * Why not evdev for these: an evdev axis is a bare number whose range is known to the ioctl EVIOCGABS alone, which Node cannot make
 * and sysfs does not tell; a range learned by moving sticks is wrong until both ends were seen. After an overflow (SYN_DROPPED) evdev's
 * state has to be asked for by ioctls too. joydev gives axes as ±32767 by the driver's own calibration, begins with a snapshot of
 * everything, gives another one after an overflow, and numbers axes and buttons as `joy_node` does, so that the pads of
 * `remote/joy-pads.ts` are the same on a cable and over ROS. Pedals are keys, which need no range: they come by evdev.
 */
import type { JoyMessage } from '../remote/joy-teleop.ts';

/** `struct js_event`: time (u32, ms), value (s16), type (u8), number (u8), of the machine's byte order. */
const EVENT_BYTES = 8;
const BUTTON = 0x01;
const AXIS = 0x02;
/** Part of a snapshot, not something that somebody did. */
const INITIAL = 0x80;
const FULL = 32_767;

/** What reports say of sticks and buttons. */
export interface PadParser {
  /** Calls `onState` for each state that `report` leads to, in order; its arrays are reused. Bytes that mean nothing are passed over. */
  feed(report: Uint8Array, onState: (state: JoyMessage) => void): void;
  /** The device came back: what was known of it means nothing. */
  reset(): void;
}

/** Axes as `sensor_msgs/Joy` has them: left and forward are +1, the kernel's sign turned. */
export class JoydevParser implements PadParser {
  #axes: number[] = [];
  #buttons: number[] = [];
  readonly #rest: number[] = [];

  feed(report: Uint8Array, onState: (state: JoyMessage) => void): void {
    let isSnapshot = false;
    for (const byte of report) {
      this.#rest.push(byte);
      if (this.#rest.length < EVENT_BYTES) continue;
      const view = new DataView(Uint8Array.from(this.#rest.splice(0)).buffer);
      const type = view.getUint8(6);
      const isInitial = (type & INITIAL) !== 0;
      // A snapshot counts as a whole, before what was done after it.
      if (isSnapshot && !isInitial) onState(this.#state);
      isSnapshot = isInitial;
      this.#set(type & ~INITIAL, view.getUint8(7), view.getInt16(4, true));
      if (!isInitial) onState(this.#state);
    }
    if (isSnapshot) onState(this.#state);
  }

  reset(): void {
    this.#axes = [];
    this.#buttons = [];
    this.#rest.length = 0;
  }

  get #state(): JoyMessage {
    return { axes: this.#axes, buttons: this.#buttons };
  }

  #set(type: number, index: number, value: number): void {
    if (type === BUTTON) put(this.#buttons, index, value === 0 ? 0 : 1);
    // +0 for the middle: −0 would count as a change.
    else if (type === AXIS) put(this.#axes, index, value === 0 ? 0 : -value / FULL);
  }
}

function put(list: number[], index: number, value: number): void {
  while (list.length <= index) list.push(0);
  list[index] = value;
}
