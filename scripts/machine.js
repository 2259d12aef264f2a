/** The machine on which figures are measured. */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** Present state: call before measuring, or `loadBefore` is that of the measurement. */
export function thisMachine() {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: availableParallelism(),
    memoryGiB: totalmem() / 2 ** 30,
    kernel: release(),
    node: process.version,
    loadBefore: loadavg()[0],
  };
}
