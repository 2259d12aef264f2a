import { describe, expect, it } from 'vitest';
import { chartsOf, readLines, smoothed } from '../../src/monitor/page/training-charts.ts';

const episode = (envStep: number, more: object = {}): string =>
  JSON.stringify({
    kind: 'episode',
    purpose: 'training',
    envStep,
    tS: envStep / 10,
    steps: 10,
    success: true,
    interventions: 0,
    interventionSteps: 0,
    returnSum: 1,
    filterShare: 0.1,
    ...more,
  });

const TEXT = [
  JSON.stringify({ kind: 'setup', envStep: 0, tS: 0, learner: { utd: 4 } }),
  episode(0, { purpose: 'demonstration', steps: 30 }),
  episode(10),
  episode(20, { success: false, interventions: 2, interventionSteps: 4 }),
  episode(30, { cutBy: 'the guard' }),
  JSON.stringify({
    kind: 'update',
    envStep: 20,
    tS: 2,
    criticLoss: 0.5,
    entropy: null,
    utd: 3,
    updatesPerS: 9,
    tdErrorAbs: 1,
  }),
  JSON.stringify({ kind: 'validation', envStep: 30, tS: 3, successes: 9, episodes: 10 }),
  JSON.stringify({
    kind: 'calibration',
    envStep: 30,
    tS: 3,
    pairs: [
      [1, 0.5],
      [3, 0.7],
    ],
  }),
  JSON.stringify({ kind: 'step', envStep: 30, tS: 3 }),
  '{"kind":"episode","envSt',
].join('\n');

const lines = readLines(TEXT);
const points = (title: string, label: string) =>
  chartsOf(lines)
    .find((chart) => chart.title === title)!
    .series.find((series) => series.label.startsWith(label))!
    .points(lines);

describe('charts of the training view', () => {
  it('leaves out lines that were cut, and steps, which no chart reads', () => expect(lines).toHaveLength(8));

  it('draws success with its interval, of all and of episodes without help; what was cut counts for neither', () => {
    expect(points('Success', 'all').map(({ step, value }) => [step, value])).toEqual([
      [10, 1],
      [20, 0.5],
    ]);
    expect(points('Success', 'without help').map(({ step }) => step)).toEqual([10]);
    const [validated] = points('Success of the policy that is kept', 'validation');
    expect(validated!.value).toBe(0.9);
    // Newcombe (1998), method 3.
    expect([validated!.low, validated!.high].map((end) => Number(end!.toFixed(3)))).toEqual([0.596, 0.982]);
  });

  it('sums up who decided the steps that there are to learn from', () => {
    const last = (label: string) => points('What there is to learn from', label).at(-1)!.value;
    expect([last('policy'), last('person'), last('demonstrations')]).toEqual([26, 4, 30]);
  });

  it('holds Q against what came, and updates against what was asked', () => {
    expect(points('Is Q believable?', 'Q expected')[0]!.value).toBe(2);
    expect(points('Is Q believable?', 'realised')[0]!.value).toBeCloseTo(0.6);
    expect(points('Updates per step', 'asked')[0]!.value).toBe(4);
  });

  it('shows what else an algorithm says, and no chart without numbers', () => {
    const titles = chartsOf(lines).map(({ title }) => title);
    expect(titles).toContain('Td error abs');
    expect(titles).not.toContain('Entropy');
  });

  it('smooths without a bias towards 0 at the start', () => {
    const flat = [1, 2, 3].map((step) => ({ step, value: 5 }));
    expect(smoothed(flat, 0.9).map(({ value }) => Number(value.toFixed(9)))).toEqual([5, 5, 5]);
    const [, second] = smoothed(
      [
        { step: 0, value: 0 },
        { step: 1, value: 1 },
      ],
      0.5,
    );
    expect(second!.value).toBeCloseTo(2 / 3);
  });
});
