/**
 * Loaded by `--require` into a process with `--expose-gc`: at each SIGUSR2 it collects its garbage, and appends a line to the file
 * `REIN_HEAP_TOLD` with the bytes of the heap that are left.
 */
const { appendFileSync } = require('node:fs');

/** What the first collection finds still in use, such as a socket that closes or code at the compiler, the second frees. */
const SETTLE_MS = 50;

process.on('SIGUSR2', () => {
  globalThis.gc();
  setTimeout(() => {
    globalThis.gc();
    appendFileSync(process.env.REIN_HEAP_TOLD, `${process.memoryUsage().heapUsed}\n`);
  }, SETTLE_MS);
});
