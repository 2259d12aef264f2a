/** A steered base is stopped on its curve: the wheels keep their angle. */
import { expect, it } from 'vitest';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { until } from '../../../tests/support/until.ts';
import { COMMAND, COMMAND_KIND, commandNumbers, PULSE, PULSE_KIND, ROS_MESSAGE } from '../../drivers/index.ts';
import { modelOfBase, SystemClock } from '../../model/index.ts';
import { AckermannDriveStamped } from '../messages/definitions.ts';
import { COMMAND_QOS } from '../port/qos.ts';
import type { RosPort } from '../port/ros-port.ts';
import { Bridge } from './bridge.ts';
import { Stopper } from './stopper.ts';

const steering = { steeringMaxRad: 0.5, steeringRateMaxRadPerS: 3, steeringAccelMaxRadPerS2: 20, wheelbaseM: 0.3 };
const model = modelOfBase('car', { kind: 'ackermann', speedMaxMPerS: 1, accelMaxMPerS2: 2, ...steering }, 100);
const options = rosOptions(model, 'ackermann', { state: { kind: 'odometry', topic: 'odom' } });
const config = { model, options, rosArguments: [], inbox: '' };
const clock = new SystemClock();
const toGuard = {
  ready: () => undefined,
  state: () => true,
  answer: () => undefined,
  notice: () => undefined,
  failed: () => undefined,
  acted: () => undefined,
};

it.each([
  ['the bridge', stopByBridge],
  ['what can only stop', stopByStopper],
])('%s stops with the last steering angle', async (_who, stop) => {
  const ports = memoryPorts(new MemoryGraph());
  const base = await ports({ nodeName: 'base', onFault: () => undefined });
  const heard: [number, number][] = [];
  base.subscribe(AckermannDriveStamped, 'commands', COMMAND_QOS, ({ drive }) => {
    heard.push([drive.speed, drive.steering_angle]);
  });
  base.start();
  const port = await ports({ nodeName: 'rein', onFault: () => undefined });
  stop(port, 0.25);
  await until(() => heard.length >= 3, 'stops');
  for (const [speed, angle] of heard) expect([speed, angle]).toEqual([0, 0.25]);
  await port.close();
  await base.close();
});

function stopByBridge(port: RosPort, steeringRad: number): void {
  const bridge = new Bridge({ port, config, generation: 1, toGuard, clock });
  port.start();
  const command = new Float64Array(commandNumbers(options));
  [command[COMMAND.generation], command[COMMAND.seq], command[COMMAND.kind]] = [1, 1, COMMAND_KIND.stop];
  command[COMMAND.scalars + 1] = steeringRad;
  bridge.receive(ROS_MESSAGE.command, new Uint8Array(command.buffer));
}

function stopByStopper(port: RosPort, steeringRad: number): void {
  const stopper = new Stopper({ port, config, toGuard, clock });
  port.start();
  const pulse = new Float64Array(PULSE.numbers);
  [pulse[PULSE.kind], pulse[PULSE.steeringRad]] = [PULSE_KIND.act, steeringRad];
  stopper.receive(ROS_MESSAGE.pulse, new Uint8Array(pulse.buffer));
}
