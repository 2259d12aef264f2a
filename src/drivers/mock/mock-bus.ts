/**
 * Byte bus of the mock robot, to observe from outside what is sent: references, torque on and off, and the guardian's
 * stop. One frame is `RB` (2 bytes), kind u8, joints u8, count u32, joints × double (rad), CRC-32C u32 over all that;
 * little-endian.
 */
import { closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { ReinError } from '../../model/index.ts';
import { crc32c } from '../../rows/index.ts';
import type { DriverBus, DriverStatus } from '../driver.ts';

/** `stop` is sent by the guardian, the others by the driver. */
export const MOCK_FRAME = { reference: 1, torqueOn: 2, torqueOff: 3, stop: 4 } as const;

const MAGIC = 0x4252; // "RB"
const HEAD_BYTES = 8;
const CRC_BYTES = 4;

/** Driver's end of the bus. */
export class MockBus implements DriverBus {
  readonly path: string;
  readonly stopFrames: readonly Uint8Array[];
  readonly #frame: Uint8Array;
  readonly #view: DataView;
  readonly #checked: Uint8Array;
  #fd = -1;
  #count = 0;

  constructor(path: string, joints: number) {
    this.path = path;
    this.#frame = encode(MOCK_FRAME.reference, 0, new Array<number>(joints).fill(0));
    // After a truncated frame, the bytes that follow are taken as its rest: zeros complete it first, with a wrong checksum.
    this.stopFrames = [new Uint8Array(this.#frame.length), encode(MOCK_FRAME.stop, 0, [])];
    this.#view = new DataView(this.#frame.buffer);
    this.#checked = this.#frame.subarray(0, this.#frame.length - CRC_BYTES);
  }

  /** Length of one frame. */
  get frameBytes(): number {
    return this.#frame.length;
  }

  /** Opens a named pipe or one end of a terminal. Throws `ReinError`. */
  open(): void {
    try {
      // Opened for reading and writing, a pipe does not need its reader to be present already.
      const isPipe = statSync(this.path).isFIFO();
      const way = isPipe ? constants.O_RDWR : constants.O_WRONLY | constants.O_NOCTTY;
      this.#fd = openSync(this.path, way | constants.O_NONBLOCK);
    } catch (error) {
      throw new ReinError('driver', `The mock robot's bus cannot be opened: ${(error as Error).message}.`, {
        cause: error,
        remedy: 'busPath names a pipe made by `mkfifo`, or one end of a pseudo-terminal.',
      });
    }
  }

  /** Writes one frame. `late`: the bus is full and has no reader. Tick-safe. */
  send(kind: number, valuesRad: ArrayLike<number>): DriverStatus {
    if (this.#fd < 0) return 'lost';
    this.#count = (this.#count + 1) >>> 0;
    this.#view.setUint8(2, kind);
    this.#view.setUint32(4, this.#count, true);
    for (let i = 0; i < valuesRad.length; i++) this.#view.setFloat64(HEAD_BYTES + 8 * i, valuesRad[i]!, true);
    this.#view.setUint32(this.#checked.length, crc32c(this.#checked), true);
    try {
      return writeSync(this.#fd, this.#frame) === this.#frame.length ? 'ok' : 'late';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'late' : 'lost';
    }
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }
}

/** Called for each intact frame; `valuesRad` is reused. */
export type MockFrameListener = (kind: number, count: number, valuesRad: Float64Array) => void;

/** Listener's end: finds the frames in a byte stream; skips and counts bytes that belong to none. Never throws. */
export class MockBusReader {
  readonly #onFrame: MockFrameListener;
  #held: Uint8Array = new Uint8Array(0);
  #skippedBytes = 0;

  constructor(onFrame: MockFrameListener) {
    this.#onFrame = onFrame;
  }

  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  push(bytes: Uint8Array): void {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    let at = 0;
    while (all.length - at >= HEAD_BYTES + CRC_BYTES) {
      const taken = this.#take(all, at);
      if (taken === undefined) break;
      at += taken;
    }
    this.#held = all.slice(at);
  }

  /** Returns the number of bytes to advance; `undefined`: the frame is incomplete. */
  #take(all: Uint8Array, at: number): number | undefined {
    const view = new DataView(all.buffer, all.byteOffset + at, all.length - at);
    const length = HEAD_BYTES + 8 * view.getUint8(3) + CRC_BYTES;
    if (view.getUint16(0, true) === MAGIC) {
      if (view.byteLength < length) return undefined;
      const checked = length - CRC_BYTES;
      if (view.getUint32(checked, true) === crc32c(all.subarray(at, at + checked))) {
        const values = new Float64Array(view.getUint8(3));
        for (let i = 0; i < values.length; i++) values[i] = view.getFloat64(HEAD_BYTES + 8 * i, true);
        this.#onFrame(view.getUint8(2), view.getUint32(4, true), values);
        return length;
      }
    }
    this.#skippedBytes++;
    return 1;
  }
}

function encode(kind: number, count: number, valuesRad: readonly number[]): Uint8Array {
  const frame = new Uint8Array(HEAD_BYTES + 8 * valuesRad.length + CRC_BYTES);
  const view = new DataView(frame.buffer);
  view.setUint16(0, MAGIC, true);
  view.setUint8(2, kind);
  view.setUint8(3, valuesRad.length);
  view.setUint32(4, count, true);
  for (const [i, value] of valuesRad.entries()) view.setFloat64(HEAD_BYTES + 8 * i, value, true);
  view.setUint32(frame.length - CRC_BYTES, crc32c(frame.subarray(0, frame.length - CRC_BYTES)), true);
  return frame;
}
