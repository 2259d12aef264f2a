/**
 * Several command lines of `rein` in one process, one after the other, for tests of what ends in a sentence: the program is loaded
 * once. Its argument: JSON of `[cwd, args]` of each. After each, a line with the exit code on both streams.
 */
import { EventEmitter } from 'node:events';
import { main } from '../../dist/cli/main.js';

// Each line listens to signals and streams anew.
EventEmitter.defaultMaxListeners = 0;
for (const [cwd, args] of JSON.parse(process.argv[2])) {
  process.chdir(cwd);
  const code = await main(args);
  for (const stream of [process.stdout, process.stderr]) stream.write(`\0${code}\0`);
}
