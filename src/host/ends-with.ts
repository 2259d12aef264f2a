/**
 * Ends a program together with another process, which need not be its parent: a failing `ros2 launch` leaves its children
 * running, and they would answer beside the next launch.
 */

/** Environment variable with the id of the process to follow. */
export const ENDS_WITH = 'REIN_ENDS_WITH';
const LOOK_MS = 500;

/** Calls `onGone` once the process `given` has ended, also if it already has; no-op if unset. The returned function stops watching. */
export function endsWith(onGone: () => void, given: string | undefined = process.env[ENDS_WITH]): () => void {
  const pid = Number(given);
  if (!(Number.isSafeInteger(pid) && pid > 0)) return () => undefined;
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  function look(): void {
    if (isRunning(pid)) return;
    clearInterval(timer);
    onGone();
  }
  const first = setImmediate(look);
  return () => {
    clearImmediate(first);
    clearInterval(timer);
  };
}

/** True if a process with the id `pid` exists, whichever user owns it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
