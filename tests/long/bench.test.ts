/** The longer measurements run, and say what they promise to say; how fast a machine is, is no test's business. */
import { describe, expect, it } from 'vitest';
import type { LearnerBenchResult } from '../../bench/learner/bench.ts';
import type { SafetyBenchResult } from '../../bench/runtime/safety-bench.ts';
import type { TrainingBenchCase } from '../../bench/runtime/training-bench.ts';
import { measure } from '../support/bench.ts';

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
