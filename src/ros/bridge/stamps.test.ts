/** Stamps of measurements: their order, and their transport delay. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { until } from '../../../tests/support/until.ts';
import type { GuardNotice } from '../../rows/index.ts';
import { JointState } from '../messages/definitions.ts';
import { STATE_QOS } from '../port/qos.ts';
import type { RosPort, RosPublisher } from '../port/ros-port.ts';
import { Notices } from './notices.ts';
import { RobotReadings } from './robot-readings.ts';

const names = ur5eLike.joints.map(({ name }) => name);
const options = rosOptions(ur5eLike);
let port: RosPort;
let robot: RosPort;
let states: RosPublisher<JointState>;
let readings: RobotReadings;

beforeEach(async () => {
  const ports = memoryPorts(new MemoryGraph());
  port = await ports({ nodeName: 'bridge', onFault: () => undefined });
  robot = await ports({ nodeName: 'robot', onFault: () => undefined });
  states = robot.advertise(JointState, 'joint_states', STATE_QOS);
  readings = new RobotReadings(port, ur5eLike, options, () => undefined);
  port.start();
  robot.start();
});
afterEach(async () => {
  await port.close();
  await robot.close();
});

it('drops what comes out of order, and takes what a clock that was set back says', async () => {
  await publish(100.5, 0.5);
  await publish(100.4, 0.4);
  await publish(99.6, 0.3);
  expect([readings.measurements, readings.state.positionRad[0]]).toEqual([1, 0.5]);
  await publish(100.6, 0.6);
  await publish(40, 0.4);
  await publish(40.1, 0.7);
  expect([readings.measurements, readings.state.positionRad[0]]).toEqual([4, 0.7]);
});

it.each([
  ['says a measurement that was long on its way where the clocks agreed', 0, 1],
  ['says nothing where they never agreed', 30, 0],
])('%s', async (_what, offsetS, said) => {
  const clock = new FakeClock();
  const notices: GuardNotice[] = [];
  const nobody = () => ({ topic: '', nodes: [] });
  const notice = new Notices({
    options,
    readings,
    clock,
    isSimulated: () => false,
    commanders: nobody,
    contradiction: () => undefined,
    graphFaults: () => [],
    say: (found) => notices.push(found),
  });
  const look = (): void => {
    clock.advanceMs(1000);
    notice.look();
  };
  const nowS = (): number => Number(port.clock.nowNs()) * 1e-9 - offsetS;
  await publish(nowS() - 0.3, 0);
  // The newest was delayed; earlier ones are not counted again.
  look();
  look();
  const old = notices.filter(({ message }) => message.includes('ms old'));
  expect(old.map(({ row, level }) => [row, level])).toEqual(said === 1 ? [[10, 'warn']] : []);
});

async function publish(stampS: number, positionRad: number): Promise<void> {
  const message = JointState.create();
  message.header.stamp = { sec: Math.floor(stampS), nanosec: Math.round((stampS % 1) * 1e9) };
  message.name = names;
  message.position = new Float64Array(names.length).fill(positionRad);
  const received = readings.subscription.counters.received;
  states.publish(message);
  await until(() => readings.subscription.counters.received > received, 'the message');
}
