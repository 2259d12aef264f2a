/** An emulated arm as a program of others finds it: a serial port, with all that can be wrong at its other end. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { DescriptorLine, feetech, ServoBus, serialNumberOf } from '../../src/drivers/serial.ts';
import { SystemClock } from '../../src/model/index.ts';
import { Emulated } from '../support/emulated.ts';
import { IS_LONG } from '../support/long.ts';

const IDS = Uint8Array.of(1, 2, 3, 4, 5, 6);
const GOAL = 42;
const POSITION = 56;
const TORQUE_ENABLE = 40;
const GRIPPER = 6;
/** Others may be using this machine. */
const ANSWER_S = 0.25;

const arms: Emulated[] = [];
const lines: DescriptorLine[] = [];
afterEach(async () => {
  for (const line of lines.splice(0)) line.close();
  for (const arm of arms.splice(0)) await arm.end();
});

async function emulated(...args: readonly string[]): Promise<Emulated> {
  const arm = new Emulated(['feetech', ...args]);
  arms.push(arm);
  await arm.next('ready');
  return arm;
}

function busOf({ link }: Emulated): ServoBus {
  const line = new DescriptorLine({ path: link, baud: 1_000_000 }, new SystemClock());
  lines.push(line);
  return new ServoBus({ line, protocol: feetech.STS_PROTOCOL, answerS: ANSWER_S });
}

function positions(bus: ServoBus): number[] {
  const into = new Uint8Array(2 * IDS.length);
  expect(bus.syncRead(IDS, IDS.length, POSITION, 2, into)).toBe(IDS.length);
  return [...IDS].map((_, i) => into[2 * i]! + 256 * into[2 * i + 1]!);
}

/** Torque on where they stand, and the gripper to `goal`. */
function moveGripper(bus: ServoBus, goal: number): void {
  const goals = positions(bus);
  goals[GRIPPER - 1] = goal;
  bus.syncWrite(IDS, IDS.length, GOAL, Uint8Array.from(goals.flatMap((at) => [at & 255, at >> 8])), 2);
  bus.syncWrite(IDS, IDS.length, TORQUE_ENABLE, new Uint8Array(IDS.length).fill(1), 1);
}

/** Reads until the gripper is near `goal`, for 5 s at most. */
function gripperReaches(bus: ServoBus, goal: number): boolean {
  const { clock } = bus.line;
  for (const untilS = clock.nowS() + 5; clock.nowS() < untilS; bus.line.wait(clock.nowS() + 0.02)) {
    if (Math.abs(positions(bus)[GRIPPER - 1]! - goal) < 20) return true;
  }
  return false;
}

it('is an arm whose servos answer, and whose joints go where they are sent', async () => {
  const arm = await emulated();
  const bus = busOf(arm);
  for (const id of IDS) expect(bus.ping(id, new Uint8Array(1), 0)).toBe('ok');
  expect(bus.ping(9, new Uint8Array(1), 0)).toBe('missing');
  expect(positions(bus)[0]).toBeGreaterThan(2000);
  moveGripper(bus, 2600);
  expect(gripperReaches(bus, 2600)).toBe(true);
  const { requests, checksumErrors } = await arm.type('statistics', 'statistics');
  expect(requests).toBeGreaterThan(10);
  expect(checksumErrors).toBe(0);
});

it('has the faults that are typed, until it is healed', async () => {
  const arm = await emulated('--fault', 'dead=3');
  const bus = busOf(arm);
  const ping = (id: number) => bus.ping(id, new Uint8Array(1), 0);
  expect([ping(2), ping(3)]).toEqual(['ok', 'missing']);
  await arm.type('heal 3');
  expect(ping(3)).toBe('ok');
  await arm.type('error 2 32');
  ping(2);
  expect(bus.errorOf(2)).toBe(32);
  moveGripper(bus, 2500);
  await arm.type('brown-out');
  const torque = new Uint8Array(1).fill(9);
  expect(bus.read(GRIPPER, TORQUE_ENABLE, 1, torque)).toBe('ok');
  expect(torque[0]).toBe(0);
  const { message } = await arm.type('ded 3', 'refused');
  expect(message).toMatch(/did you mean "dead"/);
});

it.runIf(IS_LONG)('loses requests where that is said, and then nothing is obeyed', async () => {
  const arm = await emulated('--fault', 'drop=1,requests');
  const bus = busOf(arm);
  expect(bus.ping(1, new Uint8Array(1), 0, 1)).toBe('missing');
  expect((await arm.type('statistics', 'statistics'))['requests']).toBe(0);
  await arm.type('drop 0 requests');
  expect(bus.ping(1, new Uint8Array(1), 0)).toBe('ok');
});

it.runIf(IS_LONG)('spoils the next packet as it is told, and lets two servos have one id', async () => {
  const arm = await emulated();
  const bus = busOf(arm);
  const ping = (id: number) => bus.ping(id, new Uint8Array(1), 0, 1);
  for (const fault of ['flip 20', 'drop 2 1', 'wrong-id 9']) {
    await arm.type(`next ${fault}`);
    expect([fault, ping(1), ping(1)]).toEqual([fault, 'missing', 'ok']);
  }
  await arm.type('next split 3 0.002');
  expect(ping(1)).toBe('ok');
  await arm.type('set 2 id 1');
  expect(ping(2)).toBe('missing');
  expect(bus.read(1, 0, 70, new Uint8Array(70))).toBe('missing');
  const { collidedBytes } = await arm.type('statistics', 'statistics');
  expect(collidedBytes).toBeGreaterThan(10);
  const { message } = await arm.type('set 3 colour 1', 'refused');
  expect(message).toMatch(/no register colour of a device 3/);
});

it('is gone when it is unplugged, and back under its name', async () => {
  const arm = await emulated();
  const before = busOf(arm);
  expect(serialNumberOf(arm.link)).toBe('TEST42');
  expect(before.ping(1, new Uint8Array(1), 0)).toBe('ok');
  const { path } = await arm.type('unplug');
  expect(path).toBeNull();
  expect(existsSync(arm.link)).toBe(false);
  expect(lstatSync(arm.link).isSymbolicLink()).toBe(true);
  expect(before.ping(1, new Uint8Array(1), 0)).toBe('lost');
  await arm.type('plug');
  expect(busOf(arm).ping(1, new Uint8Array(1), 0)).toBe('ok');
});

it.runIf(IS_LONG)('understands nobody at another baud rate', async () => {
  const arm = await emulated();
  const bus = busOf(arm);
  const ping = () => bus.ping(1, new Uint8Array(1), 0);
  expect(ping()).toBe('ok');
  spawnSync('stty', ['-F', arm.link, '115200']);
  expect(ping()).toBe('missing');
  expect((await arm.type('statistics', 'statistics'))['hostBaud']).toBe(115_200);
  spawnSync('stty', ['-F', arm.link, '1000000']);
  expect(ping()).toBe('ok');
});

it.runIf(IS_LONG)('is not held up by a host that does not read', async () => {
  const arm = await emulated('--fault', 'noise=90000');
  const bus = busOf(arm);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await arm.type('noise 0');
  bus.drain();
  expect(bus.ping(1, new Uint8Array(1), 0)).toBe('ok');
  const { lostBytes } = await arm.type('statistics', 'statistics');
  expect(lostBytes).toBeGreaterThan(50_000);
});

it('leaves nothing behind at Ctrl+C', async () => {
  const arm = await emulated();
  arm.child.kill('SIGINT');
  expect(await arm.ended).toBe(130);
  expect(lstatSync(arm.link, { throwIfNoEntry: false })).toBeUndefined();
  expect(arm.events.map(({ event }) => event)).toContain('ended');
});
