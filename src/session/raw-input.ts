/**
 * Raw input of people's devices: `operator-<name>.jsonl` in the run's folder, one line per report, so that an operator's input can be
 * inspected, and parsed again, long after.
 *
 *     {"t": 12.345, "hex": "0201..."}   bytes of a device: js_event, input_event, HID report, or terminal input
 *     {"t": 12.365, "rad": [0.1, ...]}  position of a leader arm, rad (m for a prismatic joint)
 *     {"t": 12.385, "axes": [0, ...]}   content of a message from a page or topic, under its own names
 *     {"t": 99.9, "end": true, "dropped": 0}
 *
 * `t` is in seconds of the machine's monotonic clock, as in `metrics.jsonl`'s run. Lines are buffered and written in the background; those
 * that a slow disk does not take, or beyond 64 MiB, are lost and counted in `dropped`. A device without input has no file.
 */
import { join } from 'node:path';
import type { Clock } from '../model/index.ts';
import { MetricsWriter } from '../record/index.ts';
import type { InputPort, LeaderArm, TerminalInput } from '../teleop/index.ts';

const MOST_BYTES = 64 * 1024 * 1024;
/** Reports in memory while the disk is slow: half a minute of the fastest device. */
const MOST_WAITING = 8192;
/** Smallest motion of a leader that is recorded, rad. */
const STILL_RAD = 1e-4;

type Line = { readonly t: number } & (
  | { readonly hex: string }
  | { readonly rad: readonly number[] }
  | Said
  | { readonly end: true; readonly dropped: number }
);

/** Message of a remote operator; numbers as received. */
type Said = Readonly<Record<string, unknown>>;

/** The record of one device. */
export class RawInput {
  readonly #clock: Clock;
  readonly #writer: MetricsWriter<Line>;
  #bytes = 0;
  #refused = 0;
  #lastRad: readonly number[] = [];
  #lastSaid = '';
  /** Newest message before the first take-over; it shows what was held by then. */
  #before: { readonly line: Line; readonly size: number } | undefined;
  #isBegun = false;

  constructor(folder: string, name: string, clock: Clock, print: (line: string) => void) {
    this.#clock = clock;
    this.#writer = new MetricsWriter<Line>(join(folder, `operator-${name}.jsonl`), {
      maxWaiting: MOST_WAITING,
      onDegraded: print,
    });
  }

  /** Returns `port` with all of its input recorded; the record ends with it. */
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

  /** Returns `arm` with its position recorded whenever it has moved. */
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

  /** Records typed input until the terminal is released. */
  terminal(input: TerminalInput): void {
    input.on('data', (bytes: Buffer | string) => this.#report(Buffer.from(bytes)));
    input.once('pause', () => void this.close());
  }

  /**
   * Records a message of a remote operator; `stamp`: its time, which differs in each. Kept are messages of the operator in control, and
   * those with new content; before the first take-over, only the last.
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
