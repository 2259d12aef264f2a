/** Peak memory of this process. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Restarts the measurement, if the system can (Linux, `man 5 proc_pid_clear_refs`); elsewhere the peak is that of the whole process. */
export function resetPeakMemory(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not Linux, or not allowed: the peak since the start of the process is an upper bound.
  }
}

/** Peak resident memory, MB (10⁶ bytes). */
export function peakMemoryMb(): number {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kib !== undefined) return (Number(kib) * 1024) / 1e6;
  } catch {
    // Not Linux.
  }
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}
