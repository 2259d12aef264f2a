/** A trace whose process is killed: what is on the disk by then can be read. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TraceReader } from '../../src/record/trace.ts';
import { countCutMcap } from '../support/mcap.ts';
import { until } from '../support/until.ts';

const dist = (file: string): string => new URL(`../../dist/${file}`, import.meta.url).href;
/** Records an episode that ends, and one that never does. */
const PROGRAM = `
  const { encodeJson, encodeNumbers, STEP_LAYOUT } = await import('${dist('core/index.js')}');
  const { TraceRecorder } = await import('${dist('record/trace.js')}');
  const trace = new TraceRecorder({ folder: process.argv[2], onTrouble: (line) => console.error(line) });
  const zeros = Object.fromEntries([...STEP_LAYOUT.scalars.map((key) => [key, 0]), ...STEP_LAYOUT.arrays.map((key) => [key, [0]])]);
  const step = (episode, step) => trace.packet(encodeNumbers(STEP_LAYOUT, { ...zeros, episode, step }));
  trace.packet(encodeJson('run', { runId: 'r1' }));
  for (let i = 0; i < 3; i++) step(0, i);
  trace.packet(encodeJson('episode', { episode: 0, steps: 3, success: true }));
  let i = 0;
  setInterval(() => step(1, i++), 10);
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-trace-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is whole up to the last seconds when its process is killed', async () => {
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const child = spawn(process.execPath, [program, folder], { stdio: 'inherit' });
  const path = join(folder, 'trace.mcap');
  const steps = (): number => (existsSync(path) ? (countCutMcap(path).get('/step') ?? 0) : 0);
  // Those of the episode that goes on come with a chunk that is old.
  await until(() => steps() > 20, 'steps on the disk', 20_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(steps()).toBeGreaterThan(20);
  expect(await new TraceReader(folder).episodes()).toMatchObject([{ episode: 0, traced: 3, success: true }]);
});
