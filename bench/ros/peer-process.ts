/** Peer as a process: `fork`ed with its task as JSON; sends "ready", ends on "end", sends its report. */
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { type PeerTask, runPeer } from './peer.ts';

process.on('SIGINT', () => undefined);
const task = JSON.parse(process.argv[2] ?? '') as PeerTask;
const end = new Promise<void>((resolve) => {
  process.on('message', () => resolve());
  process.on('disconnect', () => process.exit(1));
});
try {
  const report = await runPeer(task, openRosPort, end, () => process.send?.('ready'));
  process.send?.(report, () => process.exit(0));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
