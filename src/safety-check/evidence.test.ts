import { describe, expect, it } from 'vitest';
import { ablationOf, evidenceOf } from './evidence.ts';
import type { SafetyCheckResult } from './result.ts';

function checked(ticks: number, counts: readonly number[], surplusMaxJ: number): SafetyCheckResult {
  const kinds = ['position', 'velocity'] as const;
  const violations = counts.map((count, i) => ({ kind: kinds[i]!, count }));
  const energy = { surplusMaxJ };
  const arm = { excursions: [] };
  return { robot: 'r', chain: 'on', without: ['tank'], ticks, violations, energy, arm } as unknown as SafetyCheckResult;
}

/** Excursions of the simulated arm, with its reference inside. */
function strayed(worstM: number, touches: number, depthM: number): SafetyCheckResult {
  const excursions = [
    { kind: 'armWorkspace', count: 3, worst: worstM },
    { kind: 'armContact', count: touches, worst: depthM },
  ];
  const violations = [{ kind: 'energy', count: 5 }];
  return { ...checked(1000, [], 0), violations, arm: { excursions } } as unknown as SafetyCheckResult;
}

describe('evidence of several robots', () => {
  it('sums ticks and violations, and bounds the rate by all of them', () => {
    const clean = evidenceOf([checked(600_000, [0, 0], -1), checked(400_000, [0, 0], 1e-15)], [], 9);
    expect(clean).toMatchObject({ ticks: 1_000_000, violations: 0, upperBound95: 3e-6, surplusMaxJ: 1e-15, wallS: 9 });
    const broken = evidenceOf([checked(1000, [1, 2], 0.5)], [], 9);
    expect(broken).toMatchObject({ violations: 3, surplusMaxJ: 0.5 });
    expect(broken.upperBound95).toBeCloseTo(7.75 / 1000, 4);
  });

  it('counts references with the tank and without it, and tells apart how far the arms strayed', () => {
    const { verdict, ...evidence } = evidenceOf([checked(1000, [0], 0)], [], 9, [
      strayed(0.0667, 24, 0.0012),
      strayed(0.03, 111, 0.0031),
    ]);
    expect(evidence).toMatchObject({ ticksWithoutTank: 2000, violationsWithoutTank: 0, violations: 0 });
    expect(verdict).toBe(
      '0 violations of the reference in 1 000 adversarial ticks with the energy tank, 0 in 2 000 without it (but for energy). ' +
        'The simulated arm, which lags behind it, strayed: up to 66.7 mm out of its box, ' +
        'touched itself or a keep-out box in 135 ticks at least, up to 3.1 mm deep; the margins that cover that are listed.',
    );
    expect(evidenceOf([checked(10, [2], 0)], [], 9, [checked(10, [1], 0)])).toMatchObject({
      violations: 2,
      violationsWithoutTank: 1,
      verdict: expect.stringMatching(/^2 violations of the reference .* 1 in 10 without .* stayed in its box/),
    });
  });

  it('names what broke without a stage', () => {
    expect(ablationOf(checked(10, [0, 4], 0))).toEqual({
      robot: 'r',
      chain: 'on',
      without: ['tank'],
      ticks: 10,
      counts: { velocity: 4 },
    });
  });
});
