/** The plot of a study: a mean curve with its interval over seeds for each variant, as an SVG file that stands alone. */
import type { StudyConfig } from '../../runtime/index.ts';
import { meanInterval, measured, type SeedCurve, type StudyCurves } from '../../runtime/study/index.ts';
import { type Axis, type Hue, type Layer, renderChart } from '../report/index.ts';

const HUES: readonly Hue[] = ['blue', 'orange', 'green', 'red', 'violet', 'grey'];
/** The page's colours, on white: a file in a repository cannot know the reader's theme. */
const STYLE = `<style>
svg{background:#fff;font:12px system-ui,sans-serif}text{fill:#4b5563}
.grid{stroke:#e5e7eb}.axis{stroke:#9ca3af}.rule{stroke-dasharray:4 3}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.line.dashed{stroke-dasharray:5 4}.band{opacity:.16}
.blue{--c:#2563c9}.orange{--c:#c2570c}.green{--c:#15803d}.red{--c:#b91c1c}.violet{--c:#7c3aed}.grey{--c:#6b7280}
.line,.rule{stroke:var(--c)}.band{fill:var(--c)}
</style>`;

/** The text of the file. */
export function studyPlot(study: StudyConfig, curves: StudyCurves): string {
  const layers: Layer[] = [];
  for (const [i, [variant, { title }]] of Object.entries(study.variants).entries()) {
    const seeds = curves[variant];
    if (seeds === undefined) continue;
    const points = pointsOf(seeds, study.measure);
    const hue = HUES[i % HUES.length]!;
    // Six colours: the next six variants are dashed.
    const dashed = i >= HUES.length ? { dashed: true as const } : {};
    layers.unshift({ kind: 'band', hue, points: points.map(({ step, low, high }) => [step, low, high]) });
    layers.push({ kind: 'line', hue, points: points.map(({ step, mean }) => [step, mean]), label: title, ...dashed });
  }
  for (const check of study.checks) {
    if (check.kind !== 'reaches' || check.measure !== study.measure) continue;
    layers.push({ kind: 'level', hue: 'grey', y: check.value, label: String(check.value) });
  }
  const svg = renderChart({
    title: study.title,
    description: `Mean ${study.measure} of noiseless evaluation episodes over environment steps, with 95 % intervals over seeds.`,
    x: { label: 'environment steps' },
    y: axisOf(study.measure),
    layers,
    heightPx: 300,
  });
  return `${svg.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ').replace('>', `>${STYLE}`)}\n`;
}

function axisOf(measure: StudyConfig['measure']): Axis {
  return measure === 'success' ? { label: 'success', scale: 'percent', min: 0, max: 1 } : { label: measure };
}

interface PlotPoint {
  readonly step: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Where every seed has been evaluated. The interval is drawn no wider than the seeds lie, or one bad seed would flatten the plot. */
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
