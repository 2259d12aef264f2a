import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listRuns, readRunFile } from './run-files.ts';

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'rein-run-files-'));
  for (const name of ['runs/now', 'runs/earlier', 'runs/empty', 'elsewhere'])
    mkdirSync(join(base, name), { recursive: true });
  folder = join(base, 'runs/now');
  for (const name of ['runs/now', 'runs/earlier', 'elsewhere'])
    writeFileSync(join(base, name, 'metrics.jsonl'), `"${name}"\ncut`);
  writeFileSync(join(base, 'runs/earlier/token'), 'secret\n');
  symlinkSync(join(base, 'elsewhere'), join(base, 'runs/link'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const read = async (name: string, run?: string, from = 0): Promise<string | undefined> =>
  (await readRunFile(folder, { name, run, from }))?.toString();

it('lists the runs beside one, and no links and empty folders', async () => {
  const runs = await listRuns(folder);
  expect(runs.map(({ name, isThis }) => [name, isThis]).sort()).toEqual([
    ['earlier', false],
    ['now', true],
  ]);
});

it('says of each run what it was for, and what came of it', async () => {
  const place = (name: string) => join(base, 'runs/earlier', name);
  writeFileSync(place('config.yaml'), '# head\nseed: 3\nrun:\n  task: x\ntask:\n  name: insert\n');
  writeFileSync(place('summary.json'), '{\n"success_rate": 0.985,\n"eval_episodes": 200\n}\n');
  const runs = await listRuns(folder);
  const told = Object.fromEntries(runs.map(({ name, task, seed, outcome }) => [name, { task, seed, outcome }]));
  expect(told).toEqual({
    earlier: { task: 'insert', seed: '3', outcome: '98.5 % of 200 episodes' },
    now: { task: '', seed: '', outcome: '' },
  });
});

it('reads whole lines of a run and of one beside it, from a byte on', async () => {
  expect(await read('metrics')).toBe('"runs/now"\n');
  expect(await read('metrics', 'earlier')).toBe('"runs/earlier"\n');
  expect(await read('metrics', undefined, 11)).toBe('');
  expect(await read('learner', 'earlier')).toBe('');
});

it.each(['..', '../elsewhere', 'link', 'earlier/../../elsewhere', 'earlier/', '', '.', 'constructor'])(
  'reads nothing of %j, which is no run beside it',
  async (run) => expect(await read('metrics', run)).toBeUndefined(),
);

it.each(['token', '../earlier/token', '__proto__', 'constructor'])('gives no file called %j', async (name) => {
  expect(await read(name, 'earlier')).toBeUndefined();
});
