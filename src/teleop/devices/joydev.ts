/**
 * Gamepads and joysticks by Linux's joystick interface, `/dev/input/js*` (kernel:
 * Documentation/input/joydev/joystick-api.rst).
 *
 * Preferred to evdev (`evdev-pad.ts`): joydev scales axes to ±32767 by the driver's own calibration, begins with a
 * snapshot of everything, sends another one after an overflow, and numbers axes and buttons as `joy_node` does, so that
 * the pads of `remote/joy-pads.ts` are the same on a cable and over ROS. An evdev axis is a bare number whose range,
 * and initial value, are available only by ioctls, which Node cannot call.
 */
import type { JoyMessage } from '../remote/joy-teleop.ts';
import type { Report } from './input-port.ts';

/** `struct js_event`: time (u32, ms), value (s16), type (u8), number (u8), of the machine's byte order. */
const EVENT_BYTES = 8;
const BUTTON = 0x01;
const AXIS = 0x02;
/** Part of a snapshot, not an event caused by the operator. */
const INITIAL = 0x80;
const FULL = 32_767;
/** Axes that Linux has names for (ABS_CNT). */
const AXES = 64;

/** Parser of a device's reports into stick and button states. */
export interface PadParser {
  /** Calls `onState` for each state that `report` leads to, in order, up to the first invalid event; its arrays are reused. */
  feed(report: Uint8Array, onState: (state: JoyMessage) => void): Report;
  /** Called when the device came back: the known state is void. */
  reset(): void;
}

/** Axes as in `sensor_msgs/Joy`: left and forward are +1, the kernel's sign inverted. The kernel delivers whole events only. */
export class JoydevParser implements PadParser {
  #axes: number[] = [];
  #buttons: number[] = [];

  feed(report: Uint8Array, onState: (state: JoyMessage) => void): Report {
    if (report.length % EVENT_BYTES !== 0) return 'malformed';
    const view = new DataView(report.buffer, report.byteOffset, report.byteLength);
    let isSnapshot = false;
    for (let at = 0; at < report.length; at += EVENT_BYTES) {
      const type = view.getUint8(at + 6);
      const isInitial = (type & INITIAL) !== 0;
      // A snapshot counts as a whole, before later events.
      if (isSnapshot && !isInitial) onState(this.#state);
      isSnapshot = isInitial;
      if (!this.#set(type & ~INITIAL, view.getUint8(at + 7), view.getInt16(at + 4, true))) return 'malformed';
      if (!isInitial) onState(this.#state);
    }
    if (isSnapshot) onState(this.#state);
    return 'whole';
  }

  reset(): void {
    this.#axes = [];
    this.#buttons = [];
  }

  get #state(): JoyMessage {
    return { axes: this.#axes, buttons: this.#buttons };
  }

  /** Returns true if joydev has such an event. */
  #set(type: number, index: number, value: number): boolean {
    if (type === BUTTON && (value === 0 || value === 1)) put(this.#buttons, index, value);
    // +0 for the middle: −0 would count as a change.
    else if (type === AXIS && index < AXES) put(this.#axes, index, value === 0 ? 0 : -value / FULL);
    else return false;
    return true;
  }
}

function put(list: number[], index: number, value: number): void {
  while (list.length <= index) list.push(0);
  list[index] = value;
}
