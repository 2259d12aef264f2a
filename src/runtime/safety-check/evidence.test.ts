import { describe, expect, it } from 'vitest';
import { ablationOf, evidenceOf } from './evidence.ts';
import type { SafetyCheckResult } from './result.ts';

function checked(ticks: number, counts: readonly number[], surplusMaxJ: number): SafetyCheckResult {
  const kinds = ['position', 'velocity'] as const;
  const violations = counts.map((count, i) => ({ kind: kinds[i]!, count }));
  const energy = { surplusMaxJ };
  return { robot: 'r', chain: 'on', without: ['tank'], ticks, violations, energy } as unknown as SafetyCheckResult;
}

describe('evidence of several robots', () => {
  it('sums ticks and violations, and bounds the rate by all of them', () => {
    const clean = evidenceOf([checked(600_000, [0, 0], -1), checked(400_000, [0, 0], 1e-15)], [], 9);
    expect(clean).toMatchObject({ ticks: 1_000_000, violations: 0, upperBound95: 3e-6, surplusMaxJ: 1e-15, wallS: 9 });
    const broken = evidenceOf([checked(1000, [1, 2], 0.5)], [], 9);
    expect(broken).toMatchObject({ violations: 3, surplusMaxJ: 0.5 });
    expect(broken.upperBound95).toBeCloseTo(7.75 / 1000, 4);
  });

  it('names what broke without a stage', () => {
    expect(ablationOf(checked(10, [0, 4], 0))).toEqual({
      ...{ robot: 'r', chain: 'on', without: ['tank'], ticks: 10 },
      counts: { velocity: 4 },
    });
  });
});
