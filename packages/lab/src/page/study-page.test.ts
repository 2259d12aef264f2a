import { describe, expect, it } from 'vitest';
import type { StudyFile } from '../../../../src/config/study-file.ts';
import type { SeedCurve } from '../curves/samples.ts';
import { studyTable } from './study-page.ts';
import { studyPlot } from './study-plot.ts';

const FILE: StudyFile = {
  name: 'mine',
  learners: {},
  study: {
    kind: 'environment',
    title: 'Mine & yours',
    claim: 'A beats B.',
    source: 'https://example.org',
    notes: '',
    environment: 'point',
    steps: 200,
    seeds: 2,
    firstSeed: 0,
    measure: 'success',
    evaluation: { everySteps: 100, episodes: 10 },
    variants: { a: { title: 'the one <A>' }, b: { title: 'the other' }, c: { title: 'not run yet' } },
    checks: [{ kind: 'order', better: 'a', worse: 'b', measure: 'success', part: 'end' }],
  },
};

const curve = (seed: number, ...successes: number[]): SeedCurve => ({
  seed,
  samples: successes.map((success, i) => ({ step: 100 * i, updates: 400 * i, return: success - 1, success, cost: 0 })),
});
const CURVES = { a: [curve(0, 0, 0.5, 1), curve(1, 0, 0.7, 0.9)], b: [curve(0, 0, 0.1, 0.2), curve(1, 0, 0.1, 0.1)] };

describe('a table', () => {
  it('has a row for each variant that was run, with shares as shares', () => {
    const rows = studyTable(FILE.study, CURVES).trimEnd().split('\n');
    expect(rows).toHaveLength(4);
    // t(1) = 12.7: two seeds say little, and a share stays a share.
    expect(rows[2]).toBe(
      '| the one <A> | 2 (0–1) | 200 | 800 | −0.05 (−0.6853 to 0.5853) | 95.0 % (31.5 % to 100.0 %) |',
    );
  });
});

describe('a plot', () => {
  it('is a whole file with a band and a line for each variant that was run', () => {
    const svg = studyPlot(FILE.study, CURVES);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>\n$/s);
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg.match(/<polygon/g)).toHaveLength(2);
    expect(svg).toContain('the one &lt;A&gt;');
    expect(svg).not.toContain('not run yet');
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  it('gives the names of many variants as many lines as they need', () => {
    const title = 'a rather long name for a variant of a study';
    const variants = Object.fromEntries(['d', 'e', 'f'].map((name) => [name, { title }]));
    const study = { ...FILE.study, variants } as StudyFile['study'];
    const seeds = [curve(0, 0, 1)];
    expect(studyPlot(study, { d: seeds, e: seeds, f: seeds })).toContain('viewBox="0 0 560 336"');
  });
});
