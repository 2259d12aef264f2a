/**
 * A node that wants to move the robot and takes no refusal: `insisting-node.js SOCKET`. Asks again and again for everything
 * that could let it go on, as a person and as a policy, and commands motion all the time.
 */
import { connectGuardLink, createActionCommand } from '../../dist/guard/index.js';
import { nodeNowS } from './node-clock.js';

const link = await connectGuardLink(process.argv[2], { timeoutMs: 10_000 });
const nowS = nodeNowS(link);
link.onLost(() => process.exit(0));
// A parent that is gone must not leave us behind.
process.on('disconnect', () => process.exit(0));
const command = createActionCommand(link.shape.actions);
command.leaseS = 0.2;
for (let step = 0; ; step++) {
  if (!link.latest.state.startsWith('active')) {
    // Asked for as loudly as possible: who asks is not for the asker to say.
    for (const kind of ['acknowledge', 'enable', 'permit', 'activate'])
      await link.request({ kind, by: 'person' }, 'person');
    process.send?.({ kind: 'asked' });
  }
  command.seq++;
  command.decider = 'policy';
  command.issuedAtS = nowS();
  command.action.fill(Math.floor(step / 8) % 2 === 0 ? 0.5 : -0.5);
  link.send(command);
  await link.advance(5);
}
