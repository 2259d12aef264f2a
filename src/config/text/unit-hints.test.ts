import { describe, expect, it } from 'vitest';
import { sameInOtherUnit, withoutUnit } from './unit-hints.ts';

describe('unit hints', () => {
  it('finds the key that is meant in another unit', () => {
    const keys = ['velocityMaxRadPerS', 'spreadM', 'policyHz', 'torqueMaxNm'];
    expect(sameInOtherUnit('velocityMaxDegPerS', keys)).toEqual({ key: 'velocityMaxRadPerS', unit: 'rad/s' });
    expect(sameInOtherUnit('spreadMm', keys)).toEqual({ key: 'spreadM', unit: 'm' });
    expect(sameInOtherUnit('spread', keys)).toEqual({ key: 'spreadM', unit: 'm' });
    expect(sameInOtherUnit('velocity_max', keys)).toEqual({ key: 'velocityMaxRadPerS', unit: 'rad/s' });
    expect(sameInOtherUnit('depthM', keys)).toBeUndefined();
  });

  it.each([
    ['20 mm', 'm', '0.02'],
    ['2cm', 'm', '0.02'],
    ['-90 deg', 'rad', '-1.57079632679'],
    ['180°/s', 'rad/s', '3.14159265359'],
    ['97 %', '1', '0.97'],
    ['1.5 min', 's', '90'],
    ['5', 'm', '5'],
    ['5 kg', 'm', 'a plain number of m'],
    ['fast', 'm', undefined],
    ['1.2.3', 'm', undefined],
  ])('%j where %s is expected: write %s', (text, unit, expected) => {
    expect(withoutUnit(text, unit)).toBe(expected);
  });
});
