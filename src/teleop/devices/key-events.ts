/**
 * Keys of a Linux input device by evdev, `/dev/input/event*` (kernel: Documentation/input/input.rst,
 * include/uapi/linux/input.h): foot pedals, which are keyboards with few keys.
 */
import type { Report } from './input-port.ts';

/** Time field of `struct input_event`: two longs of time, type (u16), code (u16), value (s32), of the machine's byte order. */
const TIME_BYTES: number = ['arm', 'ia32'].includes(process.arch) ? 8 : 16;
const EVENT_BYTES: number = TIME_BYTES + 8;
const [SYN, KEY] = [0x00, 0x01];
/** EV_SYN to EV_SW, EV_LED, EV_SND, EV_REP to EV_FF_STATUS: all existing types. */
const TYPES: readonly number[] = [SYN, KEY, 0x02, 0x03, 0x04, 0x05, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17];
const KEY_MAX = 0x2ff;
/** Events were lost: held keys, and presses meanwhile, are unknown. */
const SYN_DROPPED = 3;

/** Names and codes of the keys that pedals send, as in `linux/input-event-codes.h`. */
export const KEY_CODES: Readonly<Record<string, number>> = {
  ...rowOf(['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'], 2),
  ...rowOf([...'QWERTYUIOP'], 16),
  KEY_ENTER: 28,
  ...rowOf([...'ASDFGHJKL'], 30),
  ...rowOf([...'ZXCVBNM'], 44),
  KEY_SPACE: 57,
  ...rowOf(['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10'], 59),
  KEY_F11: 87,
  KEY_F12: 88,
  KEY_PAGEUP: 104,
  KEY_PAGEDOWN: 109,
  ...rowOf(['F13', 'F14', 'F15', 'F16', 'F17', 'F18', 'F19', 'F20', 'F21', 'F22', 'F23', 'F24'], 183),
  BTN_LEFT: 272,
  BTN_RIGHT: 273,
  BTN_MIDDLE: 274,
};

function rowOf(names: readonly string[], first: number): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [`KEY_${name}`, first + i]));
}

/** Calls `onEvent` for each event of a report, up to the first invalid one. The kernel delivers whole events only. */
export function inputEvents(report: Uint8Array, onEvent: (type: number, code: number, value: number) => void): Report {
  if (report.length % EVENT_BYTES !== 0) return 'malformed';
  const view = new DataView(report.buffer, report.byteOffset, report.byteLength);
  for (let at = TIME_BYTES; at < report.length; at += EVENT_BYTES) {
    const [type, code, value] = [view.getUint16(at, true), view.getUint16(at + 2, true), view.getInt32(at + 4, true)];
    if (type === SYN && code === SYN_DROPPED) return 'dropped';
    // Key values: 0 up, 1 down, 2 repeated by the kernel while held.
    const isKey = code <= KEY_MAX && value >= 0 && value <= 2;
    if (!TYPES.includes(type) || (type === KEY && !isKey)) return 'malformed';
    onEvent(type, code, value);
  }
  return 'whole';
}

/** Calls `onKey` for each key of `report` that went down or came up; repeats by the kernel are skipped. */
export function keyEvents(report: Uint8Array, onKey: (code: number, change: 'down' | 'up') => void): Report {
  return inputEvents(report, (type, code, value) => {
    if (type === KEY && value !== 2) onKey(code, value === 1 ? 'down' : 'up');
  });
}
