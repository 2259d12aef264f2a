/** Where the raw reports of an input device come from, and how a Linux device file is read without waiting. */
import { closeSync, constants, openSync, readSync } from 'node:fs';

/**
 * A device that is plugged in. It is asked, not listened to: whoever needs its state pulls just before, so that what is decided on is the
 * newest there is, and a device that cannot be read is seen at once.
 */
export interface InputPort {
  /**
   * Hands every report since the last call to `onReport`, whose bytes are reused. Never waits, never throws. `gone`: it cannot be read
   * now, as when it was unplugged; it may come back, with a state of its own.
   */
  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone';
  /** Idempotent. */
  close(): void;
}

/** Of joydev and evdev: enough for all that a hand does between two looks. */
const BUFFER_BYTES = 4096;
/** A device that is gone is looked for so often, s. */
const LOOK_S = 0.5;

/**
 * A character device by its path. It is opened without blocking and read when it is asked for: `read` in libuv's pool would hold
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

  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' {
    const fd = this.#open();
    if (fd === undefined) return 'gone';
    try {
      for (;;) {
        const length = readSync(fd, this.#buffer, 0, BUFFER_BYTES, null);
        if (length === 0) return this.#lose();
        onReport(this.#buffer.subarray(0, length));
      }
    } catch (error) {
      // Nothing new; anything else (ENODEV, EIO) is a device that is gone.
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'there' : this.#lose();
    }
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
