/** Which errors are only the echo of the end that was asked for. */

/** True for the reason of `signal` itself and for what was made of it; anything else that failed must be told. */
export function isOwnAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.cause === signal.reason);
}
