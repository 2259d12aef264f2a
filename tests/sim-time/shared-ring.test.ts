/** The ring in shared memory under a writer on another core that never waits: rows may be missed, never torn. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createSharedRingMemory, SharedRingReader } from '../../src/guard/shared-ring.ts';

const built = pathToFileURL(join(import.meta.dirname, '../../dist/guard/shared-ring.js')).href;
const numbers = 256;
/** Rows that the reader wants to have seen before the writer may end. */
const wanted = 1500;

/** Writes rows of one repeated number as fast as it can; every row's number is one higher. */
const writerSource = `
  const { workerData } = require('node:worker_threads');
  import(workerData.built).then(({ SharedRingWriter }) => {
    const writer = new SharedRingWriter(workerData.memory);
    const enough = new Int32Array(workerData.enough);
    for (let i = 1; Atomics.load(enough, 0) === 0; i++) {
      const offset = writer.offset();
      for (let k = 0; k < ${numbers}; k++) writer.rows[offset + k] = i;
      writer.publish();
    }
  });`;

it('a reader that is overtaken all the time sees whole rows only, in order', async () => {
  const memory = createSharedRingMemory(numbers, 4);
  const reader = new SharedRingReader(memory);
  const row = new Float64Array(numbers);
  const enough = new SharedArrayBuffer(4);
  const worker = new Worker(writerSource, { eval: true, workerData: { memory, built, enough } });
  const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  let newest = 0;
  let seen = 0;
  let isRunning = true;
  void ended.finally(() => {
    isRunning = false;
  });
  try {
    while (isRunning && seen < wanted) {
      for (let i = 0; i < 1000 && reader.takeNext(row); i++) {
        const value = row[0]!;
        const torn = row.findIndex((each) => each !== value);
        if (torn >= 0) expect.fail(`row ${value} holds ${row[torn]} at ${torn}`);
        expect(value).toBeGreaterThan(newest);
        newest = value;
        seen++;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    Atomics.store(new Int32Array(enough), 0, 1);
  }
  await ended;
  expect(seen).toBeGreaterThanOrEqual(wanted);
  // It was overtaken: else this test would have tried nothing.
  expect(newest).toBeGreaterThan(seen);
});
