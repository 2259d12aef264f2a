/** A subscriber to weights in a process of its own, to be attacked: prints each version it is given; what its input says, it
 * is busy for, ms. Usage: link-subscriber.js ADDRESS. */
import { subscribeWeights } from '../../dist/link/index.js';

const [address] = process.argv.slice(2);
subscribeWeights({
  address: 'tcp://127.0.0.1:1',
  weightsAddress: address,
  keep: 'newest',
  runId: 'run',
  schemaHash: '00112233445566ff',
  renewAfterMs: 300,
  onBundle: ({ manifest }) => console.log(`version ${manifest.version}`),
});
console.log('ready');
// Reads nothing for so many milliseconds, as a process that is busy with other things.
process.stdin.on('data', (ms) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
  console.log('awake');
});
process.stdin.on('end', () => process.exit(0));
