import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ReinError } from '../../core/index.ts';
import { explainedBy, GUARD_LOG } from './guard-log.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'guard-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("an error is told in the guard's own words, also where its last line is cut", () => {
  const path = join(dir, GUARD_LOG);
  const lines = ['{"level":30,"msg":"ready"}', '{"level":50,"msg":"The port is gone."}', '{"level":30,"msg":"mo'];
  writeFileSync(path, lines.join('\n'));
  expect(explainedBy(path, new ReinError('driver', 'The guard ended.'))).toMatchObject({
    message: 'The port is gone.',
  });
});
