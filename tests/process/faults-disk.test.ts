/** Rows about the disk: a guard process ticks while the journal beside it waits for a disk that is slow or full. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Journal, openJournal, readJournal } from '../../src/link/index.ts';
import { type JournalStorage, nodeStorage } from '../../src/link/journal/storage.ts';
import { createTransition } from '../../src/rows/index.ts';
import { jointSpec } from '../support/adversary.ts';
import { faultRow } from '../support/fault-row.ts';
import { ProcessGuard } from '../support/process-guard.ts';
import { ur5eLike } from '../support/robot-models.ts';

const STEPS = 60;
const SIZES = { observationSize: 8, actionSize: 3 };
const dir = mkdtempSync(join(tmpdir(), 'rein-disk-'));
const transition = createTransition(SIZES.observationSize, SIZES.actionSize);
let guard: ProcessGuard;

beforeAll(async () => {
  guard = await ProcessGuard.start({ model: ur5eLike, action: jointSpec(ur5eLike, 0.02) });
});
afterAll(async () => {
  await guard.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The machine's disk, whose writes do `trouble` first. */
function storage(trouble: () => Promise<void>, space = nodeStorage.space): JournalStorage {
  return {
    ...nodeStorage,
    space,
    create(path, mode) {
      const file = nodeStorage.create(path, mode);
      const write = async (bytes: Uint8Array, position: number): Promise<void> => {
        await trouble();
        await file.write(bytes, position);
      };
      return { write, sync: () => file.sync(), close: () => file.close() };
    },
  };
}

function journalIn(name: string, disk: JournalStorage, capacity = 1000): Journal {
  return openJournal({
    dir: join(dir, name),
    runId: 'run',
    schemaHash: '00112233445566ff',
    ...SIZES,
    storage: disk,
    capacity,
    retryMs: 20,
  });
}

/** Records a step for every two ticks, `steps` of them, while the arm moves; `between`: what the disk does after each. */
async function record(journal: Journal, steps: number, between: (step: number) => Promise<void> | void): Promise<void> {
  await guard.active();
  guard.drive((step) => (Math.floor(step / 10) % 2 === 0 ? 0.5 : -0.5));
  for (let step = 0; step < steps; step++) {
    transition.step = step;
    journal.append(transition);
    await guard.pass(2);
    await between(step);
  }
  guard.rest();
}

/** All ticks have passed that were asked for, and commands were followed in them. */
function expectTicked(steps: number): void {
  const { ticks } = guard;
  expect(ticks).toHaveLength(2 * steps);
  expect(ticks.flatMap(({ flags, state }) => (flags === 0 ? [] : [{ flags, state }]))).toEqual([]);
  expect(ticks.filter(({ decider }) => decider === 'policy').length).toBeGreaterThan(0.9 * ticks.length);
}

/** Waits until the journal is `state`. */
async function becomes(journal: Journal, state: string): Promise<void> {
  while (journal.status().state !== state) await delay(5);
}

describe('a disk that goes wrong', () => {
  faultRow(
    28,
    'process',
    'a disk that takes no write holds nothing up, and what is too much is counted',
    async (promised) => {
      let letGo = (): void => undefined;
      const isFree = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const journal = journalIn(
        'slow',
        storage(() => isFree),
        10,
      );
      await record(journal, STEPS, () => undefined);
      // Not one of the writes is done.
      expectTicked(STEPS);
      expect(promised('ticksWaiting')).toBe(0);
      const { appended, dropped } = journal.status();
      expect(appended).toBe(STEPS);
      expect(dropped).toBeGreaterThan(0);
      letGo();
      await journal.close();
      expect([...readJournal(join(dir, 'slow'))]).toHaveLength(appended - dropped);
    },
  );

  faultRow(
    27,
    'process',
    'a full disk stops the recording and not the robot, and the recording goes on without a hole',
    async (promised) => {
      const totalBytes = 1e10;
      let freeShare = promised('warnFreeShare') / 2;
      let isBroken = false;
      const disk = storage(
        async () => {
          if (isBroken) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        },
        async () => ({ freeBytes: freeShare * totalBytes, totalBytes }),
      );
      const journal = journalIn('full', disk);
      await record(journal, STEPS, async (step) => {
        if (step === 14) {
          await journal.flush();
          expect(journal.status()).toMatchObject({ state: 'ok', reason: 'the disk has 5 % left' });
          isBroken = true;
        }
        if (step === 29) await becomes(journal, 'degraded');
        if (step === 30) isBroken = false;
      });
      expectTicked(STEPS);
      await journal.close();
      expect([...readJournal(join(dir, 'full'))].map(({ step }) => step)).toEqual(
        Array.from({ length: STEPS }, (_, k) => k),
      );
      freeShare = promised('stopFreeShare') / 2;
      const next = journalIn('full', disk);
      next.append(transition);
      await expect(next.flush()).rejects.toThrow('recording has stopped');
      await next.close();
    },
  );
});
