/** The plot of a study: a mean curve with its interval over seeds for each variant, as an SVG file that stands alone. */
import type { StudyConfig } from '../../config/index.ts';
import { meanInterval, measured, type SeedCurve, type StudyCurves } from '../../study/index.ts';
import { type Axis, type Hue, type Layer, renderChart } from '../page/chart.ts';
import { type Html, html } from '../page/html.ts';

const HUES: readonly Hue[] = ['blue', 'orange', 'green', 'red', 'violet', 'grey'];
/** The page's colours, on white: a file in a repository cannot know the reader's theme. */
const STYLE = `<style>
svg{background:#fff;font:12px system-ui,sans-serif}text{fill:#4b5563}
.grid{stroke:#e5e7eb}.axis{stroke:#9ca3af}.rule{stroke-dasharray:4 3}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.line.dashed{stroke-dasharray:5 4}.band{opacity:.16}
.blue{--c:#2563c9}.orange{--c:#c2570c}.green{--c:#15803d}.red{--c:#b91c1c}.violet{--c:#7c3aed}.grey{--c:#6b7280}
.line,.rule{stroke:var(--c)}.band{fill:var(--c)}
</style>`;

const WIDTH = 560;
const HEIGHT = 300;
/** Where the plot's area begins, and the room of a line of the legend, px. */
const LEFT = 58;
const LINE_PX = 20;

/** A curve's colour, and whether it is dashed. */
interface Look {
  readonly title: string;
  readonly hue: Hue;
  readonly isDashed: boolean;
}

/** The text of the file. */
export function studyPlot(study: StudyConfig, curves: StudyCurves): string {
  const layers: Layer[] = [];
  const looks: Look[] = [];
  for (const [i, [variant, { title }]] of Object.entries(study.variants).entries()) {
    const seeds = curves[variant];
    if (seeds === undefined) continue;
    const points = pointsOf(seeds, study.measure);
    const hue = HUES[i % HUES.length]!;
    // Six colours: the next six variants are dashed.
    const isDashed = i >= HUES.length;
    looks.push({ title, hue, isDashed });
    layers.unshift({ kind: 'band', hue, points: points.map(({ step, low, high }) => [step, low, high]) });
    layers.push({
      kind: 'line',
      hue,
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
  const { rows, marks } = legend(looks);
  return `${markup
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace(`viewBox="0 0 ${WIDTH} ${HEIGHT}"`, `viewBox="0 0 ${WIDTH} ${HEIGHT + rows * LINE_PX}"`)
    .replace('</desc>', `</desc>${STYLE}`)
    .replace('</svg>', html`${marks}</svg>`.markup)}\n`;
}

/** Below the plot, in as many lines as it takes: names of variants are sentences at times. */
function legend(looks: readonly Look[]): { readonly rows: number; readonly marks: readonly Html[] } {
  let [left, row] = [LEFT, 0];
  const marks = looks.map(({ title, hue, isDashed }) => {
    const width = 44 + title.length * 6.4;
    if (left > LEFT && left + width > WIDTH) [left, row] = [LEFT, row + 1];
    const y = HEIGHT + row * LINE_PX + 8;
    const line = html`<line class="line ${hue}${isDashed ? ' dashed' : ''}" x1="${left}" x2="${left + 18}" y1="${y - 4}" y2="${y - 4}"/>`;
    const name = html`<text class="legend" x="${left + 24}" y="${y}">${title}</text>`;
    left += width;
    return html`${line}${name}`;
  });
  return { rows: looks.length === 0 ? 0 : row + 1, marks };
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
