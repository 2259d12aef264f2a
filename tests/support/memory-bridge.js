/**
 * The bridge without ROS, for tests: on a graph in this process, with a robot that follows position commands at once. What
 * the file `mode` in REIN_TEST_FOLDER says goes wrong: `silent` (no joint states), `late` (five a second), `garbage`
 * (random bytes to the guard). Commands that arrive are written to `commands.log`: monotonic seconds, then the numbers.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runBridge } from '../../dist/ros/bridge/index.js';
import { MemoryGraph, memoryPorts } from '../../dist/ros/memory/index.js';
import { startMemoryRobot } from './memory-robot.js';

const folder = process.env.REIN_TEST_FOLDER;
const graph = new MemoryGraph();
let periods = 0;
await startMemoryRobot(graph, JSON.parse(readFileSync(process.argv[2], 'utf8')), {
  mayPublish: () => {
    const mode = readMode();
    periods++;
    if (mode === 'garbage') writeGarbage();
    return mode !== 'silent' && (mode !== 'late' || periods % 20 === 0);
  },
  onCommand: (values) => appendFileSync(join(folder, 'commands.log'), `${now()} ${[...values].join(' ')}\n`),
});
await runBridge(memoryPorts(graph));

function readMode() {
  try {
    return readFileSync(join(folder, 'mode'), 'utf8').trim();
  } catch {
    return 'ok';
  }
}

function writeGarbage() {
  try {
    writeSync(3, randomBytes(4096));
  } catch {
    // The guard does not read as fast as that.
  }
}

function now() {
  return Number(process.hrtime.bigint()) * 1e-9;
}
