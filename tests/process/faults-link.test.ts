/** Rows about the network, end to end: a robot's and a learner's process, and between them a wire that is cut and that lies. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { Dealer } from 'zeromq';
import { connectUplink, openJournal, readJournal } from '../../src/link/index.ts';
import { encodeFrame } from '../../src/link/wire.ts';
import { faultRow } from '../support/fault-row.ts';
import { freeAddress } from '../support/free-port.ts';
import { LinkProcesses, type Started } from '../support/link-processes.ts';
import { until } from '../support/until.ts';

const SIZES = { observationSize: 8, actionSize: 3 };
const RUN = { runId: 'run', schemaHash: '00112233445566ff' };
const LIMIT_MS = 30_000;
const processes = new LinkProcesses();
const closers: (() => unknown)[] = [];
let dir: string;
let address: string;
let log: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rein-wall-link-'));
  address = await freeAddress();
  log = join(dir, 'learner.log');
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  processes.kill();
  rmSync(dir, { recursive: true, force: true });
});

async function startLearner(): Promise<Started> {
  const learner = processes.start('link-learner.js', address, log);
  await until(() => learner.output().includes('ready'), 'the learner', LIMIT_MS);
  return learner;
}

/** The learner's counters, when it has ended. */
async function countersOf(learner: Started): Promise<{ delivered: number; quarantined: Record<string, number> }> {
  learner.child.stdin?.end();
  await learner.exit;
  return JSON.parse(learner.output().split('\n').at(-2)!);
}

const delivered = (): string[] => readFileSync(log, 'utf8').split('\n').slice(0, -1);

/** A wire to `target` that can be cut, and that changes bytes on the way to it. */
async function startWire(target: number) {
  const wire = { isCut: false, lies: 0, reported: 0, address: '' };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (wire.isCut) {
      near.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        near.destroy();
        far.destroy();
        sockets.delete(socket);
      });
    }
    let passed = 0;
    near.on('data', (bytes) => {
      // Long chunks are transitions: what is short sets the connection up, or keeps it.
      if (passed++ > 8 && wire.reported < wire.lies && bytes.length > 200) {
        bytes[100 + ((wire.reported * 37) % 80)]! ^= 0x10;
        wire.reported++;
      }
      far.write(bytes);
    });
    far.pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  wire.address = `tcp://127.0.0.1:${(server.address() as { port: number }).port}`;
  const cut = (): void => {
    wire.isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return { wire, cut };
}

describe('between robot and learner', () => {
  faultRow(
    [5, 6],
    'process',
    'a wire that is cut and that lies loses, doubles and changes nothing',
    async (promised) => {
      const learner = await startLearner();
      const { wire, cut } = await startWire(Number(address.split(':')[2]));
      const total = 3000;
      const robot = processes.start('link-robot.js', wire.address, join(dir, 'journal'), String(total), log);
      await until(() => delivered().length > 200, 'the first steps', LIMIT_MS);
      wire.lies = 20;
      await until(() => wire.reported === wire.lies || delivered().length > 1500, 'lies', LIMIT_MS);
      cut();
      await delay(300);
      const before = delivered().length;
      expect(before).toBeLessThan(total);
      wire.isCut = false;
      const healedMs = performance.now();
      await until(() => delivered().length > before, 'steps after the cut', LIMIT_MS);
      expect((performance.now() - healedMs) / 1e3).toBeLessThan(promised('reconnectsWithinS'));
      expect(await robot.exit).toBe(0);
      const { quarantined } = await countersOf(learner);
      expect(wire.reported).toBeGreaterThan(0);
      expect(Object.values(quarantined).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(
        promised('acceptedCorrupted'),
      );
      const recorded = [...readJournal(join(dir, 'journal'))].map((t) => `${t.epoch} ${t.seq} ${t.step}`);
      const taken = delivered().map((line) => line.slice(line.indexOf(' ') + 1));
      expect(recorded.filter((step) => !taken.includes(step))).toHaveLength(promised('lostSteps'));
      expect(taken.length - new Set(taken).size).toBe(promised('doubledSteps'));
      expect(taken).toEqual(recorded);
    },
  );

  faultRow(
    29,
    'process',
    'a second robot of the same name, or on the same journal, is refused and told who is there',
    async (promised) => {
      const learner = await startLearner();
      const robot = processes.start('link-robot.js', address, join(dir, 'journal'), '1000000', log);
      await until(() => delivered().length > 0, 'the first robot', LIMIT_MS);
      expect(() => openJournal({ dir: join(dir, 'journal'), ...RUN, ...SIZES })).toThrow(
        `is in use by process ${robot.child.pid}`,
      );
      const journal = openJournal({ dir: join(dir, 'other'), ...RUN, ...SIZES });
      closers.push(() => journal.close());
      const startedMs = performance.now();
      let refusedMs = Number.NaN;
      const second = connectUplink({
        address,
        robotId: 'arm',
        ...RUN,
        journal,
        heartbeatMs: 200,
        onState: (state) => {
          if (state === 'refused') refusedMs = performance.now() - startedMs;
        },
      });
      closers.push(() => second.close());
      await until(() => !Number.isNaN(refusedMs), 'the refusal', LIMIT_MS);
      expect(refusedMs / 1e3).toBeLessThan(promised('refusedWithinS'));
      await expect(second.connected(100)).rejects.toThrow(`already connected (process ${robot.child.pid} on `);
      robot.child.kill('SIGKILL');
      await countersOf(learner);
    },
  );

  faultRow(
    [30, 31, 32],
    'process',
    'garbage, too long messages and a flood cost a stranger its connection, and the robot nothing',
    async (promised) => {
      const learner = await startLearner();
      const robot = processes.start('link-robot.js', address, join(dir, 'journal'), '2000', log);
      const residentBytes = (): number =>
        4096 * Number(readFileSync(`/proc/${learner.child.pid}/statm`, 'utf8').split(' ')[1]);
      await until(() => delivered().length > 100, 'the robot', LIMIT_MS);
      const before = residentBytes();
      const stranger = new Dealer({ linger: 0, sendHighWaterMark: 100, sendTimeout: 200 });
      closers.push(() => stranger.close());
      stranger.connect(address);
      const query = Buffer.from(encodeFrame({ kind: 'query', schemaHash: RUN.schemaHash }));
      const garbage = Buffer.alloc(2000, 0x5a);
      const endMs = performance.now() + 1000;
      let sent = 0;
      while (performance.now() < endMs || sent <= 1000) {
        await stranger.send(sent++ % 2 === 0 ? query : garbage).catch(() => undefined);
        if (sent % 500 === 0) await delay(1);
      }
      const grown = residentBytes() - before;
      const tooLong = new Dealer({ linger: 0 });
      closers.push(() => tooLong.close());
      tooLong.connect(address);
      await tooLong.send(Buffer.alloc(promised('maxBytes') + 1));
      expect(await robot.exit).toBe(0);
      const counters = JSON.parse(robot.output().split('\n').at(-2)!);
      expect(counters).toMatchObject({ isDrained: true, acked: 2000, lost: 0, duplicated: 0 });
      expect(grown).toBeLessThan(promised('growthBytes'));
      expect(await countersOf(learner)).toMatchObject({
        delivered: 2000 + promised('acceptedStrange'),
        quarantined: { 'bad-magic': expect.any(Number) },
      });
    },
  );
});
