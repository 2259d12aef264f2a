/** Sources of an input device's raw reports, and non-blocking reading of a Linux device file. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Quality of a report: `malformed`, it cannot come from a device of its kind; `dropped`, it reports lost events. */
export type Report = 'whole' | 'malformed' | 'dropped';

/** Reason for ignoring a device: it was unplugged, reports more than hands cause, or its reports cannot be trusted. */
export type Loss = 'gone' | 'flooded' | Exclude<Report, 'whole'>;

/**
 * A plugged-in device. It is polled: the reader pulls just before it needs the state, so that decisions use the newest
 * one, and a device that cannot be read is detected at once.
 */
export interface InputPort {
  /**
   * Passes every report since the last call to `onReport`, whose bytes are reused. Never blocks, never throws. `gone`:
   * it cannot be read now, as after unplugging; it may come back, with a state of its own. `flooded`: it reported more
   * than any hand causes, and was dropped.
   */
  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' | 'flooded';
  /** Drops a device whose reports cannot be trusted; it is searched for again, as one that was unplugged. */
  drop(): void;
  /** Idempotent. */
  close(): void;
}

/** Predicate of each loss in a sentence that begins with the device. */
export const LOSS_TEXT: Readonly<Record<Loss, string>> = {
  gone: 'can no longer be read',
  flooded: 'sent more reports at once than a hand can cause',
  malformed: 'sent a malformed report',
  dropped: 'sent more reports than its buffer holds',
};

/** Pulls `port` through a parser. Drops a device that sends malformed reports, or lost some. */
export function pullThrough(port: InputPort, feed: (bytes: Uint8Array) => Report): 'there' | Loss {
  let report: Report = 'whole';
  const found = port.pull((bytes) => {
    // Later reports cannot be trusted, either.
    if (report === 'whole') report = feed(bytes);
  });
  if (found !== 'there' || report === 'whole') return found;
  port.drop();
  return report;
}

/** Buffer for joydev and evdev: enough for all events by hand between two reads, and a whole number of events of 8 and of 24 bytes. */
const BUFFER_BYTES = 4080;
/** Limit per read. The kernel buffers less than 16 KiB of a device's events: a file with more is no device, such as `/dev/zero`. */
const MOST_BYTES = 32_768;
/** Retry period for a lost device, s. */
const LOOK_S = 0.5;

/**
 * A character device by its path, or a named pipe in place of one. It is opened non-blocking and read on demand: a
 * `read` in libuv's pool would occupy one of its four threads for as long as the device is idle, and could not be
 * cancelled by closing it.
 */
export class DeviceFile implements InputPort {
  readonly #path: string;
  readonly #nowS: () => number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #fd: number | undefined;
  #lookedAtS = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** Opens `path`; if it does not exist yet, it is searched for. `nowS`: seconds of a monotonic clock. */
  constructor(path: string, nowS: () => number) {
    this.#path = path;
    this.#nowS = nowS;
  }

  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' | 'flooded' {
    const fd = this.#open();
    if (fd === undefined) return 'gone';
    try {
      for (let bytes = 0; bytes <= MOST_BYTES; ) {
        const length = readSync(fd, this.#buffer, 0, BUFFER_BYTES, null);
        if (length === 0) return this.#lose();
        onReport(this.#buffer.subarray(0, length));
        bytes += length;
      }
      this.#lose();
      return 'flooded';
    } catch (error) {
      // EAGAIN: nothing new; any other error (ENODEV, EIO): the device is gone.
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'there' : this.#lose();
    }
  }

  drop(): void {
    this.#lose();
  }

  close(): void {
    this.#isClosed = true;
    this.#lose();
  }

  #open(): number | undefined {
    if (this.#fd !== undefined || this.#isClosed) return this.#fd;
    const nowS = this.#nowS();
    if (nowS - this.#lookedAtS < LOOK_S) return undefined;
    this.#lookedAtS = nowS;
    try {
      this.#fd = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
      const found = fstatSync(this.#fd);
      // Another file may have that path now.
      if (!found.isCharacterDevice() && !found.isFIFO()) this.#lose();
    } catch {
      // Missing, or no permission, which was reported when it was configured.
    }
    return this.#fd;
  }

  #lose(): 'gone' {
    const fd = this.#fd;
    this.#fd = undefined;
    try {
      if (fd !== undefined) closeSync(fd);
    } catch {
      // It is gone either way.
    }
    return 'gone';
  }
}
