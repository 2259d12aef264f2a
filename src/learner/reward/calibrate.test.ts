import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { calibrate, sigmoidOf } from './calibrate.ts';

describe('calibration of logits', () => {
  it('finds the slope and the offset that outcomes were drawn with', () => {
    const rng = new Rng(1);
    const logits = Array.from({ length: 20_000 }, () => 4 * rng.normal());
    const isSuccess = logits.map((logit) => rng.uniform() < sigmoidOf(0.5 * logit - 1));
    const { slope, offset } = calibrate(logits, isSuccess);
    expect(slope).toBeCloseTo(0.5, 1);
    expect(offset).toBeCloseTo(-1, 1);
  });

  it('gives no certainty where logits part both kinds, however far', () => {
    const isSuccess = [true, true, true, false, false, false];
    const { slope, offset } = calibrate([90, 80, 70, -50, -60, -70], isSuccess);
    expect(sigmoidOf(slope * 90 + offset)).toBeLessThan(0.9);
    expect(sigmoidOf(slope * 70 + offset)).toBeGreaterThan(0.7);
    expect(sigmoidOf(slope * -50 + offset)).toBeLessThan(0.3);
  });
});
