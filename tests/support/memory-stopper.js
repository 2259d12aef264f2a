/**
 * What can only stop, without ROS, for tests: on a graph in this process, with a robot that stands. What it publishes is
 * written to `stops.log` in REIN_TEST_FOLDER: monotonic seconds, then the numbers. Where there is a file `no-stopper`, it
 * does not come up; where there is a file `acted`, it says that it has stopped the robot.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ROS_MESSAGE, TO_GUARD_FD } from '../../dist/drivers/ros/index.js';
import { runStopper } from '../../dist/ros/bridge/index.js';
import { MemoryGraph, memoryPorts } from '../../dist/ros/memory/index.js';
import { encodeJson } from '../../dist/runtime/guard-link/index.js';
import { startMemoryRobot } from './memory-robot.js';

if (existsSync(join(process.env.REIN_TEST_FOLDER, 'no-stopper'))) process.exit(1);
const graph = new MemoryGraph();
const log = join(process.env.REIN_TEST_FOLDER, 'stops.log');
await startMemoryRobot(graph, JSON.parse(readFileSync(process.argv[2], 'utf8')), {
  mayPublish: () => true,
  onCommand: (values) => appendFileSync(log, `${Number(process.hrtime.bigint()) * 1e-9} ${[...values].join(' ')}\n`),
});
await runStopper(memoryPorts(graph));

const acted = join(process.env.REIN_TEST_FOLDER, 'acted');
setInterval(() => {
  if (!existsSync(acted)) return;
  rmSync(acted);
  writeSync(TO_GUARD_FD, encodeJson(ROS_MESSAGE.acted, {}));
}, 20);
