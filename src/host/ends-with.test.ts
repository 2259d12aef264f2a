import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { endsWith } from './ends-with.ts';

it('tells that the process is gone, once, within a second', async () => {
  const other = spawn('sleep', ['60']);
  let told = 0;
  const release = endsWith(() => void told++, String(other.pid));
  await delay(100);
  expect(told).toBe(0);
  other.kill('SIGKILL');
  await once(other, 'exit');
  await delay(1200);
  expect(told).toBe(1);
  release();
});

it('tells at once of one that was gone before, and nothing after the watch has ended', async () => {
  const { pid } = spawnSync('true');
  const told: string[] = [];
  const release = endsWith(() => told.push('watched'), String(pid));
  endsWith(() => told.push('released'), String(pid))();
  await delay(50);
  expect(told).toContain('watched');
  release();
});

it.each([undefined, '', 'launch', '0', '-1', '1.5'])('watches nothing where %j is given', async (given) => {
  let told = 0;
  endsWith(() => void told++, given);
  await delay(5);
  expect(told).toBe(0);
});
