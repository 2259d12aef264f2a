import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './suggest.ts';
import { sameInOtherUnit, withoutUnit } from './unit-hints.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['kitten', 'sitting', 3],
    ['polciyHz', 'policyHz', 1],
    ['', 'abc', 3],
  ])('from %j to %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it('is symmetric and bounded by the longer word', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});

describe('nearest', () => {
  const keys = ['policyHz', 'maxSteps', 'historyFrames', 'hole'];
  it('finds a word with a slip, other capitals or underscores', () => {
    expect(nearest('maxStep', keys)).toBe('maxSteps');
    expect(nearest('max_steps', keys)).toBe('maxSteps');
    expect(nearest('POLICYHZ', keys)).toBe('policyHz');
  });
  it('does not guess wildly', () => {
    expect(nearest('colour', keys)).toBeUndefined();
    expect(nearest('zz', keys)).toBeUndefined();
    expect(nearest('x'.repeat(10_000), keys)).toBeUndefined();
  });
});

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
