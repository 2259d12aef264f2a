/** Plot of a study: a mean curve with its interval over seeds for each variant, as a self-contained SVG file. */
import { readFileSync } from 'node:fs';
import type { StudyConfig } from '../../../../src/config/index.ts';
import { colours, Html, type Hue } from '../../../../src/monitor/charts.ts';
import { meanInterval } from '../curves/intervals.ts';
import { measured, type SeedCurve, type StudyCurves } from '../curves/samples.ts';
import { type Axis, type Layer, renderChart } from './svg-chart.ts';

const HUES: readonly Hue[] = ['blue', 'orange', 'green', 'red', 'violet', 'grey'];
/** Page colours on white, independent of the reader's theme, which a file in a repository cannot know. */
const STYLE: Html = new Html(
  `<style>${colours().split('@media')[0]}svg{background:#fff;font-family:system-ui,sans-serif}${readFileSync(new URL('./plot.css', import.meta.url), 'utf8')}</style>`,
);
const HEIGHT = 300;

/** Returns the text of the file. */
export function studyPlot(study: StudyConfig, curves: StudyCurves): string {
  const layers: Layer[] = [];
  for (const [i, [variant, { title }]] of Object.entries(study.variants).entries()) {
    const seeds = curves[variant];
    if (seeds === undefined) continue;
    const points = pointsOf(seeds, study.measure);
    const hue = HUES[i % HUES.length]!;
    // Six colours: the next six variants are dashed.
    const isDashed = i >= HUES.length;
    layers.unshift({ kind: 'band', hue, points: points.map(({ step, low, high }) => [step, low, high]) });
    layers.push({
      kind: 'line',
      hue,
      label: title,
      points: points.map(({ step, mean }) => [step, mean]),
      ...(isDashed ? { dashed: true } : {}),
    });
  }
  for (const check of study.checks) {
    if (check.kind !== 'reaches' || check.measure !== study.measure) continue;
    layers.push({ kind: 'level', hue: 'grey', y: check.value, label: String(check.value) });
  }
  const { markup } = renderChart({
    title: study.title,
    description: `Mean ${study.measure} of noiseless evaluation episodes over environment steps, with 95 % intervals over seeds.`,
    x: { label: 'environment steps' },
    y: axisOf(study.measure),
    layers,
    heightPx: HEIGHT,
  });
  return `${markup
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace('</desc>', `</desc>${STYLE.markup}`)}\n`;
}

function axisOf(measure: StudyConfig['measure']): Axis {
  return measure === 'success' ? { label: 'success', isPercent: true, min: 0, max: 1 } : { label: measure };
}

interface PlotPoint {
  readonly step: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Points at which every seed was evaluated. The interval is clipped to the range of the seeds, or one bad seed would flatten the plot. */
function pointsOf(seeds: readonly SeedCurve[], measure: StudyConfig['measure']): PlotPoint[] {
  const steps = seeds[0]!.samples.map(({ step }) => step);
  return steps.flatMap((step) => {
    const values = seeds.flatMap(({ samples }) => {
      const sample = samples.find((each) => each.step === step);
      return sample === undefined ? [] : (measured(sample, measure) ?? []);
    });
    if (values.length < seeds.length) return [];
    const { mean, low, high } = meanInterval(values);
    return [{ step, mean, low: Math.max(low, Math.min(...values)), high: Math.min(high, Math.max(...values)) }];
  });
}
