/** Detects a machine so loaded that slow programs on it may be healthy. */
import { availableParallelism, loadavg } from 'node:os';

/** Runnable programs per core from which a machine counts as busy. */
const BUSY = 1.5;
/** Upper bound by which a timeout is stretched: a hang must be reported eventually. */
const MOST_PATIENCE = 4;

/** Load of a machine. */
export interface MachineLoad {
  /** Runnable programs, mean of the last minute; 0 if the system has no load average. */
  readonly programs: number;
  readonly cores: number;
}

export function machineLoad(): MachineLoad {
  return { programs: loadavg()[0] ?? 0, cores: availableParallelism() };
}

/** Returns `limitMs`, multiplied on a busy machine by the runnable programs per core, at most fourfold. */
export function patientMs(limitMs: number, { programs, cores }: MachineLoad = machineLoad()): number {
  const share = programs / cores;
  return share < BUSY ? limitMs : limitMs * Math.min(share, MOST_PATIENCE);
}

/** Returns `The machine is busy (load average 18.2 on 2 cores).`; `undefined` if it is not. */
export function busyText({ programs, cores }: MachineLoad = machineLoad()): string | undefined {
  if (programs / cores < BUSY) return undefined;
  return `The machine is busy (load average ${programs.toFixed(1)} on ${cores} ${cores === 1 ? 'core' : 'cores'}).`;
}

/** Returns the remedy for something late: `other` if the machine is not busy. */
export function remedyForLate(other: string, load: MachineLoad = machineLoad()): string {
  const busy = busyText(load);
  return busy === undefined ? other : `${busy} End other programs, or wait until they are done, then start again.`;
}
