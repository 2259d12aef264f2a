import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeRobotResult } from './robot-run.ts';

it.each(['{"env_steps": 12', 'null'])(
  'a run on a robot that was killed while it wrote its summary, of which there is %s, has no result',
  (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'rein-robot-run-'));
    writeFileSync(join(folder, 'summary.json'), text);
    takeRobotResult(folder, 0);
    expect(readdirSync(folder)).toEqual(['summary.json']);
    rmSync(folder, { recursive: true });
  },
);
