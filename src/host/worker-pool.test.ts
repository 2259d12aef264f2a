import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { WorkerPool } from './worker-pool.ts';

/** A thread that processes jobs with `body`, JavaScript of `(job, answer)`. */
function thread(body: string): Worker {
  const serve = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (message) => {
      if (message === 'close') return parentPort.close();
      const answer = (outcome) => parentPort.postMessage({ id: message.id, ...outcome });
      const job = message.job;
      ${body}
    });`;
  return new Worker(serve, { eval: true });
}

it('gives each caller the outcome of its own job, however they come', async () => {
  const slowFirst = 'setTimeout(() => answer({ outcome: 2 * job }), job === 1 ? 50 : 0)';
  const pool = new WorkerPool<number, number>([thread(slowFirst), thread(slowFirst)]);
  expect(await Promise.all([pool.run(0, 1), pool.run(0, 2), pool.run(1, 3)])).toEqual([2, 4, 6]);
  await pool.close();
  await expect(pool.run(0, 1)).rejects.toThrow('has ended');
});

it.each([
  ['ends its thread', 'process.exit(7)', 'A worker thread has ended by itself, with exit code 7.'],
  ['throws out of its turn', "throw new Error('broken')", 'broken'],
])(
  'where a job %s, it and those of the other threads fail at once, and no other begins',
  async (_what, body, message) => {
    const pool = new WorkerPool<number, number>([thread(body), thread('')]);
    const under = [pool.run(1, 1), pool.run(0, 2)];
    for (const job of under) await expect(job).rejects.toThrow(message);
    await expect(pool.run(1, 3)).rejects.toThrow(message);
    await pool.terminate();
  },
);
