/**
 * Tens of thousands of payloads at a port, 100 000 in the long run: views, every other kind of array, wrong types, broken and changed bytes. Nothing may crash,
 * nothing wrong may arrive, and each must be accounted for: delivered, refused at the sender, or counted as malformed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ReinError } from '../../src/model/index.ts';
import type { MessageType } from '../../src/ros/messages/message-type.ts';
import { MESSAGE_TYPES } from '../../src/ros/messages/registry.ts';
import type { QosProfile } from '../../src/ros/port/qos.ts';
import type { RosPort, RosPortFactory, RosPublisher, RosSubscription } from '../../src/ros/port/ros-port.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { IS_LONG } from '../support/long.ts';
import { describeRos } from '../support/ros.ts';
import { RosFuzzer } from '../support/ros-fuzz.ts';
import { MemoryGraph } from '../support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../support/ros-memory/memory-port.ts';
import { difference } from '../support/ros-messages.ts';
import { until } from '../support/until.ts';

const PAYLOADS = IS_LONG ? 100_000 : 20_000;
/** Sent into one topic before what came is looked at: all of it fits into the reader's queue. */
const BATCH = 100;
const QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 2 * BATCH };
const ARRIVES_WITHIN_MS = 20_000;
/** Enough to have every kind of field; a node with a hundred topics is nobody's. */
const ON_THE_WIRE = [
  'sensor_msgs/msg/JointState',
  'std_msgs/msg/Float64MultiArray',
  'trajectory_msgs/msg/JointTrajectory',
  'geometry_msgs/msg/TwistStamped',
  'sensor_msgs/msg/Joy',
  'sensor_msgs/msg/Imu',
  'sensor_msgs/msg/LaserScan',
  'sensor_msgs/msg/CompressedImage',
  'diagnostic_msgs/msg/DiagnosticArray',
  'std_msgs/msg/Bool',
];
/** The same on every run: a failure can be repeated. */
const SEED = 2026;

/** A topic, what was sent into it, and what must come out, in that order. */
class Lane<T> {
  sent = 0;
  wrong: string | undefined;
  readonly #writer: RosPublisher<T>;
  readonly #reader: RosSubscription;
  readonly #expected: unknown[] = [];

  constructor(port: RosPort, topic: string, writerType: MessageType<T>, readerType: MessageType<unknown>) {
    this.#writer = port.advertise(writerType, topic, QOS);
    this.#reader = port.subscribe(readerType, topic, QOS, (message) => {
      if (this.#expected.length === 0) this.wrong ??= `${topic}: a message that nobody has sent`;
      const found = difference(message, this.#expected.shift());
      if (found !== undefined) this.wrong ??= topic + found;
    });
  }

  get isConnected(): boolean {
    return this.#writer.subscriberCount === 1 && this.#reader.publisherCount === 1;
  }

  /** Delivered or counted as malformed. */
  /** Messages that must still come. */
  get missing(): number {
    return this.#expected.length;
  }

  get arrived(): number {
    return this.#reader.counters.received + this.#reader.counters.malformed;
  }

  get received(): number {
    return this.#reader.counters.received;
  }

  get malformed(): number {
    return this.#reader.counters.malformed;
  }

  send(message: T, expected: { readonly message: unknown } | undefined): void {
    if (expected !== undefined) this.#expected.push(expected.message);
    this.#writer.publish(message);
    this.sent++;
  }

  /** Sends what cannot be sent. */
  refuses(message: T): boolean {
    try {
      this.#writer.publish(message);
      return false;
    } catch (error) {
      if (error instanceof ReinError && error.kind === 'message') return true;
      throw error;
    }
  }
}

/** Bytes that are sent as they are: what a foreign node may send. */
function bytesOf(type: MessageType<unknown>): MessageType<Buffer> {
  return {
    name: type.name,
    fields: type.fields,
    create: () => Buffer.alloc(0),
    encode(bytes, into) {
      into.bytes = Buffer.from(bytes);
      return bytes.length;
    },
    decode: () => {},
  };
}

/** What these bytes say to a reader that has read nothing before; `undefined` where they are no message. */
function meaning(type: MessageType<unknown>, bytes: Buffer): { readonly message: unknown } | undefined {
  const message = type.create();
  try {
    type.decode(bytes, message);
    return { message };
  } catch {
    return undefined;
  }
}

interface Account {
  payloads: number;
  delivered: number;
  refused: number;
  malformed: number;
}

/** Sends `PAYLOADS` through a port, to itself; fails at the first that is not as it must be. */
async function fuzz(ports: RosPortFactory, types: readonly MessageType<unknown>[]): Promise<Account> {
  const port = await ports({ nodeName: 'fuzz', onFault: () => {} });
  const fuzzer = new RosFuzzer(SEED);
  const account: Account = { payloads: 0, delivered: 0, refused: 0, malformed: 0 };
  const lanes = types.map((type, i) => ({
    type,
    typed: new Lane(port, `fuzz/typed_${i}`, type, type),
    raw: new Lane(port, `fuzz/raw_${i}`, bytesOf(type), type),
  }));
  const all = lanes.flatMap(({ typed, raw }) => [typed, raw]);
  try {
    port.start();
    await until(() => all.every((lane) => lane.isConnected), 'every topic has both its ends');
    while (account.payloads < PAYLOADS) {
      for (const { type, typed, raw } of lanes) {
        for (let k = 0; k < BATCH; k++) sendOne(fuzzer, type, typed, raw, k, account);
      }
      await settled(all);
    }
    account.delivered = all.reduce((sum, lane) => sum + lane.received, 0);
    account.malformed = all.reduce((sum, lane) => sum + lane.malformed, 0);
    for (const { type, typed } of lanes) expect(typed.malformed, type.name).toBe(0);
  } finally {
    await port.close();
  }
  return account;
}

/** Of five payloads two are good, one cannot be sent, one is broken and one is changed. */
function sendOne(
  fuzzer: RosFuzzer,
  type: MessageType<unknown>,
  typed: Lane<unknown>,
  raw: Lane<Buffer>,
  k: number,
  account: Account,
): void {
  account.payloads++;
  if (k % 5 === 2 && type.fields.length > 0) {
    const bad = fuzzer.bad(type);
    if (!typed.refuses(bad)) expect.fail(`${type.name} was sent, though it does not fit: ${String(bad)}`);
    account.refused++;
  } else if (k % 5 === 3) {
    raw.send(fuzzer.broken(type), undefined);
  } else if (k % 5 === 4) {
    const bytes = fuzzer.changed(type);
    raw.send(bytes, meaning(type, bytes));
  } else {
    const { sent, expected } = fuzzer.good(type);
    typed.send(sent, { message: expected });
  }
}

async function settled(lanes: readonly Lane<never>[]): Promise<void> {
  const endMs = performance.now() + ARRIVES_WITHIN_MS;
  for (const lane of lanes) {
    while (lane.arrived < lane.sent) {
      if (performance.now() > endMs) expect.fail(`of ${lane.sent} messages ${lane.arrived} arrived`);
      await turn();
    }
    expect(lane.wrong).toBeUndefined();
    expect(lane.missing).toBe(0);
  }
}

function check(account: Account): void {
  const { payloads, delivered, refused, malformed } = account;
  expect(payloads).toBeGreaterThanOrEqual(PAYLOADS);
  expect(delivered + refused + malformed).toBe(payloads);
  // Each kind of trouble was there, and often.
  expect(Math.min(delivered, refused, malformed)).toBeGreaterThan(PAYLOADS / 10);
  console.log(`fuzz: ${payloads} payloads, ${delivered} delivered, ${refused} refused, ${malformed} malformed`);
}

describe('a port in memory', () => {
  it('delivers, refuses or counts each of many payloads, and delivers nothing wrong', {
    timeout: 120_000,
  }, async () => {
    check(await fuzz(memoryPorts(new MemoryGraph()), MESSAGE_TYPES));
  });
});

describeRos('a port to the real ROS 2', () => {
  it('does the same, and the process lives', { timeout: 300_000 }, async () => {
    check(
      await fuzz(
        openRosPort,
        MESSAGE_TYPES.filter((type) => ON_THE_WIRE.includes(type.name)),
      ),
    );
  });
});
