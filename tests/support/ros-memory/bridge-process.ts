/**
 * The bridge without ROS, for tests: on a graph in this process, with a robot that follows position commands at once. What
 * the file `mode` in REIN_TEST_FOLDER says goes wrong: `silent` (no joint states), `late` (five a second), `garbage`
 * (random bytes to the guard). Commands that arrive are written to `commands.log`: monotonic seconds, then the numbers.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runBridge } from '../../../src/ros/bridge/process.ts';
import { MemoryGraph } from './memory-graph.ts';
import { memoryPorts } from './memory-port.ts';
import { startMemoryRobot } from './robot.ts';

const folder = process.env['REIN_TEST_FOLDER'] ?? '';
const graph = new MemoryGraph();
let periods = 0;
await startMemoryRobot(graph, {
  mayPublish: () => {
    const mode = readMode();
    periods++;
    if (mode === 'garbage') writeGarbage();
    return mode !== 'silent' && (mode !== 'late' || periods % 20 === 0);
  },
  onCommand: (values) => appendFileSync(join(folder, 'commands.log'), `${now()} ${[...values].join(' ')}\n`),
});
await runBridge(memoryPorts(graph));

function readMode(): string {
  try {
    return readFileSync(join(folder, 'mode'), 'utf8').trim();
  } catch {
    return 'ok';
  }
}

function writeGarbage(): void {
  try {
    writeSync(3, randomBytes(4096));
  } catch {
    // The guard does not read as fast as that.
  }
}

function now(): number {
  return Number(process.hrtime.bigint()) * 1e-9;
}
