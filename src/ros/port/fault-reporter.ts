/** Reports of what callbacks throw, so that nothing goes further, and of what is wrong otherwise; not too often. */
import { messageOf } from '../../core/index.ts';
import type { RosFault } from './ros-port.ts';

const REPEAT_AFTER_MS = 1000;
/** Causes that are remembered; more than that many at once are reported as they come. */
const REMEMBERED = 1000;

/** Runs callbacks so that nothing escapes, and reports to a listener what they threw: once per cause and second at most. */
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
    // Numbers in a message do not make it another cause.
    const cause = `${kind} ${where} ${message.replaceAll(/\d+/g, '#')}`;
    const lastReportedAtMs = this.#lastReportedAtMs.get(cause);
    if (lastReportedAtMs !== undefined && nowMs - lastReportedAtMs < REPEAT_AFTER_MS) return;
    if (this.#lastReportedAtMs.size >= REMEMBERED) this.#lastReportedAtMs.clear();
    this.#lastReportedAtMs.set(cause, nowMs);
    try {
      this.#listener({ kind, where, message });
    } catch (error) {
      // The listener promised not to throw; whoever called us may be native code, which must not see it either.
      console.error(`the listener to faults of ROS failed itself: ${messageOf(error)}`);
    }
  }

  /** Result of `body`, or `undefined` where it threw. */
  run<T>(where: string, body: () => T): T | undefined {
    try {
      return body();
    } catch (error) {
      this.#callbackFailed(where, error);
      return undefined;
    }
  }

  /** The same for what may take its time. Never rejects. */
  async runAsync<T>(where: string, body: () => T | Promise<T>): Promise<{ readonly value: T } | undefined> {
    try {
      return { value: await body() };
    } catch (error) {
      this.#callbackFailed(where, error);
      return undefined;
    }
  }

  /** The same for what has to be answered: by `whenFailed` where `body` threw. */
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
