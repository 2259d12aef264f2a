/** Reports errors of callbacks, which go no further, and other faults, at a limited rate. */
import { messageOf } from '../../model/index.ts';
import type { RosFault } from './ros-port.ts';

const REPEAT_AFTER_MS = 1000;
/** Remembered causes; if there are more at once, all are reported as they come. */
const REMEMBERED = 1000;

/** Runs callbacks so that nothing escapes, and reports their errors to a listener: once per cause and second at most. */
export class FaultReporter {
  readonly #listener: (fault: RosFault) => void;
  readonly #lastReportedAtMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(listener: (fault: RosFault) => void, nowMs: () => number = () => performance.now()) {
    this.#listener = listener;
    this.#nowMs = nowMs;
  }

  report(kind: RosFault['kind'], where: string, message: string): void {
    const nowMs = this.#nowMs();
    // Messages that differ only in numbers have the same cause.
    const cause = `${kind} ${where} ${message.replaceAll(/\d+/g, '#')}`;
    const lastReportedAtMs = this.#lastReportedAtMs.get(cause);
    if (lastReportedAtMs !== undefined && nowMs - lastReportedAtMs < REPEAT_AFTER_MS) return;
    if (this.#lastReportedAtMs.size >= REMEMBERED) this.#lastReportedAtMs.clear();
    this.#lastReportedAtMs.set(cause, nowMs);
    try {
      this.#listener({ kind, where, message });
    } catch (error) {
      // The listener promised not to throw; the caller may be native code, which must not see it either.
      console.error(`the listener to faults of ROS failed itself: ${messageOf(error)}`);
    }
  }

  /** Result of `body`, or `undefined` if it threw. */
  run<T>(where: string, body: () => T): T | undefined {
    try {
      return body();
    } catch (error) {
      this.#callbackFailed(where, error);
      return undefined;
    }
  }

  /** Asynchronous variant of `run`. Never rejects. */
  async runAsync<T>(where: string, body: () => T | Promise<T>): Promise<{ readonly value: T } | undefined> {
    try {
      return { value: await body() };
    } catch (error) {
      this.#callbackFailed(where, error);
      return undefined;
    }
  }

  /** Variant for calls that must be answered: by `whenFailed` if `body` threw. */
  async answer<T>(
    where: string,
    body: () => T | Promise<T>,
    whenFailed: ((message: string) => T | Promise<T>) | undefined,
  ): Promise<{ readonly value: T } | undefined> {
    let message = '';
    const done = await this.runAsync(where, async () => {
      try {
        return await body();
      } catch (error) {
        message = `${where} failed: ${messageOf(error)}`;
        throw error;
      }
    });
    if (done !== undefined || whenFailed === undefined) return done;
    return this.runAsync(where, () => whenFailed(message));
  }

  #callbackFailed(where: string, error: unknown): void {
    this.report('callback', where, messageOf(error));
  }
}
