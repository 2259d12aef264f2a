/**
 * A program that shall end with another, which need not be its parent: `ros2 launch` that fails leaves behind what it has started, and
 * that would go on beside the next launch, and answer for it.
 */

/** Environment variable with the id of the process to end with. */
export const ENDS_WITH = 'REIN_ENDS_WITH';
const LOOK_MS = 500;

/** Calls `onGone` once that process is gone; at once where it is gone already. The result ends the watch. Without one nothing is watched. */
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

/** Whether a process with the id `pid` is there, whosever it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
