/**
 * Every message type through the real thing: our bytes go out by DDS, rclpy reads them as typed messages and sends what it
 * has read back. What comes back is what was sent, in every field.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MessageType } from '../../src/ros/messages/message-type.ts';
import { MESSAGE_TYPES } from '../../src/ros/messages/registry.ts';
import { EVENT_QOS } from '../../src/ros/port/qos.ts';
import type { RosPort, RosPublisher } from '../../src/ros/port/ros-port.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { describeRos, type RosProcess, startRclpy } from '../support/ros.ts';
import { difference, fromJson } from '../support/ros-messages.ts';
import { until } from '../support/until.ts';

const goldenFile = join(import.meta.dirname, '..', 'golden', 'ros', 'messages.json');

/** Sends back whatever comes, read and written by the Python messages of each type. */
const ECHO = `
import importlib, sys
import rclpy
from rclpy.qos import QoSProfile

rclpy.init()
node = rclpy.create_node('echo')
qos = QoSProfile(depth=100)
for i, name in enumerate(sys.argv[1:]):
    package, _, message = name.split('/')
    kind = getattr(importlib.import_module(package + '.msg'), message)
    back = node.create_publisher(kind, f'back_{i}', qos)
    node.create_subscription(kind, f'there_{i}', back.publish, qos)
print('ready', flush=True)
rclpy.spin(node)
`;

interface Lane {
  readonly type: MessageType<unknown>;
  readonly there: RosPublisher<unknown>;
  readonly came: { count: number; wrong: string | undefined };
  readonly sent: unknown[];
  readonly isOpen: () => boolean;
}

/** Our own interfaces are there only where the package is built and sourced. */
const hasOwn = (process.env['AMENT_PREFIX_PATH'] ?? '')
  .split(':')
  .some((prefix) => existsSync(join(prefix, 'share', 'rein', 'msg')));
const types = MESSAGE_TYPES.filter((type) => hasOwn || !type.name.startsWith('rein/'));

describeRos('messages between Rein and rclpy', () => {
  let port: RosPort;
  let echo: RosProcess;
  let lanes: Lane[];

  beforeAll(async () => {
    port = await openRosPort({ nodeName: 'sender', onFault: ({ where, message }) => console.log(where, message) });
    lanes = types.map((type, i) => lane(port, type, i));
    port.start();
    echo = startRclpy(
      ECHO,
      types.map((type) => type.name),
    );
    await echo.printed(/^ready$/m, 30_000);
  }, 60_000);

  afterAll(async () => {
    await port?.close();
    await echo?.kill('SIGKILL');
  });

  it(`come back as they were sent: ${types.length} types${hasOwn ? '' : ', without our own'}`, {
    timeout: 60_000,
  }, async () => {
    const golden = JSON.parse(readFileSync(goldenFile, 'utf8'));
    for (const { type, there, came, sent, isOpen } of lanes) {
      await until(isOpen, `${type.name} has both its ends`);
      for (const { message } of golden[type.name]) {
        const whole = fromJson(type, message);
        sent.push(whole);
        there.publish(whole);
      }
      await until(() => came.count === golden[type.name].length, `${type.name} comes back`);
      expect(came.wrong, type.name).toBeUndefined();
    }
  });
});

function lane(port: RosPort, type: MessageType<unknown>, i: number): Lane {
  const sent: unknown[] = [];
  const came: Lane['came'] = { count: 0, wrong: undefined };
  const there = port.advertise(type, `there_${i}`, EVENT_QOS);
  const back = port.subscribe(type, `back_${i}`, EVENT_QOS, (message) => {
    came.wrong ??= difference(message, sent[came.count]);
    came.count++;
  });
  return { type, there, came, sent, isOpen: () => there.subscriberCount === 1 && back.publisherCount === 1 };
}
