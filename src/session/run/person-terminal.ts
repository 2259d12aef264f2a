/**
 * The terminal of `rein run`, read in the process that a person started and by no other: what lets a robot go on must not be
 * within reach of what drives it, and what stops it must not depend on that. Motion keys are handed on to the node; `c`, space and Ctrl+C
 * are heard here, space by both.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../core/index.ts';
import { KeyParser, RawTerminal, type TerminalInput } from '../../teleop/index.ts';

export interface PersonKeys {
  /** Bytes for the node: all but Ctrl+C. */
  readonly onBytes: (bytes: Uint8Array) => void;
  /** The person looked, and lets the robot go on (`c`). */
  readonly onGoOn: () => void;
  /** The person stops the robot (space). */
  readonly onStop: () => void;
  /** The person gives the robot back to its policy (`g`). */
  readonly onGiveBack: () => void;
  /** Enter. Default: nothing. */
  readonly onEnter?: () => void;
  readonly onInterrupt: () => void;
  /** Nobody can be heard any more. */
  readonly onLost: () => void;
}

const CTRL_C = 0x03;

export class PersonTerminal {
  readonly #terminal: RawTerminal;

  /** Takes the input until `close`. A paste moves nothing and lets nothing go on (`KeyParser`). */
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

  /** Puts the terminal back as it was. Idempotent. */
  close(): void {
    this.#terminal.close();
  }
}

/**
 * Whether this process may read its terminal: a shell stops one in the background that tries. `stat` as in `/proc/self/stat`; elsewhere
 * than on Linux, where there is none: yes.
 */
export function isInForeground(stat: string | undefined = ownStat()): boolean {
  if (stat === undefined) return true;
  // After the name, which may hold anything: state, parent, process group, session, terminal, its foreground group (proc(5)).
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
