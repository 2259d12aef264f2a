/**
 * Keys of a Linux input device by evdev, `/dev/input/event*` (kernel: Documentation/input/input.rst, include/uapi/linux/input.h): foot
 * pedals, which are keyboards of few keys.
 */

/** Of `struct input_event`: two longs of time, type (u16), code (u16), value (s32), of the machine's byte order. */
const TIME_BYTES: number = ['arm', 'ia32'].includes(process.arch) ? 8 : 16;
const EVENT_BYTES: number = TIME_BYTES + 8;
const [SYN, KEY] = [0x00, 0x01];
/** Events were lost: which keys are held is not known any more. */
const SYN_DROPPED = 3;

/** Names and codes of keys as in `linux/input-event-codes.h`: what pedals send. */
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

export interface KeyEvents {
  /** A key went down or came up; repeats by the kernel are none. */
  onKey(code: number, change: 'down' | 'up'): void;
  /** Events were lost: nothing counts as held. */
  onLost(): void;
}

/** Keeps what is unfinished between reports. */
export class KeyEventParser {
  readonly #rest: number[] = [];

  feed(report: Uint8Array, events: KeyEvents): void {
    for (const byte of report) {
      this.#rest.push(byte);
      if (this.#rest.length < EVENT_BYTES) continue;
      const view = new DataView(Uint8Array.from(this.#rest.splice(0)).buffer);
      const [type, code, value] = [
        view.getUint16(TIME_BYTES, true),
        view.getUint16(TIME_BYTES + 2, true),
        view.getInt32(TIME_BYTES + 4, true),
      ];
      if (type === SYN && code === SYN_DROPPED) events.onLost();
      else if (type === KEY && (value === 0 || value === 1)) events.onKey(code, value === 1 ? 'down' : 'up');
    }
  }

  reset(): void {
    this.#rest.length = 0;
  }
}
