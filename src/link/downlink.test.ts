import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Publisher } from 'zeromq';
import { faultRow } from '../../tests/support/fault-row.ts';
import { freeAddress } from '../../tests/support/free-port.ts';
import { ofOlderVersion } from '../../tests/support/other-version.ts';
import { type PolicyWeights, sealWeights } from '../model/index.ts';
import { type SubscribeOptions, subscribeWeights } from './downlink.ts';
import { encodeBundle } from './messages.ts';
import { type LearnerServer, startLearnerServer } from './server.ts';
import { encodeFrame, type LinkFault, WIRE_VERSION } from './wire.ts';

const RUN = { runId: 'run-1', schemaHash: '00112233445566ff' };
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
});

async function server(bind?: string, heartbeatMs = 100): Promise<LearnerServer> {
  const started = await startLearnerServer({
    bind: bind ?? (await freeAddress()),
    ...RUN,
    observationSize: 1,
    actionSize: 1,
    heartbeatMs,
    onTransition: () => undefined,
  });
  open.push(started);
  return started;
}

function bundle(version: number, more: { runId?: string; weight?: number } = {}): PolicyWeights {
  const fields = {
    ...RUN,
    version,
    parent: version === 1 ? null : version - 1,
    trainingStep: 10 * version,
    updates: 0,
    createdAt: '2026-01-01T00:00:00.000Z',
    shapes: [{ name: 'w', shape: [25_000] }],
  };
  const weights = new Float32Array(25_000).fill(more.weight ?? version);
  return sealWeights({ ...fields, runId: more.runId ?? RUN.runId }, new Uint8Array([1, 2, 3]), weights);
}

function subscribe(learner: { address: string }, more: Partial<SubscribeOptions> = {}) {
  const versions: number[] = [];
  const faults: LinkFault[] = [];
  const subscription = subscribeWeights({
    address: learner.address,
    keep: 'all',
    ...RUN,
    onBundle: (b) => {
      expect(b.weights[24_999]).toBe(b.manifest.version);
      versions.push(b.manifest.version);
    },
    onFault: (fault) => faults.push(fault),
    ...more,
  });
  open.push(subscription);
  return { subscription, versions, faults };
}

describe('weights on the wire', () => {
  it.each(['newest', 'all'] as const)(
    'reach a subscriber of %s that was there before them, and a late one',
    async (keep) => {
      const learner = await server(undefined, 60_000); // no periodic repetition
      const early = subscribe(learner, { keep });
      await delay(50);
      learner.publish(bundle(1));
      await expect.poll(() => early.subscription.version).toBe(1);
      const late = subscribe(learner, { keep });
      await expect.poll(() => late.subscription.version).toBe(1);
      learner.publish(bundle(2));
      await expect.poll(() => [...early.versions, ...late.versions]).toEqual([1, 2, 1, 2]);
    },
  );

  it('come all and in order to who wants all, however slow and late', async () => {
    const learner = await server();
    for (let v = 1; v <= 5; v++) learner.publish(bundle(v));
    const versions: number[] = [];
    const slow = subscribe(learner, {
      onBundle: async (b) => {
        await delay(3);
        versions.push(b.manifest.version);
      },
    });
    for (let v = 6; v <= 40; v++) {
      learner.publish(bundle(v));
      if (v % 4 === 0) await delay(2);
    }
    await expect.poll(() => slow.subscription.version, { timeout: 5000 }).toBe(40);
    await expect.poll(() => versions).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(slow.faults).toEqual([]);
  });

  it('skip what is overtaken for who wants the newest', async () => {
    const learner = await server();
    const versions: number[] = [];
    let resume = (): void => undefined;
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const slow = subscribe(learner, {
      keep: 'newest',
      onBundle: async (b) => {
        versions.push(b.manifest.version);
        await paused;
      },
    });
    learner.publish(bundle(1));
    await expect.poll(() => versions.length).toBe(1);
    for (let v = 2; v <= 30; v++) {
      learner.publish(bundle(v));
      await delay(2);
    }
    await delay(50);
    resume();
    await expect.poll(() => slow.subscription.version, { timeout: 5000 }).toBe(30);
    expect(versions.length).toBeLessThan(6);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  it('are said to be missing when they are no longer kept', async () => {
    const learner = await server();
    for (let v = 1; v <= 80; v++) learner.publish(bundle(v));
    const robot = subscribe(learner, { after: 3 });
    await expect.poll(() => robot.subscription.version, { timeout: 5000 }).toBe(80);
    expect(robot.versions[0]).toBe(17);
    expect(robot.faults.map((f) => f.message)).toEqual(['weights versions 4 to 16 are no longer kept']);
  });

  it('are not used when they belong to another run or are not finite', async () => {
    const learner = await server();
    const robot = subscribe(learner, { keep: 'newest' });
    learner.publish(bundle(1, { runId: 'run-2' }));
    await expect.poll(() => robot.faults.at(-1)?.reason).toBe('wrong-run');
    learner.publish(bundle(2, { weight: Number.NaN }));
    await expect.poll(() => robot.faults.at(-1)?.reason).toBe('not-finite');
    learner.publish(bundle(3));
    await expect.poll(() => robot.versions).toEqual([3]);
  });

  it('of an older version of the protocol are refused in one sentence with both versions, and newer ones are taken', async () => {
    const socket = new Publisher({ linger: 0 });
    open.push({ close: async () => socket.close() });
    await socket.bind('tcp://127.0.0.1:*');
    const robot = subscribe(
      { address: 'tcp://127.0.0.1:1' },
      { keep: 'newest', weightsAddress: socket.lastEndpoint!, after: 2 },
    );
    const frames = [1, 9, 10].map((v) => encodeFrame({ kind: 'weights', sequence: v }, encodeBundle(bundle(v))));
    for (const frame of frames) ofOlderVersion(frame);
    frames.push(encodeFrame({ kind: 'weights', sequence: 5 }, encodeBundle(bundle(5))));
    const sending = setInterval(() => void socket.send(frames[sent++ % 4]!).catch(() => undefined), 10);
    let sent = 0;
    open.push({ close: async () => clearInterval(sending) });
    await expect.poll(() => robot.versions, { timeout: 5000 }).toEqual([5]);
    await delay(200);
    expect(robot.versions).toEqual([5]);
    expect(robot.faults).toEqual([
      {
        reason: 'bad-version',
        message: `the other side speaks version ${WIRE_VERSION - 1} of the protocol, this one ${WIRE_VERSION}`,
      },
    ]);
  });

  it.each(['newest', 'all'] as const)(
    'go on for a subscriber of %s after the learner was started anew',
    async (keep) => {
      const first = await server();
      const robot = subscribe(first, { keep });
      first.publish(bundle(1));
      await expect.poll(() => robot.subscription.version).toBe(1);
      await first.close();
      const second = await server(first.address);
      second.publish(bundle(2));
      await expect.poll(() => robot.versions, { timeout: 5000 }).toEqual([1, 2]);
    },
  );

  faultRow(9, 'fake', 'must rise in version', async () => {
    const learner = await server();
    learner.publish(bundle(2));
    expect(() => learner.publish(bundle(2))).toThrow('weights version 2 follows 2');
  });
});
