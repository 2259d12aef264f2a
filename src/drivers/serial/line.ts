/** Bytes to and from a serial bus, for the tick: nothing waits but `wait`, and nothing allocates while all is well. */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { type Clock, messageOf, ReinError } from '../../core/index.ts';

/** `full`: the operating system's buffer takes no more, what was written is a part. `lost`: the port is gone. */
export type LineStatus = 'ok' | 'full' | 'lost';

/** What is opened, and how. */
export interface LineSettings {
  /** Path of the port; absent: the only one whose adapter is `adapter`. */
  readonly path?: string | undefined;
  /** Bits per second: 8 data bits, no parity, one stop bit. */
  readonly baud: number;
  /** What the calibration is bound to (`adapterOf`); empty or absent: nothing. */
  readonly adapter?: string | undefined;
  /** What commands call the robot, for what a person is told to type. */
  readonly named?: string | undefined;
}

export interface LineWarning {
  readonly message: string;
  readonly remedy: string;
}

/** One end of a serial line. Every implementation keeps to `tests/contract/serial-line.contract.ts`. */
export interface SerialLine {
  /** What the guardian can open a second time; a name where nothing can. */
  readonly path: string;
  readonly baud: number;
  /** What people should know of it, e.g. that its adapter gathers bytes: a sentence and what mends it. Absent: nothing. */
  readonly warning?: LineWarning | undefined;
  /** The clock of `wait`. */
  readonly clock: Clock;
  /** Hands the first `length` bytes to the operating system. Tick path. */
  write(bytes: Uint8Array, length: number): LineStatus;
  /** Takes what has come into `into`, from `at` on; returns how many bytes, 0 for none, −1 where the port is gone. Tick path. */
  read(into: Uint8Array, at: number): number;
  /** Lets time pass until `untilS` of `clock`. Tick path. */
  wait(untilS: number): void;
  /** Idempotent. */
  close(): void;
}

/** Opens a line in the driver's thread. Throws `ReinError`. */
export type OpenLine = (settings: LineSettings) => SerialLine;

/** Throws `ReinError('driver')` where what was unplugged has come back elsewhere: the guardian and the supervisor watch the path `before`. */
export function checkPath(path: string, before: string): void {
  if (path === before) return;
  throw new ReinError(
    'driver',
    `The adapter has come back as ${path}, and was ${before}: nobody could stop it there.`,
    {
      remedy: 'Start the program again; a port under /dev/serial/by-id in the robot file stays the same.',
    },
  );
}

/**
 * A port of which this thread has a descriptor of its own, opened beside the one that made the line settings (`openPort`). So
 * the tick reads and writes without an event loop, and whoever holds the other descriptor holds the lock.
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
      // A port that has hung up reads as one where nothing comes: only a write tells.
      this.close();
      return 'lost';
    }
  }

  read(into: Uint8Array, at: number): number {
    if (this.#fd < 0) return -1;
    try {
      // The settings have VMIN = VTIME = 0: nothing there is 0 bytes and no error, which would cost an object each time.
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
