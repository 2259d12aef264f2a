/** Devices in the hand of a test: a gamepad that says what joydev would, a pedal, a six-axis mouse, and a leader arm. */
import type { InputPort, LeaderArm } from '../../src/teleop/index.ts';

/** `struct js_event`: 1 is a button, 2 an axis, with 0x80 what it is at the beginning. */
export function joyEvent(type: number, index: number, value: number): Uint8Array {
  const event = new DataView(new ArrayBuffer(8));
  event.setInt16(4, value, true);
  event.setUint8(6, type);
  event.setUint8(7, index);
  return new Uint8Array(event.buffer);
}

/** `struct input_event` of a key. */
export function keyEvent(code: number, value: 0 | 1): Uint8Array {
  const event = new DataView(new ArrayBuffer(24));
  event.setUint16(16, 1, true);
  event.setUint16(18, code, true);
  event.setInt32(20, value, true);
  return new Uint8Array(event.buffer);
}

/** What a hand does is said once somebody looks, unless the device is unplugged before. */
class HandPort implements InputPort {
  protected waiting: Uint8Array[] = [];
  #isThere = true;
  /** What was opened before a device was unplugged never works again (ENODEV), however soon it is plugged in. */
  #isLossDue = false;

  get isThere(): boolean {
    return this.#isThere;
  }

  unplug(): void {
    this.#isThere = false;
    this.#isLossDue = true;
    this.waiting = [];
  }

  plugIn(): void {
    this.#isThere = true;
  }

  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' {
    const isGone = this.#isLossDue || !this.#isThere;
    this.#isLossDue = false;
    if (isGone) return 'gone';
    for (const report of this.waiting.splice(0)) onReport(report);
    return 'there';
  }

  drop(): void {
    this.plugIn();
  }

  close(): void {}
}

/** A pad of 11 buttons and 8 axes, as an Xbox pad is one. */
export class HandPad extends HandPort {
  readonly #buttons: number[] = new Array<number>(11).fill(0);
  readonly #axes: number[] = new Array<number>(8).fill(0);

  constructor() {
    super();
    this.plugIn();
  }

  /** The stick's way as people see it: forward and left are +1. */
  axis(index: number): number {
    return this.#axes[index]!;
  }

  isHeld(index: number): boolean {
    return this.#buttons[index] === 1;
  }

  press(index: number, value: 0 | 1): void {
    this.#buttons[index] = value;
    this.waiting.push(joyEvent(1, index, value));
  }

  push(index: number, share: number): void {
    this.#axes[index] = share;
    this.waiting.push(joyEvent(2, index, Math.round(-32_767 * share)));
  }

  override plugIn(): void {
    super.plugIn();
    this.waiting = [
      ...this.#buttons.map((value, i) => joyEvent(0x81, i, value)),
      ...this.#axes.map((share, i) => joyEvent(0x82, i, Math.round(-32_767 * share))),
    ];
  }
}

/** A pedal: keys that are down when it is plugged in are not said to be. */
export class HandPedal extends HandPort {
  readonly #held = new Set<number>();

  isHeld(code: number): boolean {
    return this.isThere && this.#held.has(code);
  }

  press(code: number, value: 0 | 1): void {
    if (!this.isThere) return;
    if (value === 1) this.#held.add(code);
    else this.#held.delete(code);
    this.waiting.push(keyEvent(code, value));
  }

  override unplug(): void {
    super.unplug();
    this.#held.clear();
  }
}

/** A six-axis mouse of one report a change. */
export class HandMouse extends HandPort {
  /** Where its cap is: forward is +1. */
  cap = 0;

  push(share: number): void {
    if (!this.isThere) return;
    this.cap = share;
    const report = new DataView(new ArrayBuffer(13));
    report.setUint8(0, 1);
    report.setInt16(3, Math.round(-350 * share), true);
    this.waiting.push(new Uint8Array(report.buffer));
  }

  /** Bit 0 is the left button, bit 1 the right one. */
  press(bits: number): void {
    if (this.isThere) this.waiting.push(Uint8Array.of(3, bits, 0));
  }

  override unplug(): void {
    super.unplug();
    this.cap = 0;
  }
}

/** A passive leader. */
export class HandArm implements LeaderArm {
  readonly positionRad: Float64Array;
  isThere = true;

  constructor(positionRad: ArrayLike<number>) {
    this.positionRad = Float64Array.from(positionRad);
  }

  read(): 'ok' | 'lost' {
    return this.isThere ? 'ok' : 'lost';
  }

  close(): void {}
}
