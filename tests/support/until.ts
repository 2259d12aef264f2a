/** Waiting in tests for what happens elsewhere. */
import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `condition` gives something; rejects after `timeoutMs` with `what`. */
export async function until<T>(condition: () => T | undefined | false, what: string, timeoutMs = 30_000): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > endMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(5);
  }
}

/** A person waits so long before they do it again. */
export const TRY_MS = 5000;
const TRIES = 8;

/**
 * Does what a person does, and again where nothing comes of it: a page that a busy machine held up for longer than its lease has lost
 * control, and a person takes over once more.
 */
export async function insist(act: () => Promise<unknown>, hasCome: () => boolean, what: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    await act();
    const came = until(hasCome, what, TRY_MS);
    if (await came.catch((error) => (tries < TRIES ? false : Promise.reject(error)))) return;
  }
}
