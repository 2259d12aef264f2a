/** The machine that figures are taken on. */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** As it is now: ask before anything is measured, or `loadBefore` is that of the measurement. */
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
