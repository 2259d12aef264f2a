/** Serial I/O for the tick: only `wait` blocks, and nothing allocates unless there is an error. */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { type Clock, messageOf, ReinError } from '../../model/index.ts';

/** `full`: the operating system's buffer is full, and a part was written. `lost`: the port is gone. */
export type LineStatus = 'ok' | 'full' | 'lost';

/** Port to open, and its settings. */
export interface LineSettings {
  /** Path of the port; absent: the only port with adapter `adapter`. */
  readonly path?: string | undefined;
  /** Bit rate, bit/s: 8 data bits, no parity, one stop bit. */
  readonly baud: number;
  /** Adapter that the calibration is bound to (`adapterOf`); empty or absent: none. */
  readonly adapter?: string | undefined;
  /** Robot name in commands, for remedies. */
  readonly named?: string | undefined;
}

export interface LineWarning {
  readonly message: string;
  readonly remedy: string;
}

/** One end of a serial line. Every implementation passes `tests/contract/serial-line.contract.ts`. */
export interface SerialLine {
  /** Path that the guardian can open a second time; just a name if there is none. */
  readonly path: string;
  readonly baud: number;
  /** Warning for the operator, e.g. that the adapter buffers bytes: a sentence and its remedy. Absent: none. */
  readonly warning?: LineWarning | undefined;
  /** Clock of `wait`. */
  readonly clock: Clock;
  /** Passes the first `length` bytes to the operating system. Tick path. */
  write(bytes: Uint8Array, length: number): LineStatus;
  /** Reads what has arrived into `into`, from `at` on; returns the number of bytes, 0 for none, −1 if the port is gone. Tick path. */
  read(into: Uint8Array, at: number): number;
  /** Waits until `untilS` of `clock`. Tick path. */
  wait(untilS: number): void;
  /** Idempotent. */
  close(): void;
}

/** Opens a line in the driver's thread. Throws `ReinError`. */
export type OpenLine = (settings: LineSettings) => SerialLine;

/** Throws `ReinError('driver')` if an unplugged adapter came back at another path: guardian and supervisor watch the path `before`. */
export function checkPath(path: string, before: string): void {
  if (path === before) return;
  throw new ReinError(
    'driver',
    `The adapter has come back as ${path}, and was ${before}: guardian and supervisor cannot stop the robot there.`,
    {
      remedy: 'Start the program again; a port under /dev/serial/by-id in the robot file stays the same.',
    },
  );
}

/**
 * Port with a descriptor of this thread, opened beside the one that made the line settings (`holdPort`). The tick reads
 * and writes without an event loop, and the lock stays with the other descriptor.
 */
export class DescriptorLine implements SerialLine {
  readonly path: string;
  readonly baud: number;
  readonly warning: LineWarning | undefined;
  readonly clock: Clock;
  readonly #sleeper: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(4));
  #fd: number;

  /** Throws `ReinError('driver')`. */
  constructor({ path, baud, warning }: Pick<SerialLine, 'path' | 'baud' | 'warning'>, clock: Clock) {
    this.path = path;
    this.baud = baud;
    this.warning = warning;
    this.clock = clock;
    try {
      this.#fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    } catch (cause) {
      throw new ReinError('driver', `${path} cannot be opened a second time: ${messageOf(cause)}.`, { cause });
    }
  }

  write(bytes: Uint8Array, length: number): LineStatus {
    if (this.#fd < 0) return 'lost';
    try {
      return writeSync(this.#fd, bytes, 0, length) === length ? 'ok' : 'full';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'full';
      // Reading a port that has hung up looks as if nothing arrived: only a write fails.
      this.close();
      return 'lost';
    }
  }

  read(into: Uint8Array, at: number): number {
    if (this.#fd < 0) return -1;
    try {
      // With VMIN = VTIME = 0, no data is 0 bytes and no error, which would allocate an object each time.
      return readSync(this.#fd, into, at, into.length - at, null);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : -1;
    }
  }

  wait(untilS: number): void {
    const ms = (untilS - this.clock.nowS()) * 1e3;
    if (ms > 0) Atomics.wait(this.#sleeper, 0, 0, ms);
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }
}
