import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forceShare } from './feed-forward.ts';
import { poseSpringJ, setPointShare, setPointStepJ, stiffnessShare } from './set-point-port.ts';

const K = [2000, 2000, 2000, 40, 40, 40];
const alongX = (m: number): number[] => [m, 0, 0, 0, 0, 0];

describe('the port of a moving set-point', () => {
  it.each([
    // e (m), Δ (m), budget (J), share, energy of the share (J): the values printed in the specification.
    { error: 0.002, step: 0.005, budgetJ: 0.01, share: 0.3483, energyJ: 0.01 },
    { error: 0.002, step: 0.005, budgetJ: 0.045, share: 1, energyJ: 0.045 },
    { error: 0.002, step: 0.005, budgetJ: 1, share: 1, energyJ: 0.045 },
    { error: -0.005, step: 0.005, budgetJ: 0.01, share: 1, energyJ: -0.025 },
    { error: -0.005, step: 0.005, budgetJ: 0, share: 1, energyJ: -0.025 },
    { error: 0.002, step: 0.005, budgetJ: 0, share: 0, energyJ: 0 },
    // b = −0.020, c = 0.025
    { error: -0.002, step: 0.005, budgetJ: 0, share: 0.8, energyJ: 0 },
  ])('from $error m by $step m with $budgetJ J: the share $share', ({ error, step, budgetJ, share, energyJ }) => {
    const found = setPointShare(alongX(error), alongX(step), K, budgetJ);
    expect(found).toBeCloseTo(share, 4);
    expect(setPointStepJ(alongX(error), alongX(step), K, found)).toBeCloseTo(energyJ, 6);
  });

  it('books b = 0.020 J and c = 0.025 J for 2 mm and 5 mm', () => {
    const wholeJ = setPointStepJ(alongX(0.002), alongX(0.005), K, 1);
    const c = poseSpringJ(alongX(0.005), K);
    expect(wholeJ).toBeCloseTo(0.045, 12);
    expect(c).toBeCloseTo(0.025, 12);
    expect(wholeJ - c).toBeCloseTo(0.02, 12);
  });

  it('treats a turn as a way, with its own stiffness', () => {
    const turn = [0, 0, 0, 0, 0, 0.1];
    expect(setPointStepJ([0, 0, 0, 0, 0, 0.05], turn, K, 1)).toBeCloseTo(40 * 0.05 * 0.1 + 0.5 * 40 * 0.01, 12);
  });

  it('finds the largest share that the budget pays for', () => {
    const six = fc.tuple(...Array.from({ length: 6 }, () => fc.double({ min: -0.1, max: 0.1, noNaN: true })));
    fc.assert(
      fc.property(six, six, fc.double({ min: 0, max: 5, noNaN: true }), (error, step, budgetJ) => {
        const share = setPointShare(error, step, K, budgetJ);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(setPointStepJ(error, step, K, share)).toBeLessThanOrEqual(budgetJ + 1e-12);
        const more = share + 1e-6;
        if (more < 1) expect(setPointStepJ(error, step, K, more)).toBeGreaterThan(budgetJ - 1e-9);
        // What is budgeted below zero is nothing.
        expect(setPointShare(error, step, K, -1)).toBe(setPointShare(error, step, K, 0));
      }),
    );
  });

  it('takes no step that is no number', () => {
    expect(setPointShare(alongX(Number.NaN), alongX(0.005), K, 1)).toBe(0);
    expect(setPointShare(alongX(0.001), alongX(Number.POSITIVE_INFINITY), K, 1)).toBe(0);
    expect(setPointShare(alongX(0.001), alongX(0.001), K, Number.NaN)).toBe(0);
  });

  it('lets the stiffness rise as far as the budget pays, and fall freely', () => {
    const stiffer = K.map((each) => 2 * each);
    const error = alongX(0.01);
    // c₀ = ½·2000·0.01² = 0.1 J
    expect(stiffnessShare(error, K, stiffer, 0.1)).toBe(1);
    expect(stiffnessShare(error, K, stiffer, 0.05)).toBeCloseTo(0.5, 12);
    expect(stiffnessShare(error, K, stiffer, 0)).toBe(0);
    expect(stiffnessShare(error, K, stiffer, -1)).toBe(0);
    expect(stiffnessShare(error, stiffer, K, 0)).toBe(1);
    expect(stiffnessShare(error, stiffer, K, -1)).toBe(1);
    expect(stiffnessShare(alongX(Number.NaN), K, stiffer, 1)).toBe(0);
  });
});

describe('a force that is added', () => {
  it('is scaled by what its power would take, and free where it brakes', () => {
    expect(forceShare([10, 0, 0], [0.2, 0, 0], 1, 0.01)).toBe(1);
    expect(forceShare([10, 0, 0], [0.2, 0, 0], 0.01, 0.01)).toBeCloseTo(0.5, 12);
    expect(forceShare([10, 0, 0], [0.2, 0, 0], -1, 0.01)).toBe(0);
    expect(forceShare([10, 0, 0], [-0.2, 0, 0], 0, 0.01)).toBe(1);
    expect(forceShare([Number.NaN, 0, 0], [0.2, 0, 0], 1, 0.01)).toBe(0);
  });
});
