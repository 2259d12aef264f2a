/** onnxruntime keeps a queue of telemetry below the user's home, unless it is told not to before it is loaded. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const home = mkdtempSync(join(tmpdir(), 'rein-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const root = join(import.meta.dirname, '..', '..');

/** Opens a network in a process of its own, with the module `path` of `dist`, and gives what then lies below its home. */
function leftBy(path: string, call: string): string[] {
  const script = `const m = await import(${JSON.stringify(join(root, 'dist', path))}); await ${call};`;
  const env = { PATH: process.env['PATH'], HOME: home };
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { env });
  return readdirSync(home, { recursive: true, encoding: 'utf8' });
}

const encoder = JSON.stringify(join(root, 'tests/golden/onnx/encoder.onnx'));

it.each([
  ['inference', 'policy/onnx/inference.js', `m.Inference.open(${encoder})`],
  ['training', 'learner/engine/session.js', `m.Session.create((await import('node:fs')).readFileSync(${encoder}))`],
])('%s leaves nothing in the home of whoever runs it', (_, path, call) => {
  expect(leftBy(path, call)).toEqual([]);
});
