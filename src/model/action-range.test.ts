import { describe, expect, it } from 'vitest';
import { normalisedRanges, physicalAction } from './action-range.ts';
import { rangesOf } from './spaces.ts';

describe('what an action is in the world', () => {
  it('runs from low at −1 to high at 1, and no further', () => {
    const ranges = [
      { name: 'torque', unit: 'N·m', low: -2, high: 2 },
      { name: 'rotor', unit: 'rpm', low: 0, high: 20_000 },
    ];
    expect([...physicalAction(ranges, [-1, -1])]).toEqual([-2, 0]);
    expect([...physicalAction(ranges, [0.5, 0])]).toEqual([1, 10_000]);
    expect([...physicalAction(ranges, [3, 7])]).toEqual([2, 20_000]);
  });

  it("is scale × action in the unit of a robot's dimension", () => {
    const dimensions = [
      { name: 'x', scale: 0.008, unit: 'm' },
      { name: 'yaw', scale: 0.05, unit: 'rad' },
    ] as const;
    const ranges = rangesOf({ kind: 'cartesian', dimensions });
    expect(ranges.map(({ name, unit }) => [name, unit])).toEqual(dimensions.map(({ name, unit }) => [name, unit]));
    expect([...physicalAction(ranges, [0.25, -1])]).toEqual([0.002, -0.05]);
  });

  it('is the action itself where nobody says', () => {
    expect([...physicalAction(normalisedRanges(2), [0.25, -0.75])]).toEqual([0.25, -0.75]);
  });
});
