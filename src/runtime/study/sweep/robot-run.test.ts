import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeRobotResult } from './robot-run.ts';

it('a run on a robot that was killed while it wrote its summary has no result', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-robot-run-'));
  writeFileSync(join(folder, 'summary.json'), '{"env_steps": 12');
  takeRobotResult(folder, 0);
  expect(readdirSync(folder)).toEqual(['summary.json']);
  rmSync(folder, { recursive: true });
});
