/** Devices in the hand of a test: a gamepad that says what joydev would, and a leader arm. */
import type { InputPort, LeaderArm } from '../../src/teleop/index.ts';

/** `struct js_event`: 1 is a button, 2 an axis, with 0x80 what it is at the beginning. */
export function joyEvent(type: number, index: number, value: number): Uint8Array {
  const event = new DataView(new ArrayBuffer(8));
  event.setInt16(4, value, true);
  event.setUint8(6, type);
  event.setUint8(7, index);
  return new Uint8Array(event.buffer);
}

/** A pad of 11 buttons and 8 axes, as an Xbox pad is one. */
export class HandPad implements InputPort {
  readonly #buttons: number[] = new Array<number>(11).fill(0);
  readonly #axes: number[] = new Array<number>(8).fill(0);
  #waiting: Uint8Array[] = [];
  #isThere = true;

  constructor() {
    this.plugIn();
  }

  get isThere(): boolean {
    return this.#isThere;
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
    this.#waiting.push(joyEvent(1, index, value));
  }

  push(index: number, share: number): void {
    this.#axes[index] = share;
    this.#waiting.push(joyEvent(2, index, Math.round(-32_767 * share)));
  }

  unplug(): void {
    this.#isThere = false;
    this.#waiting = [];
  }

  plugIn(): void {
    this.#isThere = true;
    this.#waiting = [
      ...this.#buttons.map((value, i) => joyEvent(0x81, i, value)),
      ...this.#axes.map((share, i) => joyEvent(0x82, i, Math.round(-32_767 * share))),
    ];
  }

  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' {
    if (!this.#isThere) return 'gone';
    for (const report of this.#waiting.splice(0)) onReport(report);
    return 'there';
  }

  drop(): void {
    this.plugIn();
  }

  close(): void {}
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
