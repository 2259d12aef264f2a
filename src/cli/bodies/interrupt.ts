/**
 * Ctrl+C: the first ends in an orderly way, the second at once. A terminal that closes, or the end of a process that started
 * this one with a channel, ends in an orderly way too.
 */
import { endsWith } from '../../core/index.ts';

/** Exit code of a program that Ctrl+C ended: 128 + SIGINT, as shells have it. */
export const INTERRUPTED = 130;

export interface Interruptible {
  readonly signal: AbortSignal;
  /** What Ctrl+C does; for keyboards that take it as a key. */
  interrupt(): void;
  /** Gives the signals back. */
  release(): void;
}

/** Takes SIGINT, SIGTERM, SIGHUP and the loss of the parent over. `say` tells the person what is `happening`. */
export function interruptible(
  say: (message: string) => void,
  happening = 'the arm is brought to rest and files are closed',
): Interruptible {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    say(`Stopping: ${happening}. Ctrl+C again ends at once.`);
    controller.abort();
  };
  // Shell and kernel may both send it: the second one is nobody's hurry. What is printed from then on reaches nobody.
  const hangUp = (): void => {
    process.stdout.on('error', ignore);
    process.stderr.on('error', ignore);
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('SIGHUP', hangUp);
  process.on('disconnect', hangUp);
  // A parent that went away before anybody listened for that.
  if (process.send !== undefined && !process.connected) hangUp();
  const unwatch = endsWith(hangUp);
  return {
    signal: controller.signal,
    interrupt,
    release: () => {
      unwatch();
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      process.off('SIGHUP', hangUp);
      process.off('disconnect', hangUp);
    },
  };
}

function ignore(): void {}

/** Does `work` until it is done or interrupted, which gives `INTERRUPTED`; signals and terminal are then as they were. */
export async function interruptibly(
  say: (message: string) => void,
  happening: string | undefined,
  work: (stop: Interruptible) => Promise<number>,
): Promise<number> {
  const stop = interruptible(say, happening);
  try {
    return await work(stop);
  } catch (error) {
    if (isOwnAbort(error, stop.signal)) return INTERRUPTED;
    throw error;
  } finally {
    stop.release();
  }
}

/** True for the reason of `signal` itself and for what was made of it; anything else that failed must be told. */
export function isOwnAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.cause === signal.reason);
}
