/** Waiting in tests for what happens elsewhere. */
import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `condition` gives something; rejects after `timeoutMs` with `what`. */
export async function until<T>(condition: () => T | undefined | false, what: string, timeoutMs = 10_000): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > endMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(5);
  }
}
