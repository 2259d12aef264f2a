/** No adversary breaks the limits of a robot that people have on their desks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reinHere } from '../support/rein-here.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-hobby-check-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.each(['so101', 'koch', 'viperx', 'race-car'])('rein safety check %s', (name) => {
  it('finds no limit broken, and no energy from nowhere', async () => {
    const { code, stdout } = await reinHere(['safety', 'check', name, '--ticks', '600', '--out', dir], dir);
    expect(stdout).toContain(`The reference of ${name} kept every limit`);
    expect(code).toBe(0);
  }, 120_000);
});
