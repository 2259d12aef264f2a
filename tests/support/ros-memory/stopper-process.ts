/**
 * What can only stop, without ROS, for tests: on a graph in this process, with a robot that stands. What it publishes is
 * written to `stops.log` in REIN_TEST_FOLDER: monotonic seconds, then the numbers; to `held-up.log`, for how many ms the machine kept
 * this process from running just before. Where there is a file `acted`, it says that
 * it has stopped the robot; where there is a file `no-stopper`, it does not come up.
 */
import { appendFileSync, existsSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ROS_MESSAGE, TO_GUARD_FD } from '../../../src/drivers/index.ts';
import { encodeJson } from '../../../src/guard/index.ts';
import { runStopper } from '../../../src/ros/bridge/process.ts';
import { HeldUp } from '../held-up.ts';
import { MemoryGraph } from './memory-graph.ts';
import { memoryPorts } from './memory-port.ts';
import { startMemoryRobot } from './robot.ts';

const folder = process.env['REIN_TEST_FOLDER'] ?? '';
if (existsSync(join(folder, 'no-stopper'))) process.exit(1);
const graph = new MemoryGraph();
const log = join(folder, 'stops.log');
const heldUpLog = join(folder, 'held-up.log');
const held = new HeldUp();
await startMemoryRobot(graph, {
  mayPublish: () => true,
  onCommand: (values) => {
    const atS = Number(process.hrtime.bigint()) * 1e-9;
    appendFileSync(heldUpLog, `${atS} ${held.latestMs()}\n`);
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
