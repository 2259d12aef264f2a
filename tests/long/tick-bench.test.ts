/** How late ticks are: measured in real time, so this one runs alone. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { PolicyBenchResult } from '../../bench/policy/policy-bench.ts';
import type { TickBenchResult } from '../../bench/runtime/tick-bench.ts';
import { measure } from '../support/bench.ts';

describe('bench tick', () => {
  it('tells lateness in every phase, inference and swap, as text and as JSON', { timeout: 90_000 }, () => {
    const { text, printed, written } = measure<TickBenchResult & { policy: PolicyBenchResult }>(
      'tick',
      '--seconds',
      '0.2',
      '--rate',
      '500',
    );
    expect(printed).toEqual(written);
    expect(written.rateHz).toBe(500);
    expect(written.machine.cores).toBeGreaterThan(0);
    const phases = written.phases.map(({ load, priorityAsked }) => `${load} ${priorityAsked}`);
    expect(phases).toEqual(['alone', 'busy', 'swapping'].flatMap((load) => [`${load} normal`, `${load} raised`]));
    const hasCompiler = spawnSync('cc', ['--version']).status === 0;
    expect(text.includes('There is no C reference here')).toBe(!hasCompiler);
    for (const { lateness, reference, load, priority, priorityAsked, priorityReason, node } of written.phases) {
      expect(reference !== undefined).toBe(hasCompiler);
      if (reference !== undefined) {
        expect(reference.ticks).toBeGreaterThan(0);
        expect(reference.maxUs).toBeGreaterThanOrEqual(reference.p999Us);
        expect(text).toMatch(/^ late beyond C: p99 .* times\)$/m);
      }
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
