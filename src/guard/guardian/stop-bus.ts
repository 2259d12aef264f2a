/** Writes the stop frames synchronously, without an event loop or any allocation that could wait. */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { STOP_GAP_MS, STOP_REPEATS } from './protocol.ts';

/** Time for which a full bus is retried, ms. */
const FULL_BUS_MS = 50;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Opens a non-blocking descriptor on the bus. Throws the errors of `open`. */
export function openBus(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
}

/** The bus at a path, which may disconnect and reconnect while it is watched. */
export class StopBus {
  readonly #path: string;
  readonly #frames: Uint8Array;
  #fd: number;

  /** Opens the bus. Throws the errors of `open`. */
  constructor(path: string, frames: Uint8Array) {
    this.#path = path;
    this.#frames = frames;
    this.#fd = openBus(path);
  }

  /**
   * Reopens the path: a descriptor on an unplugged adapter stays dead after it is plugged in again. False if it cannot be opened;
   * the previous descriptor is kept. Never throws.
   */
  reopen(): boolean {
    try {
      const fd = openBus(this.#path);
      closeSync(this.#fd);
      this.#fd = fd;
      return true;
    } catch {
      return false;
    }
  }

  /** Like `writeStopFrames`, and once more if the bus was disconnected and can be reopened. */
  stop(): number {
    const repeats = writeStopFrames(this.#fd, this.#frames);
    return repeats > 0 || !this.reopen() ? repeats : writeStopFrames(this.#fd, this.#frames);
  }
}

/** Concatenates all frames. */
export function joinFrames(stopFrames: readonly string[]): Uint8Array {
  return Buffer.concat(stopFrames.map((digits) => Buffer.from(digits, 'hex')));
}

/** Writes `frames` to `fd` three times; returns the number of complete repeats. Takes 16 ms on a responsive bus. Never throws. */
export function writeStopFrames(fd: number, frames: Uint8Array): number {
  let whole = 0;
  for (let repeat = 0; repeat < STOP_REPEATS; repeat++) {
    if (repeat > 0) sleep(STOP_GAP_MS);
    if (writeWhole(fd, frames)) whole++;
  }
  return whole;
}

function writeWhole(fd: number, bytes: Uint8Array): boolean {
  const untilMs = performance.now() + FULL_BUS_MS;
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > untilMs) return false;
      sleep(1);
    }
  }
  return true;
}

function sleep(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}
