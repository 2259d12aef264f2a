import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { type LearnerStatus, type StepValues, startLearnerServer } from '../link/index.ts';
import { ReinError } from '../model/index.ts';
import type { MetricRecord } from '../record/index.ts';
import { LearnerConnection } from './learner-connection.ts';

let folder: string;
let closers: (() => Promise<void>)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connection-'));
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  rmSync(folder, { recursive: true });
});

it('hands on metrics and values, takes no report that lacks a number or has another thing in its place, and reports the first', async () => {
  const setup = arm6Setup('insert', 3);
  const onTransition = (): void => undefined;
  const learner = await startLearnerServer({ ...setup, bind: 'tcp://127.0.0.1:0', runId: 'run', onTransition });
  closers.push(() => learner.close());
  const { address } = learner;
  const faults: string[] = [];
  const metrics: MetricRecord[] = [];
  const robot = new LearnerConnection({
    setup,
    runId: 'run',
    robotId: 'arm',
    address,
    folder,
    keep: 'newest',
    onFault: (message) => faults.push(message),
    onMetrics: (record) => metrics.push(record),
  });
  closers.push(() => robot.close());
  await robot.connected(5000);

  const status: LearnerStatus = {
    updates: 1,
    pretrained: 2,
    updatesPerS: 3.5,
    utd: 0.5,
    online: 4,
    version: 5,
    delivered: 6,
    repeated: 7,
    lost: 8,
  };
  for (const body of [{}, { ...status, version: '5' }, { ...status, utd: null }, { ...status, updates: -1 }]) {
    learner.sendControl('status', body);
  }
  learner.sendControl('status', status);
  await expect.poll(() => robot.status, { timeout: 5000 }).toEqual(status);
  expect(faults).toEqual(["The learner sent a message that this robot cannot use: a learner's status cannot be read."]);
  learner.sendControl('status', { ...status, version: null });
  learner.sendControl('status', { ...status, updates: 2 });
  await expect.poll(() => robot.status?.updates, { timeout: 5000 }).toBe(2);
  expect(faults).toHaveLength(1);

  const record = { kind: 'values', tS: 1, envStep: 2, update: 3, demonstrationQ: 0.5, demonstrationReturn: 0.8 };
  learner.sendControl('metrics', record);
  await expect.poll(() => metrics, { timeout: 5000 }).toEqual([record]);

  const values = { epoch: 1, episode: 2, steps: [3, 4], values: [0.5, 0.25] };
  const [tooMany, none] = [new Array<number>(65).fill(0), { ...values, values: [0.5] }];
  for (const body of [
    none,
    { ...values, values: [0.5, null] },
    { ...values, steps: [3, -1] },
    { ...values, epoch: '1' },
  ]) {
    learner.sendControl('values', body);
  }
  learner.sendControl('values', { ...values, steps: tooMany, values: tooMany });
  learner.sendControl('values', values);
  learner.sendControl('values', values, 'other');
  learner.sendControl('values', { ...values, episode: 3 }, 'arm');
  const come: StepValues[] = [];
  await expect.poll(() => come.push(...robot.takeValues()), { timeout: 5000 }).toBe(2);
  expect(come).toEqual([values, { ...values, episode: 3 }]);
  expect(faults.slice(1)).toEqual([
    'The learner sent a message that this robot cannot use: a report of values cannot be read.',
  ]);
  // If they are not taken, the newest are kept.
  for (let episode = 0; episode < 70; episode++) learner.sendControl('values', { ...values, episode });
  learner.sendControl('status', { ...status, updates: 3 });
  await expect.poll(() => robot.status?.updates, { timeout: 5000 }).toBe(3);
  expect(robot.takeValues().map(({ episode }) => episode)).toEqual(Array.from({ length: 64 }, (_, i) => i + 6));
});

it('ends whoever waits for a learner that will not come back, before and after they ask', async () => {
  const robot = new LearnerConnection({
    setup: arm6Setup('insert', 3),
    runId: 'run',
    robotId: 'arm',
    // The discard port: nothing answers there.
    address: 'tcp://127.0.0.1:9',
    folder,
    keep: 'newest',
    onFault: () => undefined,
  });
  closers.push(() => robot.close());
  const waiting = robot.connected(60_000);
  robot.fail(new ReinError('environment', 'The run was ended.'));
  await expect(waiting).rejects.toThrow('The run was ended.');
  await expect(robot.connected(60_000)).rejects.toThrow('The run was ended.');
}, 5000);
