/**
 * Log of stops, seat changes and refusals, with time and address, in `monitor.log` of the run's folder, one JSON object
 * per line. Bounded and non-blocking: entries beyond the rate limit are counted, and a disk that refuses writes costs
 * lines.
 */
import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Allowance } from './allowance.ts';

export interface AccessEntry {
  readonly what: 'stop' | 'seat' | 'refused';
  /** Remote address; absent if the connection has closed meanwhile. */
  readonly from: string | undefined;
  /** Name of the operator, as entered; absent if there is none. */
  readonly by?: string;
  /** Reason of the refusal, or the previous holder of the seat. */
  readonly why?: string;
}

export const ACCESS_LOG = 'monitor.log';
const MOST_BYTES = 1e6;
/** Most lines kept while the folder is unknown; the newest. */
const MOST_WAITING = 200;
/** Stops have their own allowance: a flood of refusals does not use up their lines. */
const LINES = { stop: { perS: 10, most: 100 }, other: { perS: 2, most: 50 } } as const;

type Line = AccessEntry & { readonly at: string; readonly leftOut?: number };

export class AccessLog {
  readonly #allowances = { stop: new Allowance(LINES.stop), other: new Allowance(LINES.other) };
  readonly #now: () => Date;
  #folder: string | undefined;
  /** Lines from before the run's folder is known. */
  #waiting: Line[] = [];
  #left = 0;
  #writing: Promise<void> = Promise.resolve();

  /** `now`: wall clock. */
  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  /** Sets the run's folder and writes the lines kept so far. */
  openIn(folder: string): void {
    this.#folder = folder;
    for (const line of this.#waiting.splice(0)) this.#write(folder, line);
  }

  /** Never throws, never blocks. */
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

  /** Resolves once all entries added so far are written, or have failed. */
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
