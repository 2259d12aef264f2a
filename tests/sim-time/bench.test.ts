/** The measurements run, and say what they promise to say; how fast a machine is, is no test's business. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LearnerBenchResult } from '../../bench/learner/bench.ts';
import type { CdrBenchResult } from '../../bench/ros/cdr-bench.ts';
import type { SafetyBenchResult } from '../../bench/runtime/safety-bench.ts';
import type { TrainingBenchCase } from '../../bench/runtime/training-bench.ts';
import { benchHere, measure } from '../support/bench.ts';

describe('bench learner', () => {
  it('tells the updates per second of every size beside the ceiling', { timeout: 60_000 }, () => {
    const { text, printed, written } = measure<
      LearnerBenchResult & { readonly in_a_run: readonly TrainingBenchCase[] }
    >('learner', '--calls', '1');
    expect(printed).toEqual(written);
    expect(written.ceiling_gflops).toBeGreaterThan(0);
    expect(written.cases.map(({ id }) => id)).toEqual(['i', 'a', 'b', 'c']);
    for (const { name, ms_per_call, updates_per_s, gflops, share_of_ceiling, peak_memory_mb } of written.cases) {
      expect(Math.min(ms_per_call, updates_per_s, gflops, share_of_ceiling, peak_memory_mb)).toBeGreaterThan(0);
      expect(text).toContain(`${name}: call p50 `);
    }
    for (const { name, updates_per_s, share_of_bare } of written.in_a_run) {
      expect(Math.min(updates_per_s, share_of_bare)).toBeGreaterThan(0);
      expect(text).toContain(`${name}: `);
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
  it.each(['--help', 'tick --help', 'learner --help', 'cdr --help'])('teaches: %s', async (line) => {
    const { code, stdout } = await benchHere(...line.split(' '));
    expect(code).toBe(0);
    expect(stdout).toContain('$ npm run bench -- ');
  });

  it.each(['nonsense', 'tick --seconds 0', 'learner --calls 0', 'cdr --seconds 0'])('refuses: %s', async (line) => {
    const { code, stderr } = await benchHere(...line.split(' '));
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('says in one sentence that a result cannot be written, before it measures', async () => {
    const file = join(tmpdir(), 'no-such-rein', 'folder.json');
    const { code, stdout, stderr } = await benchHere('learner', '--json', file);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^rein: .*cannot be written.*\n/);
    expect(stdout).toBe('');
  });
});
