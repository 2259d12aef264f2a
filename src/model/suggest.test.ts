import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './suggest.ts';

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
