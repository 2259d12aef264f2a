import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine, safetyCheckBody } from './safety.ts';

it('names the command that repeats a check, with its defaults written out', () => {
  const plain = {
    subject: 'arm6',
    ticks: 100_000,
    seed: 1,
    chain: 'on',
    without: [],
    fixed: [],
    packages: {},
  } as const;
  const rest = { out: '.', output: 'live' } as const;
  expect(commandLine({ ...plain, ...rest })).toBe('rein safety check arm6 --ticks 100000 --seed 1');
  const limits = { limits: 'l.yaml', accelMaxRadPerS2: 10, payloadMaxKg: 2.5, fixed: ['one', 'two'] };
  const changed = { chain: 'off', without: ['tank', 'shield'], packages: { mine: '/ws/mine' } } as const;
  expect(commandLine({ ...plain, ...rest, ...limits, ...changed })).toBe(
    'rein safety check arm6 --limits l.yaml --accel 10 --payload 2.5 --fixed one --fixed two --package mine=/ws/mine ' +
      '--ticks 100000 --seed 1 --chain off --without tank --without shield',
  );
});

it('refuses a place for the page before anything is tried', async () => {
  const out = mkdtempSync(join(tmpdir(), 'rein-safety-'));
  mkdirSync(join(out, 'safety-report.html'));
  const options = { subject: 'nobody', ticks: 1, seed: 1, chain: 'on', without: [], fixed: [], packages: {} } as const;
  await expect(safetyCheckBody({ ...options, out, output: 'quiet' })).rejects.toMatchObject({
    kind: 'config',
    message: expect.stringMatching(/^The file of --out cannot be written: EISDIR/),
  });
  rmSync(out, { recursive: true });
});
