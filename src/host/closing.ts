/** Resources are closed in the reverse order of their opening, all of them, whatever fails. */

/** Closes one resource. */
export type Close = () => void | Promise<void>;

/** Calls all `closes`, last first, as a later one may use earlier ones. Rejects with the first error after all were tried. */
export async function closeAll(closes: readonly Close[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closes.toReversed()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Runs `open`, which pushes to `closes` as it goes. If it fails, all that was opened is closed and its own error is rethrown. */
export async function openedOrClosed<T>(closes: Close[], open: (closes: Close[]) => Promise<T>): Promise<T> {
  try {
    return await open(closes);
  } catch (error) {
    // The error of `open` says more than a failure to close.
    await closeAll(closes).catch(() => undefined);
    throw error;
  }
}

/** Runs `work`, which pushes to `closes` what it opens, then closes all of it. Its own error takes precedence over one of closing. */
export async function closedAfter<T>(work: (closes: Close[]) => Promise<T>): Promise<T> {
  const closes: Close[] = [];
  const result = await openedOrClosed(closes, work);
  await closeAll(closes);
  return result;
}
