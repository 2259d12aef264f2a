/**
 * Prints what a tick of the guard leaves on the heap, bytes, with the mock arm that the file of a robot describes:
 * `tick-garbage.js ROBOT`. For `--expose-gc`, and a young generation so large that no collection hides anything.
 */

import { loadRobotFile } from '../../dist/config/index.js';
import { MockDriver } from '../../dist/drivers/index.js';
import { GuardTick } from '../../dist/guard/guard-tick.js';
import { controlTick } from '../../dist/guard/tick.js';
import { LockStepClock } from '../../dist/model/index.js';
import { asGuardReadsIt } from './guard-config.js';

const WARM_TICKS = 20_000;
const TICKS = 5_000;
const ROUNDS = 3;
const TICKS_PER_STEP = 10;

const { robot: written } = loadRobotFile(process.argv[2]);
const robot = asGuardReadsIt({
  // So low that the tool speed is limited in most ticks.
  model: { ...written, toolSpeedMaxMPerS: 0.03 },
  action: { kind: 'joint', dimensions: written.joints.map(({ name }) => ({ name, scale: 0.02, unit: 'rad' })) },
  policyPeriodS: TICKS_PER_STEP / written.controlHz,
});
const { model } = robot;
const clock = new LockStepClock(1 / model.controlHz);
const driver = new MockDriver(model, { signalNames: [] });
const facts = await driver.open();
let ticks = 0;
const port = {
  latestCommand(command) {
    if (ticks % TICKS_PER_STEP !== 0) return false;
    command.seq++;
    command.decider = 'policy';
    command.issuedAtS = clock.nowS();
    command.leaseS = 0.3;
    for (let i = 0; i < command.action.length; i++) command.action[i] = 0.3 * Math.sin(command.seq / 20 + i);
    return true;
  },
  publish() {},
};
const stages = new GuardTick({ ...robot, driver, facts, clock, port });

function run(count) {
  for (let i = 0; i < count; i++, ticks++) {
    clock.step();
    controlTick(stages);
  }
}

run(TICKS_PER_STEP);
stages.enter('ready');
run(TICKS_PER_STEP);
stages.enter('active.policy');
run(WARM_TICKS);
// The least of some rounds: what a tick leaves, it leaves in every round; what compiling anew leaves, it does once.
let bytes = Number.POSITIVE_INFINITY;
for (let round = 0; round < ROUNDS; round++) {
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  run(TICKS);
  bytes = Math.min(bytes, process.memoryUsage().heapUsed - before);
}
console.log(JSON.stringify({ bytesPerTick: bytes / TICKS, state: stages.state }));
