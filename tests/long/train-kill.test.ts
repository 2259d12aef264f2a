import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rng } from '../../src/model/index.ts';
import { endLeftovers, Rein, rein } from '../support/rein.ts';

const SPEC = ['train', '--env', 'point', '--steps', '400', '--eval-every', '50', '--eval-episodes', '2'];
const NETWORKS = ['--set', 'actorHidden=[16]', '--set', 'criticHidden=[16]', '--set', 'batchSize=16'];
const DEMONSTRATED = [
  '--demonstrations',
  '3',
  '--set',
  'bcInitSteps=50',
  '--set',
  'criticOnlySteps=20',
  '--checkpoint-every',
  '0.05',
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-train-'));
});
afterEach(() => {
  endLeftovers();
  rmSync(folder, { recursive: true, force: true });
});

const read = (name: string, file: string) => readFileSync(join(folder, name, file), 'utf8');
const digest = (name: string) => (JSON.parse(read(name, 'result.json')) as { stateDigest: string }).stateDigest;

describe('rein train', { timeout: 60_000 }, () => {
  it('killed with SIGKILL again and again goes on to the same curve and the same weights', async () => {
    const straight = await rein([...SPEC, ...NETWORKS, ...DEMONSTRATED, '--out', 'straight'], folder);
    expect(straight).toMatchObject({ code: 0, stderr: '' });

    const rng = new Rng(5);
    let args = [...SPEC, ...NETWORKS, ...DEMONSTRATED, '--out', 'killed'];
    for (let kill = 0; kill < 2; kill++) {
      const run = new Rein(args, folder);
      // At a moment of its own in each round, somewhere after an evaluation.
      await run.printed(new RegExp(`^step ${50 + 150 * kill} `, 'm'));
      await delay(rng.int(30));
      run.child.kill('SIGKILL');
      expect((await run.ended).signal).toBe('SIGKILL');
      args = ['train', '--resume', 'killed', '--checkpoint-every', '0.05'];
    }
    expect(await rein(args, folder)).toMatchObject({ code: 0, stderr: '' });
    expect(read('killed', 'events.jsonl')).toContain('"resumed"');
    expect(read('killed', 'curve.jsonl')).toBe(read('straight', 'curve.jsonl'));
    expect(digest('killed')).toBe(digest('straight'));
  });
});
