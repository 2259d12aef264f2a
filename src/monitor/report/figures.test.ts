import { expect, it } from 'vitest';
import { chartsIn } from '../../../tests/support/page-charts.ts';
import type { MetricRecord } from '../../record/index.ts';
import { filterActivity } from './figures.ts';

const at = (tS: number): MetricRecord =>
  ({
    kind: 'safety',
    tS,
    ticks: 1000,
    changedTicks: 3,
    violations: 0,
    overruns: 0,
    byReason: {},
    stages: { limiter: { changedTicks: 3, marginMin: 0.5 } },
    marginMin: 0.25,
  }) as unknown as MetricRecord;

it('breaks the line of the safety margin where nothing was recorded, and says what each stage does', () => {
  const page = filterActivity([0, 1, 2, 3, 40, 41, 42].map(at)).markup;
  expect(chartsIn(page)[0]!.lines.map(({ points }) => points.length)).toEqual([4, 3]);
  expect(page).toContain('share of the limit left');
  expect(page).toContain('Keeps speed, acceleration and jerk');
});

it('draws no axes around one record', () => {
  const page = filterActivity([at(5)]).markup;
  expect(chartsIn(page)).toEqual([]);
  expect(page).toContain('25.0 %, of one record at 5 s');
});
