/** Twists of a person: whose frame they must be in. */
import { expect, it } from 'vitest';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { TestRobot } from '../../../tests/support/session.ts';
import { until } from '../../../tests/support/until.ts';
import { SystemClock } from '../../core/index.ts';
import type { SessionEvent } from '../../session/index.ts';
import { TwistStamped } from '../messages/definitions.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import { Teleop } from './teleop.ts';

it('refuses twists of another frame than the base, counts them, and says so once', async () => {
  const ports = memoryPorts(new MemoryGraph());
  const node = await ports({ nodeName: 'rein', onFault: () => undefined });
  const hand = await ports({ nodeName: 'hand', onFault: () => undefined });
  const publisher = hand.advertise(TwistStamped, '/rein/teleop', SENSOR_QOS);
  const events: SessionEvent[] = [];
  const teleop = new Teleop({
    port: node,
    operator: 'twist',
    pad: 'xbox',
    leaseS: 0.1,
    setup: new TestRobot().setup,
    clock: new SystemClock(),
    onEvent: (event) => events.push(event),
    onMark: () => undefined,
  });
  const [source] = teleop.create();
  node.start();
  hand.start();
  const send = async (frame: string, sum: number): Promise<void> => {
    const message = TwistStamped.create();
    message.header.frame_id = frame;
    const nowNs = node.clock.nowNs();
    message.header.stamp = { sec: Number(nowNs / 1_000_000_000n), nanosec: Number(nowNs % 1_000_000_000n) };
    publisher.publish(message);
    await until(() => source!.counters.taken + source!.counters.malformed === sum, 'the message');
  };
  await send('tool0', 1);
  await send('tool0', 2);
  expect(source?.counters).toEqual({ taken: 0, stale: 0, malformed: 2 });
  expect(source?.isInControl).toBe(false);
  expect(events).toMatchObject([{ row: 11, message: expect.stringContaining('"tool0"') }]);
  await send('', 3);
  await send('base_link', 4);
  expect(source?.counters).toEqual({ taken: 2, stale: 0, malformed: 2 });
  await node.close();
  await hand.close();
});
