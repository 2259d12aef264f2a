/** Rows about the disk, in real time: a guard ticks on its thread while the journal beside it waits for a disk that is slow or full. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createTransition } from '../../src/core/index.ts';
import { type Journal, openJournal, readJournal } from '../../src/link/index.ts';
import type { JournalStorage } from '../../src/link/journal/storage.ts';
import { nodeStorage } from '../../src/link/journal/storage.ts';
import { TICK_STALLED } from '../../src/safety/fault-table/flags.ts';
import { jointSpec } from '../support/adversary.ts';
import { faultRow } from '../support/fault-row.ts';
import { ur5eLike } from '../support/robot-models.ts';
import { WallGuard } from '../support/wall-guard.ts';

/** How long the slow disk takes for a write. */
const SLOW_WRITE_MS = 500;
const SIZES = { observationSize: 8, actionSize: 3 };
const dir = mkdtempSync(join(tmpdir(), 'rein-wall-disk-'));
const transition = createTransition(SIZES.observationSize, SIZES.actionSize);
let guard: WallGuard;

beforeAll(async () => {
  guard = await WallGuard.start({ model: ur5eLike, action: jointSpec(ur5eLike, 0.02) });
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

/** Steps at 50 a second for `seconds`, while the arm moves. Gives the longest that one took, ms. */
async function record(journal: Journal, seconds: number): Promise<number> {
  await guard.active();
  guard.drive((step) => (Math.floor(step / 10) % 2 === 0 ? 0.5 : -0.5));
  let longestMs = 0;
  for (let k = 0; k < 50 * seconds; k++) {
    transition.step = k;
    const startMs = performance.now();
    journal.append(transition);
    longestMs = Math.max(longestMs, performance.now() - startMs);
    await delay(20);
  }
  guard.rest();
  return longestMs;
}

/**
 * By the guard's own stamps no tick waited for the disk, and commands were followed: to the end, or until the machine itself was held
 * up for three periods, which stops the robot whatever the disk does (row 24).
 */
function expectTicked(seconds: number, ticksWaiting: number): void {
  const { ticks } = guard;
  const waiting = ticks.filter(({ atS }, i) => i > 0 && atS - ticks[i - 1]!.atS > SLOW_WRITE_MS / 2e3);
  expect(waiting).toHaveLength(ticksWaiting);
  const heldUpAt = ticks.findIndex(({ flags }) => (flags & TICK_STALLED) !== 0);
  const judged = heldUpAt === -1 ? ticks : ticks.slice(0, heldUpAt);
  expect(judged.flatMap(({ flags, state }) => (flags === 0 ? [] : [{ flags, state }]))).toEqual([]);
  const following = judged.filter(({ decider }) => decider === 'policy');
  expect(following.length).toBeGreaterThan(0.7 * judged.length);
  if (heldUpAt === -1) expect(following.length / ur5eLike.controlHz).toBeGreaterThan(0.7 * seconds);
}

describe('a disk that goes wrong', () => {
  faultRow(
    28,
    'wall',
    'a disk that takes half a second for a write holds nothing up, and what is too much is counted',
    async (promised) => {
      const journal = journalIn(
        'slow',
        storage(() => delay(SLOW_WRITE_MS)),
        10,
      );
      const longestMs = await record(journal, 1.2);
      const { appended, dropped } = journal.status();
      expect(longestMs).toBeLessThan(SLOW_WRITE_MS);
      expect(appended).toBe(60);
      expect(dropped).toBeGreaterThan(0);
      expectTicked(1.2, promised('ticksWaiting'));
      await journal.close();
      expect([...readJournal(join(dir, 'slow'))]).toHaveLength(appended - dropped);
    },
  );

  faultRow(
    27,
    'wall',
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
      const recording = record(journal, 1.2);
      await delay(300);
      expect(journal.status()).toMatchObject({ state: 'ok', reason: 'the disk has 5 % left' });
      isBroken = true;
      await delay(300);
      expect(journal.status().state).toBe('degraded');
      isBroken = false;
      await recording;
      expectTicked(1.2, 0);
      await journal.close();
      expect([...readJournal(join(dir, 'full'))].map(({ step }) => step)).toEqual(
        Array.from({ length: 60 }, (_, k) => k),
      );
      freeShare = promised('stopFreeShare') / 2;
      const next = journalIn('full', disk);
      next.append(transition);
      await expect(next.flush()).rejects.toThrow('recording has stopped');
      await next.close();
    },
  );
});
