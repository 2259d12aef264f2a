import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '../../src/link/index.ts';
import { LiveRun, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { rein } from '../support/rein.ts';
import { TestRobot } from '../support/session.ts';

const LOG = new URL('../../dist/record/log.js', import.meta.url).href;

it.skipIf(process.platform !== 'linux')('a program whose log finds no room on the disk goes on', () => {
  const program = `const { createLogger } = await import('${LOG}');
    const log = createLogger('guard');
    for (let i = 0; i < 10_000; i++) log.error('line ' + i);
    console.log('alive');`;
  const full = openSync('/dev/full', 'w');
  try {
    const args = ['--input-type=module', '-e', program];
    const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', full], encoding: 'utf8' });
    expect(stdout).toBe('alive\n');
    expect(status).toBe(0);
  } finally {
    closeSync(full);
  }
});

/** Loaded before the program: the second thing that is written to a curve finds the disk full. */
const FULL = `const fs = require('node:fs');
  const { openSync, writeSync } = fs;
  const curves = new Map();
  fs.openSync = (path, ...rest) => {
    const file = openSync(path, ...rest);
    if (String(path).endsWith('curve.jsonl')) curves.set(file, 0);
    return file;
  };
  fs.writeSync = (file, ...rest) => {
    const writes = curves.get(file) ?? 0;
    if (writes === 1) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    if (curves.has(file)) curves.set(file, writes + 1);
    return writeSync(file, ...rest);
  };
  require('node:module').syncBuiltinESMExports();`;

it('rein train on a full disk says in one sentence what is full and what to do, and does as it said', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-full-disk-'));
  try {
    writeFileSync(join(folder, 'full.cjs'), FULL);
    const args = [
      'train',
      '--env',
      'point',
      '--steps',
      '60',
      '--eval-every',
      '30',
      '--eval-episodes',
      '2',
      '--out',
      'a',
    ];
    const full = await rein(
      [
        ...args,
        '--set',
        'batchSize=8',
        '--set',
        'criticHidden=[8]',
        '--set',
        'bcInitSteps=0',
        '--set',
        'warmupSteps=10',
      ],
      folder,
      ['-r', './full.cjs'],
    );
    expect(full).toMatchObject({ code: 1, signal: null });
    expect(full.stderr).toMatch(
      /^rein: a\/curve\.jsonl cannot be written: the disk is full\.\n {2}→ Make room [^\n]* rein train --resume[^\n]*\n$/,
    );
    expect(await rein(['train', '--resume', 'a'], folder)).toMatchObject({ code: 0, stderr: '' });
    const steps = readFileSync(join(folder, 'a/curve.jsonl'), 'utf8').match(/"step":\d+/g);
    expect(steps).toEqual(['"step":0', '"step":30', '"step":60']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Loaded before the program: the disk has no room as soon as there is a file of that name. */
const FULL_LATER = `const fs = require('node:fs');
  const { statfs } = fs;
  fs.statfs = (path, done) => statfs(path, (error, stats) => {
    if (stats !== undefined && fs.existsSync(process.env.DISK_IS_FULL)) stats.bavail = 0;
    done(error, stats);
  });
  require('node:module').syncBuiltinESMExports();`;

it.runIf(IS_LONG)(
  'rein run on a disk that stays full says how many steps were not recorded',
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rein-full-disk-'));
    const run = new LiveRun(folder);
    const policies = new TestRobot();
    const isFull = join(folder, 'full');
    writeFileSync(join(folder, 'later.cjs'), FULL_LATER);
    process.env['NODE_OPTIONS'] = `-r ${join(folder, 'later.cjs')}`;
    process.env['DISK_IS_FULL'] = isFull;
    try {
      const moving = run.start('run', '--policy', await policies.policyFile(), '--out', 'robot');
      await until(() => existsSync(join(folder, 'robot')) && run.journal('robot').length > 3, 'steps');
      writeFileSync(isFull, '');
      await until(() => moving.said().includes('recording has stopped'), 'the sentence');
      const later = performance.now() + 1000;
      await until(() => performance.now() > later, 'steps without a disk');
      moving.child.kill('SIGINT');
      expect(await moving.exit).toBe(130);
      const done = Number(/(\d+) steps, /.exec(moving.said())?.[1]);
      const missing = Number(/not recorded: (\d+) steps/.exec(moving.said())?.[1]);
      expect(missing).toBeGreaterThan(5);
      expect(moving.said()).toContain(`Not recorded: ${missing} steps that a full or slow disk did not take.`);
      expect([...readJournal(join(folder, 'robot', 'journal'))]).toHaveLength(done - missing);
    } finally {
      delete process.env['NODE_OPTIONS'];
      delete process.env['DISK_IS_FULL'];
      await run.end();
      await policies.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
