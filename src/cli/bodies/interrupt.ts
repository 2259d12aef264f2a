/**
 * Ctrl+C: the first shuts down in order, the second exits at once. Closing the terminal, or the end of a parent process that holds an IPC
 * channel, shuts down in order too.
 */
import { endsWith } from '../../host/index.ts';

/** Exit code of a program ended by Ctrl+C: 128 + SIGINT, as in shells. */
export const INTERRUPTED = 130;

export interface Interruptible {
  readonly signal: AbortSignal;
  /** Acts as Ctrl+C does; for keyboard devices that read it as a key. */
  interrupt(): void;
  /** Removes the signal handlers. */
  release(): void;
}

/** Takes over SIGINT, SIGTERM, SIGHUP and the loss of the parent. `say` tells the user what is `happening`. */
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
  // Shell and kernel may both send SIGHUP, so a second one does not exit at once. Output from then on has no reader.
  const hangUp = (): void => {
    process.stdout.on('error', ignore);
    process.stderr.on('error', ignore);
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('SIGHUP', hangUp);
  process.on('disconnect', hangUp);
  // The parent was gone before the handlers were installed.
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

/** Runs `work` until it is done or interrupted, which returns `INTERRUPTED`; then restores signals and terminal. */
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

/** True for the reason of `signal` itself and for errors caused by it; any other failure must be reported. */
export function isOwnAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.cause === signal.reason);
}
