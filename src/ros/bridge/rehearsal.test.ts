/** Detection of a rehearsal: joint states carry it in their frame, a base's source publishes another topic. */
import { expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { diffBase } from '../../../tests/support/robot-models.ts';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { until } from '../../../tests/support/until.ts';
import { ROS_CONDITION } from '../../drivers/index.ts';
import type { GuardNotice } from '../../rows/index.ts';
import { Odometry } from '../messages/definitions.ts';
import { STATE_QOS } from '../port/qos.ts';
import { Bridge } from './bridge.ts';

it.each([
  ['is simulated where one node tells where it is and where it truly is', ['base', 'base'], true],
  ['is real where another node than its own tells a ground truth', ['base', 'cameras'], false],
])('a base %s', async (_what, [odometer, knowing], expected) => {
  const ports = memoryPorts(new MemoryGraph());
  const nodes = new Map<string, Awaited<ReturnType<typeof ports>>>();
  for (const [nodeName, topic] of [
    [odometer!, 'odom'],
    [knowing!, 'ground_truth'],
  ] as const) {
    const node = nodes.get(nodeName) ?? (await ports({ nodeName, onFault: () => undefined }));
    nodes.set(nodeName, node);
    node.advertise(Odometry, topic, STATE_QOS);
  }
  const port = await ports({ nodeName: 'rein_bridge', onFault: () => undefined });
  const clock = new FakeClock(1_000_000_000n);
  const said: GuardNotice[] = [];
  const toGuard = {
    ready: () => undefined,
    state: () => true,
    answer: () => undefined,
    notice: (notice: GuardNotice) => void said.push(notice),
    failed: () => undefined,
    acted: () => undefined,
  };
  const options = rosOptions(diffBase, 'twist', { state: { kind: 'odometry', topic: 'odom' } });
  const config = { model: diffBase, options, rosArguments: [], inbox: '' };
  const bridge = new Bridge({ port, config, generation: 1, toGuard, clock });
  for (const each of [...nodes.values(), port]) each.start();
  bridge.start();
  // Silence is reported after three seconds, in the same check as this.
  const isLooked = (): boolean => {
    clock.advanceMs(1000);
    return said.some(({ message }) => message.startsWith('No odometry'));
  };
  await until(isLooked, 'a look');
  expect(said.some(({ condition }) => condition === ROS_CONDITION.simulated)).toBe(expected);
  bridge.close();
  for (const each of [...nodes.values(), port]) await each.close();
});
