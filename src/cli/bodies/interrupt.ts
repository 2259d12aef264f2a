/** Ctrl+C: the first ends in an orderly way, the second at once. */

/** Exit code of a program that Ctrl+C ended: 128 + SIGINT, as shells have it. */
export const INTERRUPTED = 130;

export interface Interruptible {
  readonly signal: AbortSignal;
  /** What Ctrl+C does; for keyboards that take it as a key. */
  interrupt(): void;
  /** Gives the signals back. */
  release(): void;
}

/** Takes SIGINT and SIGTERM over. `say` tells the person what happens. */
export function interruptible(say: (sentence: string) => void): Interruptible {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    say('Stopping: the arm is brought to rest and files are closed. Ctrl+C again ends at once.');
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    interrupt,
    release: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}
