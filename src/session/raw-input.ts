/**
 * What people's devices said, as they said it: `operator-<name>.jsonl` in the run's folder, one line a report, so that what somebody did can be
 * looked at, and put through a parser again, long after.
 *
 *     {"t": 12.345, "hex": "0201..."}   bytes of a device: js_event, input_event, HID report, or what a terminal sent
 *     {"t": 12.365, "rad": [0.1, ...]}  where a leader arm was, rad (m for a sliding joint)
 *     {"t": 12.385, "axes": [0, ...]}   what a message of a page or topic said, under the names that it has there
 *     {"t": 99.9, "end": true, "dropped": 0}
 *
 * `t` is in seconds of the machine's monotonic clock, as in `metrics.jsonl`'s run. Lines wait in memory and are written by themselves; what a slow disk does
 * not take, and what is beyond 64 MiB, is counted in `dropped` and lost, and nobody waits for it. A device that said nothing has no file.
 */
import { join } from 'node:path';
import type { Clock } from '../core/index.ts';
import { MetricsWriter } from '../record/index.ts';
import type { InputPort, LeaderArm, TerminalInput } from '../teleop/index.ts';

const MOST_BYTES = 64 * 1024 * 1024;
/** Reports in memory while the disk is slow: half a minute of the fastest device. */
const MOST_WAITING = 8192;
/** A leader that stands says nothing new, rad. */
const STILL_RAD = 1e-4;

type Line = { readonly t: number } & (
  | { readonly hex: string }
  | { readonly rad: readonly number[] }
  | Said
  | { readonly end: true; readonly dropped: number }
);

/** A message of an operator far away; numbers as they came. */
type Said = Readonly<Record<string, unknown>>;

/** The record of one device. */
export class RawInput {
  readonly #clock: Clock;
  readonly #writer: MetricsWriter<Line>;
  #bytes = 0;
  #refused = 0;
  #lastRad: readonly number[] = [];
  #lastSaid = '';
  /** The newest message before the first take-over; it says what was held by then. */
  #before: { readonly line: Line; readonly size: number } | undefined;
  #isBegun = false;

  constructor(folder: string, name: string, clock: Clock, print: (line: string) => void) {
    this.#clock = clock;
    this.#writer = new MetricsWriter<Line>(join(folder, `operator-${name}.jsonl`), {
      maxWaiting: MOST_WAITING,
      onDegraded: print,
    });
  }

  /** `port` with everything that it gives recorded; the record ends with it. */
  port(port: InputPort): InputPort {
    return {
      pull: (onReport) =>
        port.pull((bytes) => {
          this.#report(bytes);
          onReport(bytes);
        }),
      drop: () => port.drop(),
      close: () => {
        port.close();
        void this.close();
      },
    };
  }

  /** The same of a leader arm, when it has moved. */
  arm(arm: LeaderArm): LeaderArm {
    return {
      ...arm,
      read: () => {
        const found = arm.read();
        if (found === 'ok') this.#position(arm.positionRad);
        return found;
      },
      close: () => {
        arm.close();
        void this.close();
      },
    };
  }

  /** What is typed, until the terminal is let go of. */
  terminal(input: TerminalInput): void {
    input.on('data', (bytes: Buffer | string) => this.#report(Buffer.from(bytes)));
    input.once('pause', () => void this.close());
  }

  /**
   * A message of an operator far away, which is another at each: `stamp` says when. Kept are those of who has control, and those that say
   * something new; before the first take-over the last alone.
   */
  message(said: Said, stamp: Said, isInControl: boolean): void {
    const text = JSON.stringify(said);
    const isNew = text !== this.#lastSaid;
    this.#lastSaid = text;
    if (!isNew && !isInControl) return;
    const line: Line = { t: this.#clock.nowS(), ...stamp, ...said };
    if (!this.#isBegun && !isInControl) {
      this.#before = { line, size: text.length };
      return;
    }
    this.#isBegun = true;
    if (this.#before !== undefined) this.#write(this.#before.line, this.#before.size);
    this.#before = undefined;
    this.#write(line, text.length);
  }

  #report(bytes: Uint8Array): void {
    this.#write({ t: this.#clock.nowS(), hex: Buffer.from(bytes).toString('hex') }, 2 * bytes.length);
  }

  #position(positionRad: ArrayLike<number>): void {
    const rad = Array.from(positionRad);
    if (rad.every((value, i) => Math.abs(value - (this.#lastRad[i] ?? Number.NaN)) < STILL_RAD)) return;
    this.#lastRad = rad;
    this.#write({ t: this.#clock.nowS(), rad }, 20 * rad.length);
  }

  async close(): Promise<void> {
    if (this.#bytes === 0) return this.#writer.close();
    await this.#writer.flush();
    const dropped = this.#refused + this.#writer.dropped;
    this.#writer.write({ t: this.#clock.nowS(), end: true, dropped });
    await this.#writer.close();
  }

  #write(line: Line, size: number): void {
    this.#bytes += size + 40;
    if (this.#bytes > MOST_BYTES) this.#refused++;
    else this.#writer.write(line);
  }
}
