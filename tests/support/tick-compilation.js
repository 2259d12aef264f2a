/**
 * Warms the tick up and then runs a guard with other objects, as the tick's thread does, on a mock of the robot that the file describes:
 * `tick-compilation.js ROBOT joints|tool`, what its commands move. For `--trace-opt --trace-deopt`; a line `WARM` stands where the warm-up has ended.
 */

import { loadRobotFile } from '../../dist/config/index.js';
import { MockDriver } from '../../dist/drivers/index.js';
import { Guard } from '../../dist/guard/guard.js';
import { commandNumbers, createActionCommand, frameNumbers, packCommand } from '../../dist/guard/link/frames.js';
import { createRingPort } from '../../dist/guard/ring-port.js';
import { Lateness } from '../../dist/guard/scheduler.js';
import { createSharedRingMemory, SharedRingWriter } from '../../dist/guard/shared-ring.js';
import { warmUp } from '../../dist/guard/warm-up.js';
import { LockStepClock } from '../../dist/model/index.js';
import { asGuardReadsIt } from './guard-config.js';

const [, , file, moved] = process.argv;
/** The tool goes to and fro, and slowly everywhere, at 1 kHz: it meets its walls and its own links. Joints swing a little. */
const isTool = moved === 'tool';
const TICKS = isTool ? 15_000 : 10_000;
const TICKS_PER_STEP = isTool ? 100 : 10;

const { robot: written } = loadRobotFile(file);
const tool = ['x', 'y', 'z'].map((name) => ({ name, scale: 0.01, unit: 'm' }));
const joints = written.joints.map(({ name }) => ({ name, scale: 0.02, unit: 'rad' }));
const controlHz = isTool ? 1000 : written.controlHz;
const robot = asGuardReadsIt({
  model: { ...written, controlHz },
  action: isTool ? { kind: 'cartesian', dimensions: tool } : { kind: 'joint', dimensions: joints },
  policyPeriodS: TICKS_PER_STEP / controlHz,
});
const { model, action } = robot;

function wanted(step, i) {
  return isTool ? Math.sin(step + i) + Math.sin(step / 20 + 2 * i) : 0.3 * Math.sin(step / 20 + i);
}

await warmUp(robot);
console.log('WARM');

const clock = new LockStepClock(1 / model.controlHz);
const driver = new MockDriver(model);
const facts = await driver.open();
const shape = { joints: model.joints.length, signals: 0, actions: action.dimensions.length };
const frames = createSharedRingMemory(frameNumbers(shape), 8);
const commands = createSharedRingMemory(commandNumbers(shape), 8);
const writer = new SharedRingWriter(commands);
const port = createRingPort({ frames, commands });
const guard = new Guard({ ...robot, driver, facts, clock, port, timing: new Lateness() });
const command = createActionCommand(action.dimensions.length);
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
  for (let i = 0; i < command.action.length; i++) command.action[i] = wanted(command.seq, i);
  packCommand(writer.rows, writer.offset(), command);
  writer.publish();
}
console.log(`STATE ${guard.state}`);
