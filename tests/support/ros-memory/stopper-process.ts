/**
 * What can only stop, without ROS, for tests: on a graph in this process, with a robot that stands. Files in REIN_TEST_FOLDER: it writes
 * what it publishes to `stops.log` (monotonic seconds, then the numbers), and to `held-up.log` from when to when the machine kept it from
 * running, before the stop that came later. Where there is a file `acted`, it says that it has stopped the robot; where there is a file
 * `no-stopper`, it does not come up.
 */
import { appendFileSync, existsSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ROS_MESSAGE, TO_GUARD_FD } from '../../../src/drivers/index.ts';
import { encodeJson } from '../../../src/guard/index.ts';
import { SystemClock } from '../../../src/model/index.ts';
import { runStopper } from '../../../src/ros/bridge/process.ts';
import { HeldUp } from '../held-up.ts';
import { MemoryGraph } from './memory-graph.ts';
import { memoryPorts } from './memory-port.ts';
import { startMemoryRobot } from './robot.ts';

const folder = process.env['REIN_TEST_FOLDER'] ?? '';
if (existsSync(join(folder, 'no-stopper'))) process.exit(1);
const clock = new SystemClock();
const graph = new MemoryGraph();
const log = join(folder, 'stops.log');
const heldUp = new HeldUp(({ fromS, toS }) => appendFileSync(join(folder, 'held-up.log'), `${fromS} ${toS}\n`));
await startMemoryRobot(graph, {
  mayPublish: () => true,
  onCommand: (values) => {
    const atS = clock.nowS();
    heldUp.look();
    appendFileSync(log, `${atS} ${[...values].join(' ')}\n`);
  },
});
await runStopper(memoryPorts(graph));

const acted = join(folder, 'acted');
setInterval(() => {
  if (!existsSync(acted)) return;
  rmSync(acted);
  writeSync(TO_GUARD_FD, encodeJson(ROS_MESSAGE.acted, {}));
}, 20);
