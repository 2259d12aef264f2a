/** The measurements as people start them. Needs `dist/`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { heard } from './heard.ts';
import type { Ended } from './rein.ts';

const program = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));

let commands = 0;

/** Runs a command line that measures nothing within this process: the program's own module anew, which reads the arguments. */
export async function benchHere(...args: string[]): Promise<Omit<Ended, 'signal'>> {
  const { argv, exitCode } = process;
  process.argv = [process.execPath, program, ...args];
  try {
    return await heard(async () => {
      await import(`${pathToFileURL(program).href}?command=${commands++}`);
      return Number(process.exitCode ?? 0);
    });
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
  }
}

/** Runs a measurement in a process of its own; gives its text, its JSON on standard output and the JSON of its file. */
export function measure<T>(...args: string[]): { code: number | null; text: string; printed: T; written: T } {
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-test-'));
  try {
    const file = join(folder, 'result.json');
    const run = spawnSync(process.execPath, [program, ...args, '--json', file], { encoding: 'utf8' });
    const { status: code, stdout: out, stderr: error } = run;
    // 1: what was measured is beyond what the bench asserts.
    expect([0, 1], error).toContain(code);
    const begin = out.indexOf('\n{');
    const written = JSON.parse(readFileSync(file, 'utf8')) as T;
    return { code, text: out.slice(0, begin), printed: JSON.parse(out.slice(begin)) as T, written };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
