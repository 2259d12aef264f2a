/** Lines over environment steps, or along something else: values under the cursor, zoom by dragging, bands for intervals. */
import 'uplot/dist/uPlot.min.css';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Hue, Point } from '../page/training-charts.ts';

export interface PlotLine {
  readonly label: string;
  readonly hue: Hue;
  /** Dashes, beside the colour, tell lines apart: 0 is a whole one. */
  readonly dash: number;
  readonly points: readonly Point[];
}

interface PlotProps {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly PlotLine[];
  readonly isLog?: boolean | undefined;
  readonly note?: string | undefined;
  /** What the horizontal axis is, where that is not environment steps: such a plot stands alone. */
  readonly along?: string;
}

const STEPS = 'step';
const HEIGHT_PX = 210;
const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const BAND_ALPHA = '26';

/** Counts changes between dark and light: plots take their colours when they are made. */
const theme = signal(0);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  theme.value++;
});

export function Plot({ title, unit, lines, isLog = false, note, along = STEPS }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const isZoomed = useRef(false);
  const data = table(lines, isLog);
  // What a plot is made anew for; all else is new data.
  const kind = `${theme.value} ${isLog} ${lines.map(({ label, dash, hue, points }) => `${label} ${dash} ${hue} ${hasBand(points)}`).join()}`;
  useEffect(() => {
    const root = place.current;
    if (root === null) return undefined;
    const made = new uPlot(options(root.clientWidth, { title, unit, lines, isLog, along }, isZoomed), data, root);
    plot.current = made;
    made.over.addEventListener('dblclick', () => {
      isZoomed.current = false;
    });
    const observer = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: HEIGHT_PX }));
    observer.observe(root);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
      isZoomed.current = false;
    };
  }, [kind]);
  useEffect(() => plot.current?.setData(data, !isZoomed.current), [lines]);
  return (
    <figure class="chart">
      <figcaption title={note}>{title}</figcaption>
      <div ref={place} role="img" aria-label={summary(title, lines)} />
    </figure>
  );
}

/** What the lines come to, for whoever does not see them. */
function summary(title: string, lines: readonly PlotLine[]): string {
  const ends = lines.map(({ label, points }) => `${label} ${shown(points.at(-1)?.value)}`);
  return `${title}; newest: ${ends.join(', ')}`;
}

function options(
  width: number,
  { unit, lines, isLog, along }: PlotProps,
  isZoomed: { current: boolean },
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--edge'), width: 1 },
    ticks: { stroke: colour('--edge') },
  };
  const series: uPlot.Series[] = [{ label: along ?? STEPS }];
  const bands: uPlot.Band[] = [];
  for (const { label, hue, dash, points } of lines) {
    const stroke = colour(`--${hue}`);
    series.push({
      label,
      stroke,
      width: 2,
      dash: DASHES[dash % DASHES.length]!,
      spanGaps: true,
      // A round of validation now and then, or a run's first episode, is a point and no line.
      points: { show: along === STEPS && points.length < 30, size: 6 },
      value: (_, value) => shown(value),
    });
    if (!hasBand(points)) continue;
    const edge = { stroke: 'transparent', spanGaps: true, points: { show: false }, class: 'edge' };
    series.push({ ...edge, label: `${label}, high` }, { ...edge, label: `${label}, low` });
    bands.push({ series: [series.length - 2, series.length - 1], fill: stroke + BAND_ALPHA });
  }
  return {
    width,
    height: HEIGHT_PX,
    cursor: { ...(along === STEPS ? { sync: { key: along } } : {}), drag: { x: true, y: false }, focus: { prox: 24 } },
    scales: { x: { time: false }, y: isLog ? { distr: 3, log: 10 } : {} },
    axes: [axis, { ...axis, label: unit, size: 56 }],
    series,
    bands,
    hooks: {
      setSelect: [
        () => {
          isZoomed.current = true;
        },
      ],
    },
  };
}

function hasBand(points: readonly Point[]): boolean {
  return points[0]?.low !== undefined;
}

/** As exact as it is of use. */
function shown(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : String(Number(value.toPrecision(3)));
}

/** Lines over one axis: a row a step that any of them has. */
function table(lines: readonly PlotLine[], isLog: boolean): uPlot.AlignedData {
  const steps = [...new Set(lines.flatMap(({ points }) => points.map(({ step }) => step)))].sort((a, b) => a - b);
  const columns = lines.flatMap(({ points }) => {
    const byStep = new Map(points.map((point) => [point.step, point]));
    const column = (of: (point: Point) => number | undefined): (number | null)[] =>
      steps.map((step) => {
        const point = byStep.get(step);
        const value = point === undefined ? undefined : of(point);
        return value === undefined || (isLog && value <= 0) ? null : value;
      });
    const middle = column(({ value }) => value);
    return hasBand(points) ? [middle, column(({ high }) => high), column(({ low }) => low)] : [middle];
  });
  return [steps, ...columns];
}
