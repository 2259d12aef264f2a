import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';

const LOG = new URL('../../dist/runtime/log.js', import.meta.url).href;

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
