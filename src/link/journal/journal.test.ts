import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import { type JournalOptions, openJournal } from './journal.ts';
import { readJournal } from './reader.ts';
import { explainJournal, mendJournal } from './recover.ts';
import { SEGMENT_HEADER_BYTES, segmentPath, slotBytes } from './segment.ts';
import { type JournalStorage, nodeStorage } from './storage.ts';

const SIZES = { observationSize: 3, actionSize: 2 };
const RUN = { schemaHash: '00112233445566ff', runId: 'a-run', ...SIZES };
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function step(n: number): Transition {
  const t = createTransition(SIZES.observationSize, SIZES.actionSize);
  t.step = n;
  t.reward = n / 3;
  t.observation.fill(n);
  return t;
}

function open(more: Partial<JournalOptions> = {}) {
  return openJournal({ dir, ...RUN, ...more });
}

function ids(from = dir): string[] {
  return [...readJournal(from)].map((t) => `${t.epoch}.${t.seq}:${t.step}`);
}

async function record(count: number, more: Partial<JournalOptions> = {}): Promise<void> {
  const journal = open(more);
  for (let i = 0; i < count; i++) journal.append(step(i));
  await journal.close();
}

/** True within a few bytes of the end of the header or of a record. */
function isNearEdge(at: number): boolean {
  const behind = (((at - SEGMENT_HEADER_BYTES) % slotBytes(SIZES)) + slotBytes(SIZES)) % slotBytes(SIZES);
  return behind < 5 || behind > slotBytes(SIZES) - 14;
}

/** Without syncing, which costs most of the time: no test loses power. */
const unsynced: JournalStorage = {
  ...nodeStorage,
  create: (path, mode) => ({ ...nodeStorage.create(path, mode), sync: async () => undefined }),
  append: async (path, text) => appendFileSync(path, text),
  syncDirectory: () => undefined,
};

/** A disk whose errors and free space are set by the test. */
function brokenDisk(): { storage: JournalStorage; state: { error: Error | undefined; freeBytes: number } } {
  const state = { error: undefined as Error | undefined, freeBytes: 10e9 };
  const storage: JournalStorage = {
    ...nodeStorage,
    create(path, mode) {
      if (state.error) throw state.error;
      const file = nodeStorage.create(path, mode);
      return {
        ...file,
        async write(bytes, position) {
          if (state.error) {
            await file.write(bytes.subarray(0, bytes.length >> 1), position); // half of it is written, as on a full disk
            throw state.error;
          }
          await file.write(bytes, position);
        },
      };
    },
    space: async () => ({ freeBytes: state.freeBytes, totalBytes: 20e9 }),
  };
  return { storage, state };
}

describe('journal', () => {
  it('gives back what was appended, in order, across epochs and files', async () => {
    await record(5);
    await record(7, { segmentBytes: 3 * slotBytes(SIZES) });
    await record(0);
    await record(2);
    expect(ids()).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => `1.${i}:${i}`),
      ...[0, 1, 2, 3, 4, 5, 6].map((i) => `2.${i}:${i}`),
      '4.0:0',
      '4.1:1',
    ]);
    expect(readdirSync(dir).filter((name) => name.startsWith('epoch-000002'))).toHaveLength(3);
    const last = [...readJournal(dir)].at(-1)!;
    expect(last.reward).toBe(1 / 3);
    expect([...last.observation]).toEqual([1, 1, 1]);
  });

  faultRow(
    26,
    'fake',
    'keeps exactly the whole records before the cut, for every place a file can be cut',
    async () => {
      await record(3);
      const name = readdirSync(dir).find((n) => n.endsWith('.journal'))!;
      const whole = readFileSync(join(dir, name));
      for (let cut = 0; cut <= whole.length; cut += isNearEdge(cut) ? 1 : 8) {
        const torn = join(dir, 'torn');
        mkdirSync(torn, { recursive: true });
        writeFileSync(join(torn, name), whole.subarray(0, cut));
        const kept = Math.max(0, Math.floor((cut - SEGMENT_HEADER_BYTES) / slotBytes(SIZES)));
        const before = ids(torn);
        const journal = openJournal({ dir: torn, ...RUN, storage: unsynced });
        journal.append(step(9));
        await journal.close();
        expect(before).toEqual([0, 1, 2].slice(0, kept).map((i) => `1.${i}:${i}`));
        expect(ids(torn)).toEqual([...before, '2.0:9']);
        rmSync(torn, { recursive: true });
      }
    },
  );

  it('never gives a record that was changed, whatever byte flips', async () => {
    await record(6);
    const name = readdirSync(dir).find((n) => n.endsWith('.journal'))!;
    const whole = readFileSync(join(dir, name));
    const all = ids();
    fc.assert(
      fc.property(
        fc.integer({ min: SEGMENT_HEADER_BYTES, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const changed = Buffer.from(whole);
          changed[at]! ^= flip;
          writeFileSync(join(dir, name), changed);
          const hit = Math.floor((at - SEGMENT_HEADER_BYTES) / slotBytes(SIZES));
          expect(ids()).toEqual(all.filter((_, i) => i !== hit));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads on behind a damaged record of an older epoch, and says so', async () => {
    await record(3);
    const name = readdirSync(dir).find((n) => n.endsWith('.journal'))!;
    await record(1);
    const bytes = readFileSync(join(dir, name));
    bytes[SEGMENT_HEADER_BYTES + slotBytes(SIZES) + 5]! ^= 1;
    writeFileSync(join(dir, name), bytes);
    const faults: string[] = [];
    const steps = [...readJournal(dir, { onFault: (f) => faults.push(f.reason) })].map((t) => t.seq);
    expect(steps).toEqual([0, 2, 0]);
    expect(faults).toEqual(['bad-checksum']);
  });

  it('sets a torn tail aside instead of deleting it', async () => {
    await record(3);
    const name = readdirSync(dir).find((n) => n.endsWith('.journal'))!;
    truncateSync(join(dir, name), SEGMENT_HEADER_BYTES + 2 * slotBytes(SIZES) + 10);
    const journal = open();
    expect(journal.status().tornBytes).toBe(10);
    await journal.close();
    expect(readFileSync(join(dir, `${name}.torn`))).toHaveLength(10);
  });

  faultRow(29, 'fake', 'refuses a second process on the same directory, and another run or schema', async () => {
    const journal = open();
    expect(() => open()).toThrow(/is in use by process \d+/);
    journal.append(step(0));
    await journal.close();
    expect(() => open({ runId: 'other' })).toThrow(/belongs to run a-run, not other/);
    expect(() => open({ schemaHash: 'ffffffffffffffff' })).toThrow(/was recorded with schema 00112233445566ff/);
    await open().close();
  });

  it('refuses a journal of another version with what to do, and leaves it as it is', () => {
    const old = readFileSync(new URL('../../../tests/golden/link/version-1.journal', import.meta.url));
    const path = join(dir, 'epoch-000002-0001.journal');
    writeFileSync(path, old);
    const refused = expect.objectContaining({
      kind: 'storage',
      message: `the journal in ${dir} cannot be used: its records are of version 1, this version of Rein reads 2`,
      remedy: 'begin a new run in another folder, or go on with the version of Rein that began this one',
    });
    expect(() => open()).toThrow(refused);
    expect(readFileSync(path)).toEqual(old);
    const faults: string[] = [];
    expect([...readJournal(dir, { onFault: (fault) => faults.push(fault.reason) })]).toEqual([]);
    expect(faults).toEqual(['bad-version']);
  });

  it('takes over the lock of a process that is gone, and of one whose number was given to another', async () => {
    for (const holder of [
      { pid: 2 ** 22 - 3, started: '1' },
      { pid: process.pid, started: '1' },
    ]) {
      writeFileSync(join(dir, 'journal.lock'), JSON.stringify(holder));
      await open().close();
    }
  });

  faultRow(
    27,
    'fake',
    'stops recording on a full disk, says so, and goes on without a hole when there is room',
    async () => {
      const { storage, state } = brokenDisk();
      const seen: string[] = [];
      const journal = open({ storage, retryMs: 5, onStatus: (s) => seen.push(s.state) });
      journal.append(step(0));
      await journal.flush();
      state.error = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      journal.append(step(1));
      journal.append(step(2));
      await expect(journal.flush()).rejects.toThrow(/recording has stopped: ENOSPC/);
      expect(journal.status()).toMatchObject({ state: 'degraded', synced: 1, pending: 2, dropped: 0 });
      state.error = undefined;
      await expect.poll(() => journal.status().state).toBe('ok');
      await journal.close();
      expect(ids()).toEqual(['1.0:0', '1.1:1', '1.2:2']);
      expect(seen.slice(0, 2)).toEqual(['degraded', 'ok']);
    },
  );

  faultRow(
    28,
    'fake',
    'leaves out records when too many wait, counts them, and leaves their numbers unused',
    async () => {
      const { storage, state } = brokenDisk();
      const journal = open({ storage, capacity: 3, retryMs: 5 });
      state.error = new Error('EIO: i/o error');
      for (let i = 0; i < 5; i++) journal.append(step(i));
      await journal.flush().catch(() => undefined);
      expect(journal.status()).toMatchObject({ state: 'degraded', appended: 5, dropped: 2, pending: 3 });
      state.error = undefined;
      await journal.flush();
      journal.append(step(5));
      await journal.close();
      expect(ids()).toEqual(['1.0:0', '1.1:1', '1.2:2', '1.5:5']);
    },
  );

  faultRow(27, 'fake', 'counts what a disk that stays full had not taken when it was closed', async () => {
    const { storage, state } = brokenDisk();
    const journal = open({ storage, capacity: 6, retryMs: 5 });
    journal.append(step(0));
    await journal.flush();
    state.error = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    for (let i = 1; i < 9; i++) journal.append(step(i));
    await journal.close();
    expect(journal.status()).toMatchObject({ appended: 9, synced: 1, pending: 0, dropped: 8 });
  });

  faultRow(27, 'fake', 'leaves word of how many steps at the end a full disk did not take', async () => {
    const { storage, state } = brokenDisk();
    state.freeBytes = 0;
    await record(3, { storage, retryMs: 5 });
    expect(explainJournal(dir)).toMatchObject({ deliverable: 0, lost: 0, notRecorded: 3, cutStarts: [] });

    state.freeBytes = 10e9;
    await record(2, { segmentBytes: 2 * slotBytes(SIZES) });
    const journal = open({ storage, retryMs: 5 });
    journal.append(step(0));
    await journal.flush();
    expect(explainJournal(dir)).toMatchObject({ deliverable: 3, lost: 0, notRecorded: 3, cutStarts: [] });

    state.error = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    for (let i = 1; i < 9; i++) journal.append(step(i));
    await journal.close();
    const { deliverable, notRecorded, cutStarts } = explainJournal(dir);
    // A write that failed half-way leaves some complete records.
    expect(deliverable + notRecorded).toBe(14);
    expect(notRecorded).toBeGreaterThan(6);
    expect(cutStarts).toEqual([]);
  });

  faultRow(27, 'fake', 'is known to be cut where not even that word found room', async () => {
    const { storage, state } = brokenDisk();
    const append: JournalStorage['append'] = async (path, text) => {
      if (state.error) throw state.error;
      await storage.append(path, text);
    };
    const journal = open({ storage: { ...storage, append }, retryMs: 5 });
    journal.append(step(0));
    await journal.flush();
    state.error = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    journal.append(step(1));
    await journal.close();
    await record(3);
    expect(explainJournal(dir)).toMatchObject({ deliverable: 4, notRecorded: 0, cutStarts: [1] });
  });

  it('names the starts that were not closed, also before their first record, and none that ended without a step', async () => {
    await record(1);
    writeFileSync(segmentPath(dir, 2, 0), '');
    writeFileSync(segmentPath(dir, 3, 0), 'half a header');
    await record(0);
    copyFileSync(segmentPath(dir, 1, 0), segmentPath(dir, 9, 0));
    expect(explainJournal(dir)).toMatchObject({ deliverable: 1, notRecorded: 0, cutStarts: [2, 3] });
    const journal = open();
    expect(explainJournal(dir).cutStarts).not.toContain(journal.epoch);
    const remedy = expect.stringMatching(/^end the robot that records there/);
    expect(() => mendJournal(dir)).toThrow(expect.objectContaining({ remedy }));
    await journal.close();
  });

  faultRow(27, 'fake', 'stops before the disk is full, and warns earlier', async () => {
    const { storage, state } = brokenDisk();
    const journal = open({ storage, retryMs: 5 });
    state.freeBytes = 1.5e9;
    journal.append(step(0));
    await journal.flush();
    expect(journal.status()).toMatchObject({ state: 'ok', reason: 'the disk has 8 % left' });
    await journal.close();
    state.freeBytes = 0.3e9;
    const next = open({ storage, retryMs: 5 });
    next.append(step(1));
    await expect(next.flush()).rejects.toThrow(/the disk has 286 MiB left/);
    await next.close();
    expect(ids()).toEqual(['1.0:0']);
  });

  it('says in one sentence why a journal cannot be opened', () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(() => openJournal({ dir: join(file, 'x'), ...RUN })).toThrow(/^the journal in .* cannot be opened: ENOTDIR/);
  });

  it('finds the place after any record that was acknowledged, and reads on from there', async () => {
    await record(5, { segmentBytes: 2 * slotBytes(SIZES) });
    await record(3);
    const journal = open();
    expect(journal.synced).toBe(8);
    expect(await journal.positionAfter(null)).toBe(0);
    expect(await journal.positionAfter({ epoch: 1, seq: 2 })).toBe(3);
    expect(await journal.positionAfter({ epoch: 1, seq: 99 })).toBe(5);
    expect(await journal.positionAfter({ epoch: 2, seq: 0 })).toBe(6);
    expect(await journal.positionAfter({ epoch: 9, seq: 0 })).toBe(8);
    expect(await journal.readBatch(3, 10)).toMatchObject({ count: 1, end: 4 });
    expect(await journal.readBatch(5, 2)).toMatchObject({ count: 2, end: 7 });
    expect(await journal.readBatch(8, 2)).toMatchObject({ count: 0, end: 8 });
    await journal.close();
  });
});
