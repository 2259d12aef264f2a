import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Agent } from '../../learner/index.ts';
import { ReinError } from '../../model/index.ts';
import type { PretrainOptions } from '../pretrain.ts';
import { pretrainBody } from './pretrain.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pretrain-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

/** Two short demonstrations, and small networks. */
function asked(): PretrainOptions {
  return {
    run: undefined,
    environment: 'point',
    environmentOptions: {},
    demonstrations: 2,
    skill: {},
    seed: 1,
    learner: 'rlpd',
    out: join(root, 'out'),
    learnerKeys: { bcInitSteps: 100, batchSize: 4, actorHidden: [4], criticHidden: [4] },
  };
}

/** Standard output of a successful run. */
async function printed(options: PretrainOptions): Promise<string> {
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await pretrainBody(options)).toBe(0);
  return said.mock.calls.map(([line]) => line).join('');
}

it('says what was learned', async () => {
  const text = await printed(asked());
  expect(text).toMatch(/cloning {3}100 updates, loss \S+ to [\d.]+\n/);
});

it('says how much of it was thrown away', async () => {
  vi.spyOn(Agent.prototype, 'pretrain').mockResolvedValue({ steps: 50, refused: 1, firstLoss: 2, lastLoss: 0.5 });
  const text = await printed(asked());
  expect(text).toContain(
    'cloning   50 updates, loss 2.00 to 0.500; calls that were not finite and were thrown away: 1\n',
  );
});

it('fails, and leaves no networks, where all of it was', async () => {
  const failure = new ReinError('policy', 'Pre-training (cloning) learned nothing.');
  vi.spyOn(Agent.prototype, 'pretrain').mockRejectedValue(failure);
  const options = asked();
  await expect(pretrainBody(options)).rejects.toBe(failure);
  expect(existsSync(options.out)).toBe(false);
});
