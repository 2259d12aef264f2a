/**
 * A node that only sends commands, for tests of the guard's process: `fake-node.js SOCKET MODE LEASE_S`.
 * `drive` moves the arm until it is ended; `crash` moves it a little and exits with code 3; `leave` exits with code 0.
 */
import { connectGuardLink, createActionCommand } from '../../dist/guard/index.js';
import { nodeNowS } from './node-clock.js';

const [path, mode, leaseS] = process.argv.slice(2);
const link = await connectGuardLink(path, { timeoutMs: 10_000 });
const nowS = nodeNowS(link);
let isAsked = false;
link.onLost(() => process.exit(isAsked ? 0 : 1));
process.on('SIGTERM', () => {
  isAsked = true;
  link.close();
});
// A parent that is gone must not leave us behind.
process.on('disconnect', () => process.exit(0));
await link.advance(2);
for (const kind of ['acknowledge', 'enable', 'activate']) {
  const answer = await link.request({ kind });
  if (!answer.ok) console.error(`${kind}: ${answer.reason}`);
  await link.advance(2);
}
const command = createActionCommand(link.shape.actions);
command.decider = 'policy';
command.leaseS = Number(leaseS);
for (let step = 0; ; step++) {
  command.seq++;
  command.issuedAtS = nowS();
  command.action.fill(Math.floor(step / 8) % 2 === 0 ? 0.5 : -0.5);
  link.send(command);
  if (step === 3) process.send?.({ kind: 'moving' });
  if (step === 5 && mode === 'crash') process.exit(3);
  if (step === 5 && mode === 'leave') process.exit(0);
  await link.advance(10);
}
