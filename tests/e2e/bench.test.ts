/** The measurements run, and say what they promise to say; how fast a machine is, is no test's business. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { LearnerBenchResult } from '../../src/learner/index.ts';
import type { PolicyBenchResult } from '../../src/policy/index.ts';
import type { CdrBenchResult } from '../../src/ros/bench/index.ts';
import type { SafetyBenchResult, TickBenchResult } from '../../src/runtime/bench/index.ts';

const program = fileURLToPath(new URL('../../dist/cli/bench.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rein-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function bench(...args: string[]): { code: number | null; out: string; error: string } {
  const run = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { code: run.status, out: run.stdout, error: run.stderr };
}

/** Runs a measurement; gives its text, its JSON on standard output and the JSON of its file. */
function measure<T>(...args: string[]): { code: number | null; text: string; printed: T; written: T } {
  const file = join(folder, `${args[0]}.json`);
  const { code, out, error } = bench(...args, '--json', file);
  // 1: what was measured is beyond what the bench asserts.
  expect([0, 1], error).toContain(code);
  const begin = out.indexOf('\n{');
  const text = out.slice(0, begin);
  return {
    code,
    text,
    printed: JSON.parse(out.slice(begin)) as T,
    written: JSON.parse(readFileSync(file, 'utf8')) as T,
  };
}

describe('bench tick', () => {
  it('tells lateness in every phase, inference and swap, as text and as JSON', { timeout: 90_000 }, () => {
    const { text, printed, written } = measure<TickBenchResult & { policy: PolicyBenchResult }>(
      ...['tick', '--seconds', '0.2', '--rate', '500'],
    );
    expect(printed).toEqual(written);
    expect(written.rateHz).toBe(500);
    expect(written.machine.cores).toBeGreaterThan(0);
    const phases = written.phases.map(({ load, priorityAsked }) => `${load} ${priorityAsked}`);
    expect(phases).toEqual(['alone', 'busy', 'swapping'].flatMap((load) => [`${load} normal`, `${load} raised`]));
    for (const { lateness, load, priority, priorityAsked, priorityReason, node } of written.phases) {
      expect(priorityReason).not.toBe('');
      if (priorityAsked === 'normal') expect(priority).toBe('normal');
      const { ticks, p50Us, p99Us, p999Us, maxUs } = lateness;
      expect(ticks).toBeGreaterThan(0);
      expect([p50Us, p99Us, p999Us, maxUs].every(Number.isFinite)).toBe(true);
      expect([p50Us, p99Us, p999Us, maxUs]).toEqual([p50Us, p99Us, p999Us, maxUs].toSorted((a, b) => a - b));
      expect(node.steps).toBeGreaterThan(0);
      expect(node.swaps > 0).toBe(load === 'swapping');
      expect(text).toMatch(new RegExp(`^${load} +${priority}( +\\d+){9}$`, 'm'));
    }
    for (const { p50, p99, max } of [written.policy.inferenceMs, written.policy.swapMs]) {
      expect(p50).toBeGreaterThan(0);
      expect(p99).toBeGreaterThanOrEqual(p50);
      expect(max).toBeGreaterThanOrEqual(p99);
    }
    expect(text).toMatch(/^policy inference: p50 /m);
    expect(text).toMatch(/^weight swap: p50 /m);
  });
});

describe('bench learner', () => {
  it('tells the updates per second of every size beside the ceiling', { timeout: 60_000 }, () => {
    const { text, printed, written } = measure<LearnerBenchResult>('learner', '--calls', '1');
    expect(printed).toEqual(written);
    expect(written.ceiling_gflops).toBeGreaterThan(0);
    expect(written.cases.map(({ id }) => id)).toEqual(['i', 'a', 'b', 'c']);
    for (const { name, ms_per_call, updates_per_s, gflops, share_of_ceiling, peak_memory_mb } of written.cases) {
      expect(Math.min(ms_per_call, updates_per_s, gflops, share_of_ceiling, peak_memory_mb)).toBeGreaterThan(0);
      expect(text).toContain(`${name}: call p50 `);
    }
  });
});

describe('bench safety', () => {
  it('finds no garbage in a tick, whatever is commanded', { timeout: 120_000 }, () => {
    const { code, text, printed, written } = measure<SafetyBenchResult>(
      'safety',
      '--robots',
      'arm6',
      '--ticks',
      '5000',
    );
    expect(printed).toEqual(written);
    expect(written.cases.map(({ load }) => load)).toEqual(['typical', 'adversarial']);
    for (const { bytesPerTick, noiseBytesPerTick, p50Us, p99Us } of written.cases) {
      // Beside other tests the compiler's own leavings are in every round; a number left by each tick would be 16 bytes.
      expect(bytesPerTick).toBeLessThan(4);
      if (bytesPerTick > noiseBytesPerTick) expect(code).toBe(1);
      expect(p99Us).toBeGreaterThanOrEqual(p50Us);
    }
    // Each load is what it is meant to be.
    expect(written.cases[0]!.activeRatio.barrier).toBeGreaterThan(0.2);
    expect(written.cases[0]!.activeRatio.tank).toBeLessThan(0.2);
    expect(written.cases[1]!.activeRatio.tank).toBeGreaterThan(0.5);
    expect(text).toMatch(/p99 .*asserted/);
  });
});

describe('bench cdr', () => {
  it('tells time and garbage of every message, and none of it is left by what is sent at every tick', () => {
    const { text, printed, written } = measure<CdrBenchResult>('cdr', '--seconds', '0.1');
    expect(printed).toEqual(written);
    for (const { name, encodeNs, decodeNs } of written.cases) {
      expect(Math.min(encodeNs, decodeNs)).toBeGreaterThan(0);
      expect(text).toContain(`\n${name} `);
    }
    const [joints] = written.cases;
    expect(joints?.name).toBe('JointState, 6 joints');
    // A heap number here or there is the compiler's affair.
    expect(joints?.encodeGarbageBytes).toBeLessThan(40);
    expect(joints?.decodeGarbageBytes).toBeLessThan(40);
  });
});

describe('the command line', () => {
  it.each(['--help', 'tick --help', 'learner --help', 'cdr --help'])('teaches: %s', (line) => {
    const { code, out } = bench(...line.split(' '));
    expect(code).toBe(0);
    expect(out).toContain('$ npm run bench -- ');
  });

  it.each(['nonsense', 'tick --seconds 0', 'learner --calls 0', 'cdr --seconds 0'])('refuses: %s', (line) => {
    const { code, error } = bench(...line.split(' '));
    expect(code).toBe(2);
    expect(error).not.toBe('');
  });

  it('says in one sentence that a result cannot be written', () => {
    const { code, error } = bench('learner', '--calls', '1', '--json', join(folder, 'no', 'such', 'folder.json'));
    expect(code).toBe(1);
    expect(error).toMatch(/^rein: .*cannot be written.*\n/);
  });
});
