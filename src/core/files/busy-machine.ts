/** Whether a machine has so much to do that what is slow on it may be well. */
import { availableParallelism, loadavg } from 'node:os';

/** Programs that want each core, from which on a machine counts as busy. */
const BUSY = 1.5;
/** A limit of time is never stretched further: what hangs has to be told of some time. */
const MOST_PATIENCE = 4;

/** How much a machine has to do. */
export interface MachineLoad {
  /** Programs that run or want to, as a mean of the last minute; 0 where the system counts none. */
  readonly programs: number;
  readonly cores: number;
}

export function machineLoad(): MachineLoad {
  return { programs: loadavg()[0] ?? 0, cores: availableParallelism() };
}

/** `limitMs`, longer by as many programs as want each core of a busy machine, up to four times. */
export function patientMs(limitMs: number, { programs, cores }: MachineLoad = machineLoad()): number {
  const share = programs / cores;
  return share < BUSY ? limitMs : limitMs * Math.min(share, MOST_PATIENCE);
}

/** `The machine is busy (load average 18.2 on 2 cores).`; `undefined` where it is not. */
export function busyText({ programs, cores }: MachineLoad = machineLoad()): string | undefined {
  if (programs / cores < BUSY) return undefined;
  return `The machine is busy (load average ${programs.toFixed(1)} on ${cores} ${cores === 1 ? 'core' : 'cores'}).`;
}

/** What to do about something that was late: `other` where the machine is not to blame. */
export function remedyForLate(other: string, load: MachineLoad = machineLoad()): string {
  const busy = busyText(load);
  return busy === undefined ? other : `${busy} End what else runs on it, or wait until it is done, then start again.`;
}
