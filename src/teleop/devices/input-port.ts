/** Where the raw reports of an input device come from, and how a Linux device file is read without waiting. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** How a report was: `malformed`, it cannot come from a device of its kind; `dropped`, it says that events were lost. */
export type Report = 'whole' | 'malformed' | 'dropped';

/** Why nothing of a device counts: it was unplugged, says more than hands do, or what it says cannot be trusted. */
export type Loss = 'gone' | 'flooded' | Exclude<Report, 'whole'>;

/**
 * A device that is plugged in. It is asked, not listened to: whoever needs its state pulls just before, so that what is decided on is the
 * newest there is, and a device that cannot be read is seen at once.
 */
export interface InputPort {
  /**
   * Hands every report since the last call to `onReport`, whose bytes are reused. Never waits, never throws. `gone`: it cannot be read
   * now, as when it was unplugged; it may come back, with a state of its own. `flooded`: it said more than any hand does, and was let go of.
   */
  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' | 'flooded';
  /** Lets go of a device whose words mean nothing; it is looked for, as one that was unplugged. */
  drop(): void;
  /** Idempotent. */
  close(): void;
}

/** Each of these in a sentence that begins with the device. */
export const LOSS_TEXT: Readonly<Record<Loss, string>> = {
  gone: 'can no longer be read',
  flooded: 'said more at once than any hand does',
  malformed: 'said what no such device says',
  dropped: 'said more than was kept until it was read',
};

/** Pulls `port` through a parser. A device that says what none of its kind says, or lost some of it, is let go of. */
export function pullThrough(port: InputPort, feed: (bytes: Uint8Array) => Report): 'there' | Loss {
  let report: Report = 'whole';
  const found = port.pull((bytes) => {
    // What follows means nothing, either.
    if (report === 'whole') report = feed(bytes);
  });
  if (found !== 'there' || report === 'whole') return found;
  port.drop();
  return report;
}

/** Of joydev and evdev: enough for all that a hand does between two looks, and whole events of 8 and of 24 bytes. */
const BUFFER_BYTES = 4080;
/** In one look. The kernel keeps less than 16 KiB of a device's events: beyond this it is none, such as `/dev/zero`. */
const MOST_BYTES = 32_768;
/** A device that is gone is looked for so often, s. */
const LOOK_S = 0.5;

/**
 * A character device by its path, or a named pipe in place of one. It is opened without blocking and read when it is asked for: `read` in libuv's pool would hold
 * one of its four threads for as long as nobody touches the device, and could not be ended by closing it.
 */
export class DeviceFile implements InputPort {
  readonly #path: string;
  readonly #nowS: () => number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #fd: number | undefined;
  #lookedAtS = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** Opens `path`; one that is not there yet is looked for. `nowS`: seconds of a clock that only rises. */
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
      // Nothing new; anything else (ENODEV, EIO) is a device that is gone.
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
      // Another file may stand there now.
      if (!found.isCharacterDevice() && !found.isFIFO()) this.#lose();
    } catch {
      // Not there, or not for us: whoever chose it has been told why.
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
