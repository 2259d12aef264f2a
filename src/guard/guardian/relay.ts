/** A relay for the actuators' power, switched by the guardian. Imports only `node:fs`, like every file that the guardian loads. */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';

/** Path and values. `file`: text, which is read back, such as a sysfs GPIO line. `serial`: bytes, as hexadecimal digits. */
export interface RelayConfig {
  readonly kind: 'file' | 'serial';
  readonly path: string;
  readonly closed: string;
  readonly open: string;
}

export type RelayState = 'closed' | 'open';

export interface Relay {
  /** Switches the relay; false if it detectably did not switch. Never throws. */
  set(state: RelayState): boolean;
}

export function relayOf(config: RelayConfig): Relay {
  return config.kind === 'file' ? new FileRelay(config) : new SerialRelay(config);
}

/** Truncates like a shell's `>`, so that a regular file keeps no rest of a longer word. Creates no file. */
const REPLACE = constants.O_WRONLY | constants.O_TRUNC;
const SEND = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK;

/** A line whose value is a file: `/sys/class/gpio/gpio17/value`, or that of a custom driver. */
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

/** A relay board at a serial port that takes bytes and sends no reply: only the writing can be verified. */
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

/** True if all bytes were written. Throws if the path cannot be written. */
function isWritten(path: string, flags: number, bytes: Uint8Array): boolean {
  const fd = openSync(path, flags);
  try {
    return writeSync(fd, bytes) === bytes.length;
  } finally {
    closeSync(fd);
  }
}
