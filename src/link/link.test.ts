import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Dealer, Router } from 'zeromq';
import { faultRow } from '../../tests/support/fault-row.ts';
import { freeAddress } from '../../tests/support/free-port.ts';
import { ofOlderVersion, startOlderLearner } from '../../tests/support/other-version.ts';
import { Rng } from '../model/index.ts';
import { createTransition, type Transition } from '../rows/index.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { readJournal } from './journal/reader.ts';
import { ACK_REWIND, ackPayload, jsonPayload } from './messages.ts';
import { askLearner } from './query.ts';
import { RECORD_VERSION } from './record.ts';
import { type LearnerServer, type LearnerServerOptions, startLearnerServer } from './server.ts';
import { connectUplink, type Uplink, type UplinkOptions } from './uplink.ts';
import { decodeFrame, encodeFrame, HEADER, robotIdHash, WIRE_VERSION } from './wire.ts';

const SIZES = { observationSize: 4, actionSize: 2 };
const RUN = { runId: 'run-1', schemaHash: '00112233445566ff' };
const QUICK = { heartbeatMs: 100, liveMs: 400 };
let dir: string;
const open: { close(): Promise<void> }[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'link-'));
});
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
  rmSync(dir, { recursive: true, force: true });
});

function step(n: number): Transition {
  const t = createTransition(SIZES.observationSize, SIZES.actionSize);
  t.step = n;
  t.reward = n / 7;
  t.observation.fill(n);
  return t;
}

function journalIn(name = 'journal'): Journal {
  const journal = openJournal({ dir: join(dir, name), ...RUN, ...SIZES });
  open.push(journal);
  return journal;
}

async function server(seen: Transition[], more: Partial<LearnerServerOptions> = {}): Promise<LearnerServer> {
  const started = await startLearnerServer({
    bind: await freeAddress(),
    ...RUN,
    ...SIZES,
    ...QUICK,
    onTransition: (t) => {
      seen.push(t);
    },
    ...more,
  });
  open.push(started);
  return started;
}

function uplink(address: string, journal: Journal, more: Partial<UplinkOptions> = {}): Uplink {
  const made = connectUplink({ address, robotId: 'arm', ...RUN, journal, heartbeatMs: 100, ...more });
  open.push(made);
  return made;
}

const older = (...frame: Parameters<typeof encodeFrame>): Uint8Array => ofOlderVersion(encodeFrame(...frame));

function names(seen: readonly Transition[]): string[] {
  return seen.map((t) => `${t.epoch}.${t.seq}:${t.step}`);
}

describe('link', () => {
  it('delivers what is recorded, in order and unchanged, and counts it', async () => {
    const seen: Transition[] = [];
    const { address, counters } = await server(seen);
    const journal = journalIn();
    const link = uplink(address, journal);
    await link.connected(2000);
    const made = Array.from({ length: 500 }, (_, i) => step(i));
    for (const t of made) journal.append(t);
    expect(await link.drain(5000)).toBe(true);
    expect(seen).toEqual(made);
    expect(link.counters).toEqual({ sent: 500, acked: 500, duplicated: 0, lost: 0, pending: 0, resent: 0 });
    expect(counters).toMatchObject({ received: 500, delivered: 500, repeated: 0, lost: 0, quarantined: {} });
  });

  it('delivers every record once through restarts of the learner that remembers', async () => {
    const rng = new Rng(1);
    const seen: Transition[] = [];
    const journal = journalIn();
    let learner = await server(seen);
    const link = uplink(learner.address, journal);
    let made = 0;
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 60; i++) journal.append(step(made++));
      await delay(rng.uniformIn(0, 60));
      await learner.close();
      learner = await server(seen, { bind: learner.address, watermarks: learner.watermarks() });
    }
    expect(await link.drain(8000)).toBe(true);
    expect(names(seen)).toEqual(Array.from({ length: made }, (_, i) => `1.${i}:${i}`));
    expect(link.counters).toMatchObject({ sent: made, acked: made, duplicated: 0, lost: 0, pending: 0 });
  });

  it('delivers every record once through restarts of the robot, earlier epochs included', async () => {
    const rng = new Rng(2);
    const seen: Transition[] = [];
    const learner = await server(seen);
    let made = 0;
    for (let round = 0; round < 6; round++) {
      const journal = openJournal({ dir: join(dir, 'journal'), ...RUN, ...SIZES });
      const link = connectUplink({ address: learner.address, robotId: 'arm', ...RUN, journal, heartbeatMs: 100 });
      for (let i = 0; i < 50; i++) journal.append(step(made++));
      await delay(rng.uniformIn(0, 40));
      if (round === 5) expect(await link.drain(5000)).toBe(true);
      await link.close();
      await journal.close();
    }
    expect(names(seen)).toEqual(names([...readJournal(join(dir, 'journal'))]));
    expect(seen).toHaveLength(made);
    expect(learner.counters).toMatchObject({ delivered: made, lost: 0 });
  });

  it('refuses a robot whose numbers mean something else, and names the key with both values', async () => {
    const learner = await server([], { meaning: { policyHz: 10, task: 'insert' } });
    const quick = uplink(learner.address, journalIn('a'), { meaning: { policyHz: 20, task: 'insert' } });
    await expect(quick.connected(3000)).rejects.toThrow('policyHz is 20 at the robot arm and 10 at the learner');
    const tight = uplink(learner.address, journalIn('b'), { robotId: 'b', meaning: { policyHz: 10, task: 'tight' } });
    await expect(tight.connected(3000)).rejects.toThrow('task is "tight" at the robot b and "insert" at the learner');
    const same = uplink(learner.address, journalIn('c'), { robotId: 'c', meaning: { policyHz: 10, task: 'insert' } });
    await same.connected(3000);
  });

  it('does not take the word of a learner that is dead, and says the last word behind all records to each', async () => {
    const first: Transition[] = [];
    const journal = journalIn();
    const learner = await server(first);
    const link = uplink(learner.address, journal);
    for (let i = 0; i < 40; i++) journal.append(step(i));
    expect(await link.drain(5000)).toBe(true);
    await learner.close();
    expect(await link.drain(300)).toBe(false);
    const heard: string[] = [];
    link.sendLast('end', {});
    const second: Transition[] = [];
    for (let life = 0; life < 2; life++) {
      second.length = 0;
      const next = await server(second, {
        bind: learner.address,
        onControl: (kind) => heard.push(`${kind} after ${second.length}`),
      });
      await expect.poll(() => heard.length, { timeout: 8000 }).toBe(life + 1);
      expect(await link.drain(5000)).toBe(true);
      if (life === 0) await next.close();
    }
    expect(heard).toEqual(['end after 40', 'end after 40']);
  });

  it('sends again what a learner lost that restarts from an older checkpoint', async () => {
    const first: Transition[] = [];
    const journal = journalIn();
    const learner = await server(first);
    const link = uplink(learner.address, journal);
    for (let i = 0; i < 30; i++) journal.append(step(i));
    await link.drain(5000);
    const checkpoint = learner.watermarks();
    for (let i = 30; i < 50; i++) journal.append(step(i));
    await link.drain(5000);
    await learner.close();
    const second: Transition[] = [];
    await server(second, { bind: learner.address, watermarks: checkpoint });
    await expect.poll(() => second.length, { timeout: 5000 }).toBe(20);
    expect(second[0]!.seq).toBe(30);
    expect(await link.drain(5000)).toBe(true);
    expect(link.counters).toMatchObject({ acked: 50, duplicated: 0, lost: 0 });
  });

  it('acknowledges a record only after the learner has accepted it', async () => {
    const seen: Transition[] = [];
    const faults: string[] = [];
    let failures = 3;
    const learner = await server(seen, {
      onTransition: async (t) => {
        await delay(1);
        if (t.seq === 5 && failures-- > 0) throw new Error('no room');
        seen.push(t);
      },
      onFault: (message) => faults.push(message),
    });
    const journal = journalIn();
    const link = uplink(learner.address, journal);
    for (let i = 0; i < 20; i++) journal.append(step(i));
    expect(await link.drain(5000)).toBe(true);
    expect(names(seen)).toEqual(Array.from({ length: 20 }, (_, i) => `1.${i}:${i}`));
    expect(faults).toHaveLength(3);
  });

  it('does not take a robot that begins a new journal for one that repeats itself', async () => {
    const seen: Transition[] = [];
    const learner = await server(seen);
    for (const name of ['one', 'two']) {
      const journal = journalIn(name);
      const link = uplink(learner.address, journal);
      for (let i = 0; i < 10; i++) journal.append(step(i));
      expect(await link.drain(5000)).toBe(true);
      await link.close();
    }
    expect(seen).toHaveLength(20);
    expect(learner.watermarks()).toHaveLength(2);
  });

  it('refuses another run, another schema and a second live robot of the same id, each in one sentence', async () => {
    const learner = await server([]);
    const refused = async (name: string, more: Partial<UplinkOptions>) => {
      const link = uplink(learner.address, journalIn(name), more);
      // The other robot may leave, so this refusal is not final: wait for it here.
      if (name === 'd') await expect.poll(() => link.state, { timeout: 5000 }).toBe('refused');
      return link.connected(name === 'd' ? 0 : 2000).then(
        () => 'welcome',
        (error: Error) => error.message,
      );
    };
    expect(await refused('a', { runId: 'run-2' })).toBe('the learner is for run run-1, the robot arm is in run run-2');
    expect(await refused('b', { schemaHash: 'ffffffffffffffff' })).toBe(
      'the learner was started for schema 00112233445566ff, the robot arm has ffffffffffffffff',
    );
    expect(await refused('c', {})).toBe('welcome');
    expect(await refused('d', {})).toMatch(/^a robot with the id arm is already connected \(process \d+ on .+\)$/);
    expect(await refused('e', { robotId: 'other' })).toBe('welcome');
    expect(learner.robots().sort()).toEqual(['arm', 'other']);
  });

  it('refuses a robot that writes other records, and says so to it', async () => {
    const learner = await server([]);
    const old = new Dealer({ linger: 0 });
    open.push({ close: async () => old.close() });
    old.connect(learner.address);
    const { schemaHash } = RUN;
    const hello = {
      robotId: 'old',
      runId: 'run-1',
      journalId: 'x',
      epoch: 1,
      ...SIZES,
      instance: 'i',
      pid: 1,
      host: 'h',
    };
    await old.send(encodeFrame({ kind: 'hello', schemaHash, robotHash: robotIdHash('old') }, jsonPayload(hello)));
    const frame = decodeFrame((await old.receive())[0]!);
    if (!frame.ok) throw new Error(frame.error.message);
    expect(frame.value.kind).toBe('refuse');
    expect(JSON.parse(Buffer.from(frame.value.payload).toString())).toEqual({
      code: 'wrong-version',
      message: 'the robot writes transitions in version 1, the learner reads version 2',
      remedy: 'run the same version of Rein on the robot and on the learner',
    });
    expect(learner.counters.refused).toEqual({ 'wrong-version': 1 });
  });

  it('does not send to a learner that reads other records', async () => {
    const old = new Router({ linger: 0 });
    open.push({ close: async () => old.close() });
    await old.bind('tcp://127.0.0.1:*');
    const link = uplink(old.lastEndpoint!, journalIn());
    const [identity] = await old.receive();
    const answer = { watermark: null, delivered: 0, creditRecords: 10, instance: 'i' };
    await old.send([identity!, encodeFrame({ kind: 'helloAck' }, jsonPayload(answer))]);
    await expect(link.connected(5000)).rejects.toMatchObject({
      message: 'the robot writes transitions in version 2, the learner reads version 1',
      remedy: 'run the same version of Rein on the robot and on the learner',
    });
  });

  describe('in an older version of the protocol', () => {
    const message = `the other side speaks version ${WIRE_VERSION - 1} of the protocol, this one ${WIRE_VERSION}`;

    it('a robot is refused, the learner says so once, and others are served', async () => {
      const faults: string[] = [];
      const learner = await server([], { onFault: (fault) => faults.push(fault) });
      const old = new Dealer({ linger: 0 });
      open.push({ close: async () => old.close() });
      old.connect(learner.address);
      for (let i = 0; i < 3; i++) {
        await old.send(older({ kind: 'hello' }, jsonPayload({})));
        const answer = decodeFrame((await old.receive())[0]!);
        if (!answer.ok) throw new Error(answer.error.message);
        expect(answer.value.kind).toBe('refuse');
        expect(JSON.parse(Buffer.from(answer.value.payload).toString())).toMatchObject({
          code: 'wrong-version',
          message,
        });
      }
      expect(faults).toEqual([`a robot is refused: ${message}`]);
      expect(learner.counters).toMatchObject({ refused: { 'wrong-version': 3 }, quarantined: { 'bad-version': 3 } });
      await uplink(learner.address, journalIn()).connected(3000);
    });

    it('a learner is refused by the robot, before and when it asks who is there', async () => {
      const old = await startOlderLearner();
      open.push(old);
      const remedy = 'run the same version of Rein on the robot and on the learner';
      await expect(askLearner(old.address, 3000)).rejects.toMatchObject({
        kind: 'environment',
        remedy,
        message: `the learner at ${old.address} cannot be used: ${message}`,
      });
      const reasons: (string | undefined)[] = [];
      const link = uplink(old.address, journalIn(), { onState: (_, reason) => reasons.push(reason) });
      await expect(link.connected(3000)).rejects.toMatchObject({ message, remedy });
      expect(reasons).toEqual([message]);
    });
  });

  describe('when a bit of the version flips on the way', () => {
    const damaged = (...frame: Parameters<typeof encodeFrame>): Uint8Array => {
      const bytes = encodeFrame(...frame);
      bytes[HEADER.version]! ^= 4;
      return bytes;
    };
    /** A learner that damages its first answer to each kind of frame. */
    async function damagingOnce(): Promise<Router> {
      const router = new Router({ linger: 0 });
      open.push({ close: async () => router.close() });
      await router.bind('tcp://127.0.0.1:*');
      const answered = new Set<string>();
      const known = { watermark: null, delivered: 0, creditRecords: 10, recordVersion: RECORD_VERSION };
      const answer = jsonPayload({ ...known, instance: 'i', runId: 'run-1', weightsVersion: 0 });
      void (async () => {
        for await (const [identity, bytes] of router) {
          const frame = decodeFrame(bytes!);
          const kind = frame.ok && frame.value.kind === 'query' ? 'about' : 'helloAck';
          await router.send([identity!, (answered.has(kind) ? encodeFrame : damaged)({ kind }, answer)]);
          answered.add(kind);
        }
      })().catch(() => undefined);
      return router;
    }

    it.each([
      ['the version of a heartbeat', damaged],
      ['a frame that looks like one of another version', older],
    ])('a learner refuses no robot that it knows for %s', async (_, made) => {
      const faults: string[] = [];
      const learner = await server([], { heartbeatMs: 10_000, onFault: (fault) => faults.push(fault) });
      const robot = new Dealer({ linger: 0 });
      open.push({ close: async () => robot.close() });
      robot.connect(learner.address);
      const fields = { schemaHash: RUN.schemaHash, robotHash: robotIdHash('arm') };
      const journal = { journalId: 'x', epoch: 1, ...SIZES, recordVersion: RECORD_VERSION };
      const hello = { robotId: 'arm', runId: 'run-1', ...journal, instance: 'i', pid: 1, host: 'h' };
      const kinds: string[] = [];
      await robot.send(encodeFrame({ kind: 'hello', ...fields }, jsonPayload(hello)));
      for (const next of [made, encodeFrame]) {
        const frame = decodeFrame((await robot.receive())[0]!);
        kinds.push(frame.ok ? frame.value.kind : frame.error.message);
        await robot.send(next({ kind: 'heartbeat', ...fields }));
        if (next === made) await robot.send(encodeFrame({ kind: 'heartbeat', ...fields }));
      }
      expect(kinds).toEqual(['helloAck', 'ack']);
      expect(faults).toEqual([]);
      expect(learner.counters.refused).toEqual({});
    });

    it('a learner leaves a first hello unanswered, which is sent again', async () => {
      const learner = await server([]);
      const robot = new Dealer({ linger: 0 });
      open.push({ close: async () => robot.close() });
      robot.connect(learner.address);
      await robot.send(damaged({ kind: 'hello' }));
      await expect.poll(() => learner.counters.quarantined).toEqual({ 'bad-checksum': 1 });
      expect(learner.counters.refused).toEqual({});
    });

    it('a robot waits for the next answer to its hello, and to its question who is there', async () => {
      const { lastEndpoint } = await damagingOnce();
      expect(await askLearner(lastEndpoint!, 5000)).toMatchObject({ runId: 'run-1' });
      const states: string[] = [];
      const link = uplink(lastEndpoint!, journalIn(), { onState: (state) => states.push(state) });
      await link.connected(5000);
      expect(states).toEqual(['connected']);
    });
  });

  it('lets another robot take the place of one that has fallen silent', async () => {
    const learner = await server([]);
    const first = uplink(learner.address, journalIn('a'));
    await first.connected(2000);
    const second = uplink(learner.address, journalIn('b'));
    await expect.poll(() => second.state, { timeout: 5000 }).toBe('refused');
    await first.close();
    await expect.poll(() => second.state, { timeout: 3000 }).toBe('connected');
  });

  faultRow(
    30,
    'fake',
    'says in one sentence that a port is in use, an address is wrong, or no learner answers',
    async () => {
      const learner = await server([]);
      const port = learner.address.split(':').at(-1);
      await expect(server([], { bind: learner.address })).rejects.toMatchObject({
        message: `port ${port} on 127.0.0.1 is in use`,
        remedy: expect.stringContaining('--bind'),
      });
      await expect(server([], { bind: '127.0.0.1' })).rejects.toThrow('is not an address of the form tcp://host:port');
      await expect(server([], { bind: 'tcp://0.0.0.0:0' })).rejects.toThrow('only loopback addresses are allowed');
      expect(() => uplink('localhost:1', journalIn('a'))).toThrow('is not an address');
      const link = uplink('tcp://127.0.0.1:1', journalIn('b'));
      await expect(link.connected(100)).rejects.toThrow('no learner answers at tcp://127.0.0.1:1');
    },
  );

  it('carries control messages both ways, once and in order, through a restart of the learner', async () => {
    const fromRobot: unknown[] = [];
    const fromLearner: unknown[] = [];
    const onControl = (kind: string, body: object, robot: string) => fromRobot.push([kind, body, robot]);
    const learner = await server([], { onControl });
    const link = uplink(learner.address, journalIn(), { onControl: (kind, body) => fromLearner.push([kind, body]) });
    link.sendControl('begin', { n: 0 });
    await link.connected(2000);
    for (let i = 1; i < 5; i++) {
      link.sendControl('step', { n: i });
      learner.sendControl('status', { updates: i });
    }
    await expect.poll(() => fromRobot.length).toBe(5);
    await expect.poll(() => fromLearner.length).toBe(4);
    await expect.poll(() => link.isControlDelivered).toBe(true);
    await learner.close();
    link.sendControl('end', { n: 5 });
    await delay(50);
    await server([], { bind: learner.address, onControl });
    await expect.poll(() => fromRobot.length, { timeout: 5000 }).toBe(6);
    expect(fromRobot.map((m) => (m as [string, { n: number }, string])[1].n)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(fromLearner.map((m) => (m as [string, { updates: number }])[1].updates)).toEqual([1, 2, 3, 4]);
  });

  it('goes on serving after garbage, strangers and oversized messages', async () => {
    const seen: Transition[] = [];
    const learner = await server(seen);
    const stranger = new Dealer({ linger: 0 });
    stranger.connect(learner.address);
    const rng = new Rng(3);
    for (let i = 0; i < 200; i++) {
      await stranger.send(Buffer.from(Array.from({ length: rng.int(120) }, () => rng.int(256))));
    }
    await stranger.send(['two', 'parts']);
    await stranger.send(Buffer.alloc(17 * 1024 * 1024));
    const journal = journalIn();
    const link = uplink(learner.address, journal);
    for (let i = 0; i < 10; i++) journal.append(step(i));
    expect(await link.drain(5000)).toBe(true);
    stranger.close();
    expect(seen).toHaveLength(10);
    expect(learner.counters.quarantined['too-short']).toBeGreaterThan(0);
    expect(learner.counters.quarantined['bad-magic']).toBeGreaterThan(0);
  });

  it('sends again what nobody acknowledged, and leaves a learner that has gone silent', async () => {
    const router = new Router({ linger: 0 });
    await router.bind('tcp://127.0.0.1:0');
    const journal = journalIn();
    const link = uplink(router.lastEndpoint!, journal, { heartbeatMs: 40 });
    for (let i = 0; i < 3; i++) journal.append(step(i));
    const seen: string[] = [];
    const welcome = { watermark: null, delivered: 0, creditRecords: 10, recordVersion: RECORD_VERSION, instance: 'x' };
    while (seen.filter((kind) => kind === 'transitions').length < 2) {
      const [identity, bytes] = await router.receive();
      const frame = decodeFrame(bytes!);
      if (!frame.ok) throw new Error(frame.error.message);
      seen.push(frame.value.kind);
      const isHello = frame.value.kind === 'hello';
      await router.send([
        identity!,
        encodeFrame({ kind: isHello ? 'helloAck' : 'heartbeat' }, isHello ? jsonPayload(welcome) : undefined),
      ]);
    }
    expect(link.state).toBe('connected');
    expect(link.counters).toEqual({ sent: 3, acked: 0, duplicated: 0, lost: 0, pending: 3, resent: 3 });
    await expect.poll(() => link.state).toBe('connecting');
    router.close();
  });

  it.each([
    ['takes nothing for lost', 0],
    ['goes back to nothing', ACK_REWIND],
  ])('%s because an acknowledgement was overtaken by a later one', async (_, overtakenFlags) => {
    const router = new Router({ linger: 0 });
    open.push({ close: async () => router.close() });
    await router.bind('tcp://127.0.0.1:0');
    const journal = journalIn();
    // Long enough for a busy machine: silence causes a go-back too.
    const link = uplink(router.lastEndpoint!, journal, { heartbeatMs: 500 });
    const welcome = { watermark: null, delivered: 0, creditRecords: 10, recordVersion: RECORD_VERSION, instance: 'x' };
    const ack = (seq: number) => {
      const flags = seq === 3 ? overtakenFlags : 0;
      return encodeFrame({ kind: 'ack', flags, epoch: 1, sequence: seq }, ackPayload(seq + 1));
    };
    for (let i = 0; i < 8; i++) journal.append(step(i));
    await journal.flush();
    const reported: number[] = [];
    while (reported.length < 2) {
      const [identity, bytes] = await router.receive();
      const frame = decodeFrame(bytes!);
      if (!frame.ok) throw new Error(frame.error.message);
      const { kind, sequence } = frame.value;
      if (kind === 'hello') await router.send([identity!, encodeFrame({ kind: 'helloAck' }, jsonPayload(welcome))]);
      if (kind === 'transitions') for (const seq of [7, 3]) await router.send([identity!, ack(seq)]);
      if (kind === 'heartbeat' && link.counters.acked === 8) reported.push(sequence);
    }
    expect(reported).toEqual([0, 0]);
    expect(link.counters).toMatchObject({ acked: 8, lost: 0, resent: 0 });
  });

  it('sets aside records that are not finite and counts them as lost', async () => {
    const seen: Transition[] = [];
    const learner = await server(seen);
    const journal = journalIn();
    const link = uplink(learner.address, journal);
    for (let i = 0; i < 5; i++) {
      const t = step(i);
      if (i === 2) t.observation[1] = Number.NaN;
      journal.append(t);
    }
    expect(await link.drain(5000)).toBe(true);
    expect(seen.map((t) => t.seq)).toEqual([0, 1, 3, 4]);
    expect(learner.counters).toMatchObject({ quarantined: { 'not-finite': 1 }, lost: 1 });
    expect(link.counters).toMatchObject({ acked: 5, lost: 1, duplicated: 0 });
  });
});
