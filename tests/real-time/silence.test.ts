/** Peers that fall silent without closing: only heartbeats tell them from peers that have nothing to say. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  connectUplink,
  type LearnerServer,
  openJournal,
  startLearnerServer,
  subscribeWeights,
} from '../../src/link/index.ts';
import type { UplinkState } from '../../src/link/uplink.ts';
import { sealWeights } from '../../src/model/index.ts';
import { createTransition, type Transition } from '../../src/rows/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { type SilentWire, startSilentWire } from '../support/silent-wire.ts';

const SIZES = { observationSize: 4, actionSize: 2 };
const RUN = { runId: 'run-1', schemaHash: '00112233445566ff' };
const BEAT = { heartbeatMs: 100 };
let dir: string;
const open: { close(): Promise<void> | void }[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'silence-'));
});
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
  rmSync(dir, { recursive: true, force: true });
});

async function server(seen: Transition[]): Promise<LearnerServer> {
  const started = await startLearnerServer({
    bind: 'tcp://127.0.0.1:0',
    ...RUN,
    ...SIZES,
    ...BEAT,
    liveMs: 400,
    onTransition: (t) => void seen.push(t),
  });
  open.push(started);
  return started;
}

async function wireTo(address: string): Promise<SilentWire> {
  const wire = await startSilentWire(Number(address.split(':').at(-1)));
  open.push(wire);
  return wire;
}

function weights(version: number) {
  const fields = { ...RUN, version, parent: null, trainingStep: 0, updates: 0, createdAt: '' };
  const shapes = [{ name: 'w', shape: [4] }];
  return sealWeights({ ...fields, shapes }, new Uint8Array([1]), new Float32Array(4));
}

describe('a wire that falls silent without closing', () => {
  faultRow(5, 'real-time', 'is found dead, and what waited is delivered once over a new one', async () => {
    const seen: Transition[] = [];
    const learner = await server(seen);
    const wire = await wireTo(learner.address);
    const journal = openJournal({ dir, ...RUN, ...SIZES });
    open.push(journal);
    const states: UplinkState[] = [];
    const link = connectUplink({
      address: wire.address,
      robotId: 'arm',
      ...RUN,
      journal,
      ...BEAT,
      onState: (state) => states.push(state),
    });
    open.push(link);
    await link.connected(3000);
    const record = (n: number): void => {
      for (let i = 0; i < n; i++) journal.append(createTransition(SIZES.observationSize, SIZES.actionSize));
    };
    record(20);
    expect(await link.drain(3000)).toBe(true);

    // A peer that has nothing to say is not dead: it beats.
    await delay(10 * BEAT.heartbeatMs);
    expect(states).toEqual(['connected']);
    expect(learner.robots()).toEqual(['arm']);

    wire.fallSilent();
    record(20);
    // It may be back before anybody looks.
    await expect.poll(() => states, { timeout: 3000 }).toContain('connecting');
    await expect.poll(() => [wire.connections, link.state], { timeout: 5000 }).toEqual([2, 'connected']);
    expect(await link.drain(3000)).toBe(true);
    expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(link.counters).toMatchObject({ acked: 40, lost: 0, duplicated: 0, pending: 0 });
  });

  faultRow(5, 'real-time', 'leaves no robot at the learner that it does not hear', async () => {
    const learner = await server([]);
    const wire = await wireTo(learner.address);
    const journal = openJournal({ dir, ...RUN, ...SIZES });
    open.push(journal);
    // It takes so long to notice that the learner does first.
    const link = connectUplink({ address: wire.address, robotId: 'arm', ...RUN, journal, heartbeatMs: 300 });
    open.push(link);
    await link.connected(3000);
    expect(learner.robots()).toEqual(['arm']);
    wire.fallSilent();
    await expect.poll(() => learner.robots(), { timeout: 3000, interval: 10 }).toEqual([]);
    await expect.poll(() => learner.robots(), { timeout: 5000 }).toEqual(['arm']);
  });

  faultRow(5, 'real-time', 'keeps no weights back for good that the learner says it has', async () => {
    const learner = await server([]);
    const wire = await wireTo(learner.weightsAddress);
    const versions: number[] = [];
    const subscription = subscribeWeights({
      address: learner.address,
      weightsAddress: wire.address,
      keep: 'newest',
      ...RUN,
      renewAfterMs: 300,
      onBundle: ({ manifest }) => void versions.push(manifest.version),
    });
    open.push(subscription);
    learner.publish(weights(1));
    await expect.poll(() => versions, { timeout: 3000 }).toEqual([1]);
    wire.fallSilent();
    learner.publish(weights(2));
    await delay(500);
    expect(versions).toEqual([1]);
    const beating = setInterval(() => subscription.learnerHas(2), 100);
    open.push({ close: () => clearInterval(beating) });
    await expect.poll(() => versions, { timeout: 5000 }).toEqual([1, 2]);
  });
});
