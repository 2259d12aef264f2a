import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chartsIn } from '../../../tests/support/page-charts.ts';
import type { SafetyCheckResult, StopFigure, Trace } from '../../safety-check/index.ts';
import { renderSafetyReport } from './safety-page.ts';

const EVIL = '<img src=x onerror="alert(1)">&\'\u0000';

const trace: Trace = {
  trial: { index: 3, adversary: 'pumping', space: 'joint', plant: EVIL },
  timeS: [0.1, 0.2],
  margin: [0.5, 0.1],
  tankJ: [2, 1.5],
  injectedJ: [0, 0.5],
  creditedJ: [0, 0.2],
  kineticJ: [0, 1],
};

const stop: StopFigure = {
  unit: 's',
  median: 0.1,
  p95: 0.2,
  max: 0.25,
  bound: 0.4,
  shareOfBoundMax: 0.6,
  histogram: { width: 0.1, counts: [1, 4, 2] },
};

const result: SafetyCheckResult = {
  formatVersion: 1,
  robot: EVIL,
  subject: EVIL,
  sources: [EVIL],
  command: `rein safety check ${EVIL}`,
  startedAt: '2026-01-02T03:04:05.000Z',
  wallS: 12,
  versions: { rein: EVIL },
  machine: { cores: 2, cpu: EVIL, node: '20' },
  seed: 1,
  chain: 'on',
  without: [],
  plant: 'mujoco',
  controlHz: 100,
  joints: 6,
  ticks: 100_000,
  trials: 200,
  simulatedS: 1000,
  plantFailures: 0,
  ok: false,
  verdict: `${EVIL} broke limits.`,
  violations: [
    {
      kind: 'position',
      applies: true,
      count: 0,
      ticks: 100_000,
      upperBound95: 3e-5,
      worst: 0,
      unit: 'rad',
      first: null,
    },
    {
      kind: 'velocity',
      applies: true,
      count: 2,
      ticks: 100_000,
      upperBound95: 6.3e-5,
      worst: 0.1,
      unit: 'rad/s',
      first: trace.trial,
    },
    { kind: 'fence', applies: false, count: 0, ticks: 0, upperBound95: 1, worst: 0, unit: 'm', first: null },
  ],
  plannedTicks: 100_000,
  ended: 'complete',
  arm: {
    applies: true,
    payloadMaxKg: 2,
    excursions: [
      { kind: 'armWorkspace', count: 9, ticks: 100_000, worst: 0.0142, unit: 'm', first: trace.trial, worstAt: null },
    ],
    margins: [{ key: 'workspace', message: `The tool left its box ${EVIL}`, set: 0.015, unit: 'm' }],
  },
  stages: [{ stage: 'limiter', ticks: 50_000, share: 0.5 }],
  adversaries: [
    {
      name: 'pumping',
      ticks: 500,
      trials: 1,
      violations: 2,
      changedTicks: 400,
      marginMin: -0.01,
      peakKineticJ: 3,
      peakForceN: 20,
    },
  ],
  margins: {
    jointRad: 0.02,
    workspaceM: 0.001,
    fenceM: null,
    selfM: 0.01,
    keepOutM: null,
    shapesM: 0.01,
    plantM: 0.02,
  },
  energy: {
    hasTank: true,
    surplusMaxJ: -0.1,
    toleranceJ: 0.002,
    tankMinJ: 0.2,
    tankFloorJ: 0.1,
    injectedJ: 10,
    creditedJ: 9,
    peakKineticJ: 3,
    trace,
    comparison: [
      {
        attack: 'wall',
        trials: 8,
        ticks: 4000,
        peakKineticWithJ: 3,
        peakKineticWithoutJ: 30,
        peakForceWithN: 40,
        peakForceWithoutN: 400,
        hasTouched: true,
      },
    ],
  },
  stops: [{ cause: 'silence', stops: 7, reaction: stop, time: stop, distance: stop, plantTime: null }],
  worst: [trace],
  limits: [{ name: EVIL, value: EVIL, unit: EVIL }],
  assumed: [EVIL],
  untried: [],
  notTested: [EVIL],
};

describe('the report of a safety check', () => {
  const page = renderSafetyReport(result);

  it('lets no text of a file become markup', () => {
    const markup = page.replace(/<script type="module">[\s\S]*?<\/script>/g, '');
    expect(markup).not.toContain('<img');
    expect(page.split('</script>').length).toBe(page.split('<script').length);
    expect(markup).not.toContain('\u0000');
    expect(page.split('&lt;img src=x onerror=').length).toBeGreaterThan(8);
  });

  it('loads nothing, runs nothing but its charts, and tells the browser so', () => {
    expect(page.replace(/<(script|style)[\s\S]*?<\/\1>/g, '')).not.toMatch(
      /<link|<iframe|src="|href=|url\(|@import|style="/,
    );
    const inside = (tag: string): string[] =>
      [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag.split(' ')[0]}>`, 'g'))].map(([, text]) => text!);
    const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const [style, script] = [inside('style'), inside('script type="module"')];
    expect([style.length, script.length]).toEqual([1, 1]);
    expect(page).toContain(
      `content="default-src 'none'; style-src ${hashOf(style[0]!)}; img-src data:; script-src ${hashOf(script[0]!)}"`,
    );
  });

  it('says what was found, how often it may happen, and what this robot cannot do wrong', () => {
    expect(page).toContain('class="verdict bad"');
    expect(page).toContain('3.0·10<sup>−5</sup>');
    expect(page).toMatch(/Joint speed<br><small>first in trial 3 \(pumping, .*by up to 0\.1 rad\/s/);
    expect(page).toMatch(/Fence left<\/th><td colspan="3">the robot's files have no such limit/);
    expect(renderSafetyReport({ ...result, ok: true, verdict: 'fine' })).toContain('class="verdict good"');
  });

  it('shows what the simulated arm did beyond its reference, and how often each stage acted', () => {
    expect(page).toMatch(/Tool measured outside its box<br><small>first in trial 3 .*<td class="number">14.2 mm<\/td>/);
    expect(page).toContain('The tool left its box &lt;img');
    expect(page).toMatch(/limiter<\/th><td class="number">50 %/);
  });

  it('draws bound, tank and both sides of the comparison', () => {
    const charts = chartsIn(page);
    expect(charts.filter(({ mark }) => mark?.label === 'bound')).toHaveLength(3);
    const { lines, level } = charts.find(({ title }) => title === 'Energy in the wildest trial')!;
    expect(lines.map(({ label }) => label)).toEqual(['kinetic energy', 'in the tank', 'injected', 'credited']);
    expect(level).toEqual({ hue: 'red', at: 0.1, label: 'floor of the tank' });
    for (const label of ['with the tank', 'without']) expect(page).toContain(label);
  });

  it('is readable without a tank, stops, traces or masses', () => {
    const energy = { ...result.energy, hasTank: false, comparison: null, trace: null };
    const bare = renderSafetyReport({ ...result, energy, stops: [], worst: [], assumed: [] });
    expect(bare).toContain('No stop was measured');
    for (const each of [bare, page]) {
      expect(each.replace(/<(script type="module"|style)>[\s\S]*?<\/(script|style)>/g, '')).not.toMatch(
        /="[^"]*(NaN|Infinity)|undefined/,
      );
    }
  });
});
