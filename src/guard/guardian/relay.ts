/** A relay that carries the power of the actuators, as the guardian switches it. Imports nothing but files, like all that the guardian runs. */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';

/** What is written where. `file`: text, which is read back, as a GPIO line of sysfs has it. `serial`: bytes, as hexadecimal digits. */
export interface RelayConfig {
  readonly kind: 'file' | 'serial';
  readonly path: string;
  readonly closed: string;
  readonly open: string;
}

export type RelayState = 'closed' | 'open';

export interface Relay {
  /** Switches it; false where it did not take that, as far as can be seen. Never throws. */
  set(state: RelayState): boolean;
}

export function relayOf(config: RelayConfig): Relay {
  return config.kind === 'file' ? new FileRelay(config) : new SerialRelay(config);
}

/** What is there is replaced, as by a shell's `>`: a regular file keeps no end of a longer word. Nothing is made where nothing is. */
const REPLACE = constants.O_WRONLY | constants.O_TRUNC;
const SEND = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK;

/** A line whose value is a file: `/sys/class/gpio/gpio17/value`, or that of a driver of its own. */
class FileRelay implements Relay {
  readonly #config: RelayConfig;

  constructor(config: RelayConfig) {
    this.#config = config;
  }

  set(state: RelayState): boolean {
    const { path } = this.#config;
    const text = this.#config[state];
    try {
      return isWritten(path, REPLACE, Buffer.from(text)) && readFileSync(path, 'utf8').trim() === text.trim();
    } catch {
      return false;
    }
  }
}

/** A relay board at a serial port that takes bytes and answers nothing: that they went out is all that can be seen. */
class SerialRelay implements Relay {
  readonly #config: RelayConfig;

  constructor(config: RelayConfig) {
    this.#config = config;
  }

  set(state: RelayState): boolean {
    const { path } = this.#config;
    try {
      return isWritten(path, SEND, Buffer.from(this.#config[state], 'hex'));
    } catch {
      return false;
    }
  }
}

/** Whether all of it went out. Throws where the path takes nothing. */
function isWritten(path: string, flags: number, bytes: Uint8Array): boolean {
  const fd = openSync(path, flags);
  try {
    return writeSync(fd, bytes) === bytes.length;
  } finally {
    closeSync(fd);
  }
}
