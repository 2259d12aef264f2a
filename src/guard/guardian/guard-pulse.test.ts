import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPulsePipes } from './guard-pulse.ts';

it('pipes that are gone are a message, and leave no descriptor open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-pulse-'));
  const [pulse, answers] = [join(folder, 'pulse'), join(folder, 'answers')];
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  try {
    for (const make of [() => undefined, () => spawnSync('mkfifo', [pulse])]) {
      make();
      expect(() => openPulsePipes(pulse, answers)).toThrow(
        expect.objectContaining({ kind: 'driver', message: expect.stringContaining('ENOENT') }),
      );
      expect(open()).toBe(before);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
