/**
 * Who stopped the robot, who took its seat, and who was refused: when, and from which address, in `monitor.log` of the run's folder, one JSON
 * object a line. Bounded, and nothing waits for it: a flood is counted, a disk that takes nothing costs lines.
 */
import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Allowance } from './allowance.ts';

export interface AccessEntry {
  readonly what: 'stop' | 'seat' | 'refused';
  /** Address of the other end; absent where its connection has gone meanwhile. */
  readonly from: string | undefined;
  /** Name of the person, as they gave it; absent where nobody did. */
  readonly by?: string;
  /** Why it was refused, or whom they took it from. */
  readonly why?: string;
}

export const ACCESS_LOG = 'monitor.log';
const MOST_BYTES = 1e6;
/** Kept for a folder that is not known yet, the newest. */
const MOST_WAITING = 200;
/** Stops are written first: a flood of refusals takes none of their lines. */
const LINES = { stop: { perS: 10, most: 100 }, other: { perS: 2, most: 50 } } as const;

type Line = AccessEntry & { readonly at: string; readonly leftOut?: number };

export class AccessLog {
  readonly #allowances = { stop: new Allowance(LINES.stop), other: new Allowance(LINES.other) };
  readonly #now: () => Date;
  #folder: string | undefined;
  /** Before a run has said where it is. */
  #waiting: Line[] = [];
  #left = 0;
  #writing: Promise<void> = Promise.resolve();

  /** `now`: people's clock. */
  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  /** The run's folder is known, from now on. */
  openIn(folder: string): void {
    this.#folder = folder;
    for (const line of this.#waiting.splice(0)) this.#write(folder, line);
  }

  /** Never throws, never waits. */
  add(entry: AccessEntry): void {
    const now = this.#now();
    if (!this.#allowances[entry.what === 'stop' ? 'stop' : 'other'].take(now.getTime() / 1e3)) {
      this.#left++;
      return;
    }
    const before = this.#left === 0 ? {} : { leftOut: this.#left };
    this.#left = 0;
    const line = { at: now.toISOString(), ...entry, ...before };
    if (this.#folder === undefined) this.#keep(line);
    else this.#write(this.#folder, line);
  }

  /** Resolves when what was added is written, or could not be. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #keep(line: Line): void {
    this.#waiting.push(line);
    if (this.#waiting.length <= MOST_WAITING) return;
    const { leftOut = 0 } = this.#waiting.shift()!;
    const next = this.#waiting[0]!;
    this.#waiting[0] = { ...next, leftOut: (next.leftOut ?? 0) + leftOut + 1 };
  }

  #write(folder: string, entry: Line): void {
    const line = `${JSON.stringify(entry)}\n`;
    const path = join(folder, ACCESS_LOG);
    const write = async (): Promise<void> => {
      const { size } = await stat(path).catch(() => ({ size: 0 }));
      if (size + line.length <= MOST_BYTES) await appendFile(path, line);
    };
    this.#writing = this.#writing.then(write).catch(() => undefined);
  }
}
