/** What was opened one after the other is closed the other way round, all of it, whatever goes wrong. */

/** Closes one thing that was opened. */
export type Close = () => void | Promise<void>;

/** Closes all, the last one first: it may use those before. Rejects with the first error, once all have been tried. */
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

/** `open`, which adds to `closes` as it goes. Where it fails all that is open by then is closed, and its own error is passed on. */
export async function openedOrClosed<T>(closes: Close[], open: (closes: Close[]) => Promise<T>): Promise<T> {
  try {
    return await open(closes);
  } catch (error) {
    // Why it had to be closed says more than why it could not be.
    await closeAll(closes).catch(() => undefined);
    throw error;
  }
}

/** `work`, which adds to `closes` what it opens; all of that is closed at its end. Its own error goes before one of closing. */
export async function closedAfter<T>(work: (closes: Close[]) => Promise<T>): Promise<T> {
  const closes: Close[] = [];
  const result = await openedOrClosed(closes, work);
  await closeAll(closes);
  return result;
}
