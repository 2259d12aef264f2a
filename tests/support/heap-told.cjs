/**
 * Loaded by `--require` into a process with `--expose-gc`: at each SIGUSR2 it collects its garbage, and appends a line to the file
 * `REIN_HEAP_TOLD` with the bytes of the heap that are left.
 */
const { appendFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  globalThis.gc();
  appendFileSync(process.env.REIN_HEAP_TOLD, `${process.memoryUsage().heapUsed}\n`);
});
