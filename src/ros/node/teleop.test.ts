/** Operators by topic: frames accepted of twists, and the record of their input. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { TestRobot } from '../../../tests/support/session.ts';
import { until } from '../../../tests/support/until.ts';
import { SystemClock } from '../../model/index.ts';
import type { SessionEvent } from '../../session/index.ts';
import { Joy, TwistStamped } from '../messages/definitions.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import { Teleop } from './teleop.ts';

let rig: Awaited<ReturnType<typeof createRig>>;
afterEach(async () => {
  await rig.node.close();
  await rig.hand.close();
  await rig.robot.close();
});

/** Node that listens to an operator of this kind, and the operator's node. */
async function createRig(operator: 'joy' | 'twist') {
  const ports = memoryPorts(new MemoryGraph());
  const node = await ports({ nodeName: 'rein', onFault: () => undefined });
  const hand = await ports({ nodeName: 'hand', onFault: () => undefined });
  const robot = new TestRobot();
  const events: SessionEvent[] = [];
  const teleop = new Teleop({
    port: node,
    operator,
    pad: 'xbox',
    leaseS: 0.1,
    setup: robot.setup,
    folder: robot.folder,
    clock: new SystemClock(),
    onEvent: (event) => events.push(event),
    onMark: () => undefined,
  });
  const [source] = teleop.create();
  const twists = hand.advertise(TwistStamped, '/rein/teleop', SENSOR_QOS);
  const joys = hand.advertise(Joy, '/joy', SENSOR_QOS);
  node.start();
  hand.start();
  return { node, hand, robot, events, source: source!, twists, joys };
}

/** Publishes, and waits for the reception. */
async function say(publish: () => void): Promise<void> {
  const { counters } = rig.source;
  const sum = (): number => counters.taken + counters.stale + counters.malformed;
  const before = sum();
  publish();
  await until(() => sum() > before, 'the message');
}

function stampNow(): { sec: number; nanosec: number } {
  const nowNs = rig.node.clock.nowNs();
  return { sec: Number(nowNs / 1_000_000_000n), nanosec: Number(nowNs % 1_000_000_000n) };
}

function twist(frame: string, x = 0): Promise<void> {
  const message = TwistStamped.create();
  message.header.frame_id = frame;
  message.header.stamp = stampNow();
  message.twist.linear.x = x;
  return say(() => rig.twists.publish(message));
}

function joy(stick: number, ...pressed: readonly number[]): Promise<void> {
  const message = Joy.create();
  message.header.stamp = stampNow();
  message.axes = Float32Array.from({ length: 8 }, (_, i) => (i === 1 ? stick : 0));
  message.buttons = Int32Array.from({ length: 11 }, (_, i) => Number(pressed.includes(i)));
  return say(() => rig.joys.publish(message));
}

interface Line {
  readonly t: number;
  readonly stamp?: number;
  readonly axes?: readonly number[];
  readonly buttons?: readonly number[];
}

async function recorded(): Promise<readonly Line[]> {
  rig.source.close();
  const file = join(rig.robot.folder, `operator-${rig.source.name}.jsonl`);
  const lines = (): string[] => readFileSync(file, 'utf8').trim().split('\n');
  await until(() => existsSync(file) && lines().at(-1)!.includes('"end"'), 'the end of the record');
  return lines().map((line) => JSON.parse(line) as Line);
}

it('refuses twists of another frame than the base, counts them, and says so once', async () => {
  rig = await createRig('twist');
  const { source, events } = rig;
  await twist('tool0');
  await twist('tool0');
  expect(source.counters).toEqual({ taken: 0, stale: 0, malformed: 2 });
  expect(source.isInControl).toBe(false);
  expect(events).toMatchObject([{ row: 11, message: expect.stringContaining('"tool0"') }]);
  await twist('');
  await twist('base_link');
  expect(source.counters).toEqual({ taken: 2, stale: 0, malformed: 2 });
});

it('keeps what a joystick said, from the message before the first take-over on', async () => {
  rig = await createRig('joy');
  await joy(0.25);
  await joy(0);
  await joy(0, 4);
  await joy(0.5, 4);
  await joy(0.5, 4);
  await joy(0, 7);
  await joy(0, 7);
  const lines = await recorded();
  expect(lines.map(({ axes }) => axes?.[1])).toEqual([0, 0, 0.5, 0.5, 0, undefined]);
  expect(lines.map(({ buttons }) => buttons?.indexOf(1))).toEqual([-1, 4, 4, 4, 7, undefined]);
  expect(lines[4]!.stamp! - lines[0]!.stamp!).toBeGreaterThan(0);
  expect(lines.at(-1)).toMatchObject({ end: true, dropped: 0 });
});

it('keeps the six numbers of a twist', async () => {
  rig = await createRig('twist');
  await twist('', 0);
  await twist('', 0.125);
  const lines = await recorded();
  const still = { x: 0, y: 0, z: 0 };
  expect(lines.slice(0, 2)).toMatchObject([
    { linear: still, angular: still },
    { linear: { ...still, x: 0.125 }, angular: still },
  ]);
  expect(Object.keys(lines[0]!)).toEqual(['t', 'stamp', 'linear', 'angular']);
});

it('makes no file where nobody took over', async () => {
  rig = await createRig('joy');
  await joy(0.25);
  rig.source.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(existsSync(join(rig.robot.folder, 'operator-joy.jsonl'))).toBe(false);
});
