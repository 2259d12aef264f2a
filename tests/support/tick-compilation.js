/**
 * Warms the tick up and then runs a guard with other objects, as the tick's thread does, on a mock of the robot that the file describes:
 * `tick-compilation.js ROBOT`. For `--trace-opt --trace-deopt`; a line `WARM` stands where the warm-up has ended.
 */

import { loadRobotFile } from '../../dist/config/index.js';
import { LockStepClock } from '../../dist/core/index.js';
import { MockDriver } from '../../dist/drivers/index.js';
import { Guard } from '../../dist/guard/guard.js';
import { commandNumbers, createActionCommand, frameNumbers, packCommand } from '../../dist/guard/link/frames.js';
import { createRingPort } from '../../dist/guard/ring-port.js';
import { Lateness } from '../../dist/guard/scheduler.js';
import { createSharedRingMemory, SharedRingWriter } from '../../dist/guard/shared-ring.js';
import { warmUp } from '../../dist/guard/warm-up.js';

const TICKS = 10_000;
const TICKS_PER_STEP = 10;

const { robot: model } = loadRobotFile(process.argv[2]);
const dimensions = model.joints.map(({ name }) => ({ name, scale: 0.02, unit: 'rad' }));
const robot = { model, action: { kind: 'joint', dimensions }, policyPeriodS: TICKS_PER_STEP / model.controlHz };
await warmUp(robot);
console.log('WARM');

const clock = new LockStepClock(1 / model.controlHz);
const driver = new MockDriver(model);
await driver.open();
const shape = { joints: model.joints.length, signals: 0, actions: dimensions.length };
const frames = createSharedRingMemory(frameNumbers(shape), 8);
const commands = createSharedRingMemory(commandNumbers(shape), 8);
const writer = new SharedRingWriter(commands);
const port = createRingPort({ frames, commands });
const guard = new Guard({ ...robot, driver, clock, port, timing: new Lateness() });
const command = createActionCommand(dimensions.length);
command.decider = 'policy';
command.leaseS = 1;
for (let tick = 0; tick < TICKS; tick++) {
  clock.step();
  guard.tick();
  if (tick % TICKS_PER_STEP !== 0) continue;
  if (guard.state === 'standby') guard.handle({ kind: 'enable' });
  if (guard.state === 'ready') guard.handle({ kind: 'activate' });
  command.seq++;
  command.issuedAtS = clock.nowS();
  for (let i = 0; i < command.action.length; i++) command.action[i] = 0.3 * Math.sin(command.seq / 20 + i);
  packCommand(writer.rows, writer.offset(), command);
  writer.publish();
}
console.log(`STATE ${guard.state}`);
