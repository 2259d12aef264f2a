/** Journals that were damaged on disk, and are then sent to a learner that has nothing: every intact record arrives, every other is counted on both sides. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  connectUplink,
  explainJournal,
  mendJournal,
  openJournal,
  readJournal,
  startLearnerServer,
} from '../../src/link/index.ts';
import { SEGMENT_HEADER_BYTES, segmentPath, slotBytes } from '../../src/link/journal/segment.ts';
import { type JournalStorage, nodeStorage } from '../../src/link/journal/storage.ts';
import { createTransition, type Transition } from '../../src/rows/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { until } from '../support/until.ts';

const SIZES = { observationSize: 8, actionSize: 3 };
const RUN = { runId: 'run', schemaHash: '00112233445566ff', ...SIZES };
const SLOT = slotBytes(SIZES);
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-damage-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Nothing here loses power, and syncing takes most of the time. */
const unsynced: JournalStorage = {
  ...nodeStorage,
  create: (path, mode) => ({ ...nodeStorage.create(path, mode), sync: async () => undefined }),
  append: async (path, text) => appendFileSync(path, text),
  syncDirectory: () => undefined,
};

/** Epochs of so many records each; `segmentRecords` of them in a file. */
async function record(epochs: readonly number[], segmentRecords = 1e6): Promise<void> {
  for (const count of epochs) {
    const journal = openJournal({
      dir,
      ...RUN,
      capacity: 20_000,
      segmentBytes: segmentRecords * SLOT,
      storage: unsynced,
    });
    const transition = createTransition(SIZES.observationSize, SIZES.actionSize);
    for (let i = 0; i < count; i++) {
      transition.step = i;
      journal.append(transition);
    }
    await journal.close();
  }
}

const file = (epoch: number, index = 0): string => segmentPath(dir, epoch, index);

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 0x10;
  writeFileSync(path, bytes);
}

/** Sends the journal to a learner that has nothing of it. */
async function deliver() {
  const seen: Transition[] = [];
  const learner = await startLearnerServer({
    bind: 'tcp://127.0.0.1:0',
    ...RUN,
    heartbeatMs: 50,
    onTransition: (transition) => void seen.push(transition),
  });
  const journal = openJournal({ dir, ...RUN, storage: unsynced });
  const uplink = connectUplink({ address: learner.address, robotId: 'arm', ...RUN, journal, heartbeatMs: 50 });
  try {
    expect(await uplink.drain(20_000)).toBe(true);
    const { lost } = uplink.counters;
    await until(() => learner.counters.lost >= lost, 'what the robot says is lost');
    const ids = seen.map(({ epoch, seq, step }) => `${epoch}.${seq}.${step}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(seen.every(({ seq, step }) => seq === step)).toBe(true);
    return { delivered: seen.length, robotLost: lost, learnerLost: learner.counters.lost };
  } finally {
    await uplink.close();
    await journal.close();
    await learner.close();
  }
}

interface Row {
  readonly epochs: readonly number[];
  readonly segmentRecords?: number;
  readonly damage: () => void;
  readonly intact: number;
  readonly lost: number;
  /** Nothing on disk says what it was: only who opens it for its run can read it. */
  readonly isNameless?: true;
}

const zeroPage = (path: string): void => {
  const bytes = readFileSync(path);
  const from = Math.floor(bytes.length / 2 / 4096) * 4096;
  bytes.fill(0, from, from + 4096);
  writeFileSync(path, bytes);
};

/** Slots that a page touches in the middle of a file of 3000. */
function slotsInPage(): number {
  const length = SEGMENT_HEADER_BYTES + 3000 * SLOT;
  const from = Math.floor(length / 2 / 4096) * 4096;
  const slotAt = (at: number): number => Math.floor((at - SEGMENT_HEADER_BYTES) / SLOT);
  return slotAt(from + 4095) - slotAt(from) + 1;
}

const ROWS: Record<string, Row> = {
  'one bit in record 101 of 10 000, newest file': {
    epochs: [10_000],
    intact: 9999,
    lost: 1,
    damage: () => flip(file(1), SEGMENT_HEADER_BYTES + 100 * SLOT + 7),
  },
  'one zeroed page in the middle of the newest file': {
    epochs: [3000],
    intact: 3000 - slotsInPage(),
    lost: slotsInPage(),
    damage: () => zeroPage(file(1)),
  },
  'one bit in the header of the only file': {
    epochs: [3000],
    intact: 3000,
    lost: 0,
    damage: () => flip(file(1), 30),
  },
  'one bit in the header of the only file, and no page of files': {
    epochs: [3000],
    intact: 3000,
    lost: 0,
    isNameless: true,
    damage: () => {
      rmSync(join(dir, 'files.jsonl'));
      flip(file(1), 30);
    },
  },
  'one bit in the header of epoch 2 of 3': {
    epochs: [3000, 3000, 3000],
    intact: 9000,
    lost: 0,
    damage: () => flip(file(2), 45),
  },
  'one bit in the header of file 2 of 7 of one epoch': {
    epochs: [10_000],
    segmentRecords: 1634,
    intact: 10_000,
    lost: 0,
    damage: () => flip(file(1, 1), 100),
  },
  'the file of the middle epoch deleted': {
    epochs: [3000, 2000, 1000],
    intact: 4000,
    lost: 2000,
    damage: () => rmSync(file(2)),
  },
  'the file of the newest epoch deleted': {
    epochs: [3000, 2000, 1000],
    intact: 5000,
    lost: 1000,
    damage: () => rmSync(file(3)),
  },
  'one file in the middle of an epoch deleted': {
    epochs: [1000, 3000],
    segmentRecords: 500,
    intact: 3500,
    lost: 500,
    damage: () => rmSync(file(2, 2)),
  },
  'the file of the middle epoch cut inside': {
    epochs: [3000, 2000, 1000],
    intact: 4500,
    lost: 1500,
    damage: () => truncateSync(file(2), SEGMENT_HEADER_BYTES + 500 * SLOT + 20),
  },
  'one bit in record 101 of an older epoch': {
    epochs: [5000, 5000],
    intact: 9999,
    lost: 1,
    damage: () => flip(file(1), SEGMENT_HEADER_BYTES + 100 * SLOT + 7),
  },
  'zeros behind the end': {
    epochs: [1000, 2000],
    intact: 3000,
    lost: 0,
    damage: () => {
      for (const epoch of [1, 2]) appendFileSync(file(epoch), Buffer.alloc(8192));
    },
  },
  'a torn tail': {
    epochs: [3000],
    intact: 3000,
    lost: 0,
    damage: () => {
      rmSync(join(dir, 'files.jsonl'));
      appendFileSync(file(1), Buffer.alloc(SLOT - 30, 7));
    },
  },
  'a copy of epoch 1 named epoch 2': {
    epochs: [3000],
    intact: 3000,
    lost: 0,
    damage: () => copyFileSync(file(1), file(2)),
  },
  'the page of files damaged in the middle': {
    epochs: [1000, 1000, 1000],
    intact: 3000,
    lost: 0,
    damage: () => flip(join(dir, 'files.jsonl'), 500),
  },
};

describe('a journal that was damaged', () => {
  faultRow(6, 'fake', 'delivers every intact record once, and counts every other one on both sides', async () => {
    const table: Record<string, unknown> = {};
    for (const [name, { epochs, segmentRecords, damage, intact, lost, isNameless }] of Object.entries(ROWS)) {
      rmSync(dir, { recursive: true, force: true });
      await record(epochs, segmentRecords);
      damage();
      const explained = isNameless ? { deliverable: intact, lost } : explainJournal(dir);
      expect({ name, deliverable: explained.deliverable }).toEqual({ name, deliverable: intact });
      expect({ name, lost: explained.lost }).toEqual({ name, lost });
      if (!isNameless) expect([...readJournal(dir)]).toHaveLength(intact);
      table[name] = { expected: { intact, lost }, ...(await deliver()) };
    }
    for (const [name, { intact, lost }] of Object.entries(ROWS)) {
      const expected = { expected: { intact, lost }, delivered: intact, robotLost: lost, learnerLost: lost };
      expect.soft({ [name]: table[name] }).toEqual({ [name]: expected });
    }
  });

  it('is mended without losing anything: headers, copies and the page of files are right afterwards', async () => {
    await record([300, 200, 100], 150);
    flip(file(1), 30);
    flip(file(2, 1), 60);
    rmSync(join(dir, 'files.jsonl'));
    copyFileSync(file(3), file(4));
    const before = explainJournal(dir);
    expect(before.findings.map(({ kind }) => kind).sort()).toEqual(['foreign', 'header', 'header']);
    const done = mendJournal(dir);
    expect(done).toHaveLength(4);
    const after = explainJournal(dir);
    expect(after.findings).toEqual([]);
    expect(after).toMatchObject({ deliverable: 600, lost: 0, journalId: before.journalId });
    expect(mendJournal(dir)).toEqual([]);
    expect(await deliver()).toEqual({ delivered: 600, robotLost: 0, learnerLost: 0 });
  });
});

describe('rein recover', { timeout: 60_000 }, () => {
  const bin = fileURLToPath(new URL('../../bin/rein.js', import.meta.url));
  const recover = (...args: string[]): string =>
    execFileSync(process.execPath, [bin, 'recover', dir, ...args], { encoding: 'utf8' });

  it('explains a damaged journal, gives the same as JSON, and mends it', async () => {
    await record([300]);
    const path = segmentPath(dir, 1, 0);
    const bytes = readFileSync(path);
    bytes[20]! ^= 1;
    bytes[SEGMENT_HEADER_BYTES + 100 * SLOT + 60]! ^= 1;
    writeFileSync(path, bytes);
    const said = recover();
    expect(said).toContain('problems found:');
    expect(said).toContain('a learner would get 299 records; lost on disk: 1; steps that were never recorded: 0');
    expect(said).toContain('rein recover --mend puts headers');
    expect(JSON.parse(recover('--json'))).toMatchObject({ deliverable: 299, lost: 1, mended: [] });
    expect(recover('--mend')).toContain('mended: ');
    const after = JSON.parse(recover('--json')) as { findings: { kind: string }[] };
    expect(after).toMatchObject({ deliverable: 299, lost: 1 });
    expect(after.findings.map(({ kind }) => kind)).not.toContain('header');
  });

  it('does not blame a start whose closing line is lost', async () => {
    await record([2]);
    rmSync(join(dir, 'files.jsonl'));
    expect(recover('--mend')).toContain('not known (start 1 was not closed: killed, disk full, or files.jsonl lost)');
  });
});
