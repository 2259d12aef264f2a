import { describe, expect, it } from 'vitest';
import { niceTicks, renderChart } from './svg-chart.ts';

describe('a drawing', () => {
  it('has round ticks that cover the range', () => {
    expect(niceTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(niceTicks(-0.61, 0, 3)).toEqual([-0.5, -0.25, 0]);
    expect(niceTicks(3, 3, 5)).toEqual([3]);
    // Apart by rounding alone: counting ticks between them never ended.
    expect(niceTicks(49.99999999999999, 50.00000000000001, 5)).toEqual([49.99999999999999]);
  });

  it('of one value, no value and equal values has no NaN', () => {
    for (const points of [
      [],
      [[1, 1]],
      [
        [1, 1],
        [2, 1],
      ],
      [[1, Number.NaN]],
    ] as const) {
      for (const isPercent of [false, true]) {
        const svg = renderChart({
          title: 't',
          description: 'd',
          x: { label: 'x' },
          y: { label: 'y', isPercent },
          layers: [{ kind: 'line', hue: 'blue', label: 'l', points }],
          heightPx: 300,
        });
        expect(svg.markup).not.toMatch(/NaN|Infinity/);
      }
    }
  });
});
