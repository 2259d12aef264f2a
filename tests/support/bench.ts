/** The measurements as people start them, in a process of their own. Needs `dist/`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const program = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));

/** Runs a command line of `rein bench` to its end. */
export function bench(...args: string[]): { code: number | null; out: string; error: string } {
  const run = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { code: run.status, out: run.stdout, error: run.stderr };
}

/** Runs a measurement; gives its text, its JSON on standard output and the JSON of its file. */
export function measure<T>(...args: string[]): { code: number | null; text: string; printed: T; written: T } {
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-test-'));
  try {
    const file = join(folder, 'result.json');
    const { code, out, error } = bench(...args, '--json', file);
    // 1: what was measured is beyond what the bench asserts.
    expect([0, 1], error).toContain(code);
    const begin = out.indexOf('\n{');
    const written = JSON.parse(readFileSync(file, 'utf8')) as T;
    return { code, text: out.slice(0, begin), printed: JSON.parse(out.slice(begin)) as T, written };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
