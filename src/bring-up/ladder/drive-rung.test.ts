import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { faultsIn } from './drive-rung.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-guard-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function logOf(...entries: readonly object[]): string {
  const path = join(folder, 'guard.log');
  writeFileSync(path, `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n{"cut`);
  return path;
}

it('finds what stopped the arm, once, and not how it was let down at the end', () => {
  const moved = { level: 30, msg: 'motion', event: 'changed', state: 'active.policy' };
  const lost = { ...moved, state: 'stopping', why: 'The robot does not answer.' };
  const end = { level: 30, msg: 'asked to end: braking' };
  const down = { ...moved, state: 'standby', why: 'The arm does not hold itself without torque.' };
  expect(faultsIn(logOf(moved, end, down))).toEqual([]);
  expect(faultsIn(logOf(moved, lost, lost, end, down))).toEqual(['The robot does not answer']);
  expect(faultsIn(logOf(moved, { level: 50, msg: 'Servo 3 has stalled.' }))).toEqual(['Servo 3 has stalled']);
  expect(faultsIn(join(folder, 'none.log'))).toEqual(['the guard left no log']);
});
