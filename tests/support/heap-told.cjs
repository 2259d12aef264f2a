/**
 * Loaded into a process by `--require`: at each SIGUSR2 it collects its garbage, and appends a line to the file `REIN_HEAP_TOLD` with the
 * bytes of the heap that are left.
 */
const { appendFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  appendFileSync(process.env.REIN_HEAP_TOLD, `${process.memoryUsage().heapUsed}\n`);
});
