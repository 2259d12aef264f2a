/**
 * The terminal of `rein run`, read only in the process that a person started: input that lets a robot go on must be out of reach of what
 * drives it, and a stop must not depend on that. Motion keys are passed on to the node; `c`, space and Ctrl+C are handled here, space by
 * both.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../model/index.ts';
import { KeyParser, RawTerminal, type TerminalInput } from '../../teleop/index.ts';

export interface PersonKeys {
  /** Bytes for the node: all but Ctrl+C. */
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Called when the person has looked, and lets the robot go on (`c`). */
  readonly onGoOn: () => void;
  /** Called when the person stops the robot (space). */
  readonly onStop: () => void;
  /** Called when the person gives the robot back to its policy (`g`). */
  readonly onGiveBack: () => void;
  /** Called on Enter. Default: nothing. */
  readonly onEnter?: () => void;
  readonly onInterrupt: () => void;
  /** Called when no input can arrive any more. */
  readonly onLost: () => void;
}

const CTRL_C = 0x03;

export class PersonTerminal {
  readonly #terminal: RawTerminal;

  /** Takes over the input until `close`. Pasted text neither moves the robot nor lets it go on (`KeyParser`). */
  constructor(input: TerminalInput, clock: Clock, keys: PersonKeys) {
    const parser = new KeyParser();
    this.#terminal = new RawTerminal(input, {
      onLost: keys.onLost,
      onBytes: (bytes) => {
        for (const { name } of parser.feed(bytes, clock.nowS())) {
          if (name === 'interrupt') keys.onInterrupt();
          if (name === ' ') keys.onStop();
          if (name === 'c') keys.onGoOn();
          if (name === 'g') keys.onGiveBack();
          if (name === 'enter') keys.onEnter?.();
        }
        const rest = bytes.filter((byte) => byte !== CTRL_C);
        if (rest.length > 0) keys.onBytes(rest);
      },
    });
  }

  /** Restores the terminal. Idempotent. */
  close(): void {
    this.#terminal.close();
  }
}

/**
 * True if this process may read its terminal: a shell stops a background process that tries. `stat`: as in `/proc/self/stat`; true if there
 * is none, as outside Linux.
 */
export function isInForeground(stat: string | undefined = ownStat()): boolean {
  if (stat === undefined) return true;
  // Fields after the name, which may contain anything: state, parent, process group, session, terminal, its foreground group (proc(5)).
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return foreground === '-1' || foreground === group;
}

function ownStat(): string | undefined {
  try {
    return readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return undefined; // no proc file system here
  }
}
