/** Writing the stop frames: synchronous, with no event loop and nothing allocated that could wait. */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { STOP_GAP_MS, STOP_REPEATS } from './protocol.ts';

/** A bus that takes nothing is tried again for so long, ms. */
const FULL_BUS_MS = 50;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** A descriptor of its own on the bus, that never waits. Throws what `open` throws. */
export function openBus(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
}

/** The bus at a path, which may hang up and come back while it is watched. */
export class StopBus {
  readonly #path: string;
  readonly #frames: Uint8Array;
  #fd: number;

  /** Opens it. Throws what `open` throws. */
  constructor(path: string, frames: Uint8Array) {
    this.#path = path;
    this.#frames = frames;
    this.#fd = openBus(path);
  }

  /**
   * Opens the path anew: a descriptor on an adapter that was unplugged stays dead when it is plugged in again. False where
   * it cannot be opened; the one before is kept. Never throws.
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

  /** As `writeStopFrames`, and once more where the bus had hung up and can be opened again. */
  stop(): number {
    const repeats = writeStopFrames(this.#fd, this.#frames);
    return repeats > 0 || !this.reopen() ? repeats : writeStopFrames(this.#fd, this.#frames);
  }
}

/** All frames as one piece of bytes. */
export function joinFrames(stopFrames: readonly string[]): Uint8Array {
  return Buffer.concat(stopFrames.map((digits) => Buffer.from(digits, 'hex')));
}

/** Writes `frames` to `fd` three times; returns how many repeats went out whole. Takes 16 ms on a bus that takes them. Never throws. */
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
