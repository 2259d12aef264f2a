/** Lines over environment steps, or along something else: values under the cursor, zoom by dragging, bands for intervals. */
import 'uplot/dist/uPlot.min.css';
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type Hue, type Point, thinned } from '../page/training-charts.ts';

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
  /** The last step of all plots beside it: they have one axis. */
  readonly lastStep?: number;
}

const STEPS = 'step';
const HEIGHT_PX = 210;
const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const BAND_ALPHA = '26';
/** Of a line, of what is shown of it: more than a chart has pixels for says nothing. */
export const MOST_POINTS = 400;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The environment steps that all plots show; `undefined`: all. */
const zoomed = signal<Span | undefined>(undefined);

/** Counts changes between dark and light: plots take their colours when they are made. */
const theme = signal(0);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  theme.value++;
});

export function Plot({ title, unit, lines: all, isLog = false, note, along = STEPS, lastStep }: PlotProps) {
  const isShared = along === STEPS;
  const span = isShared ? zoomed.value : undefined;
  const lines = useMemo(() => all.map((line) => ({ ...line, points: shownOf(line.points, span) })), [all, span]);
  // Read where a plot asks for its scale, also once this one was made.
  const range = useRef<Span | undefined>(undefined);
  range.current = span ?? (isShared && lastStep !== undefined ? { from: 0, to: Math.max(1, lastStep) } : undefined);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = table(lines, isLog);
  // What a plot is made anew for; all else is new data.
  const kind = `${theme.value} ${isLog} ${lines.map(({ label, dash, hue, points }) => `${label} ${dash} ${hue} ${hasBand(points)}`).join()}`;
  useEffect(() => {
    const root = place.current;
    if (root === null) return undefined;
    const made = new uPlot(options(root.clientWidth, { title, unit, lines, isLog, along }, range), data, root);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: HEIGHT_PX }));
    observer.observe(root);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [kind]);
  useEffect(() => plot.current?.setData(data), [lines, lastStep]);
  return (
    <figure class="chart">
      <figcaption title={note}>{title}</figcaption>
      <div
        ref={place}
        role="img"
        aria-label={summary(title, all)}
        data-span={range.current && `${range.current.from} to ${range.current.to}`}
      />
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
  range: { readonly current: Span | undefined },
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--edge'), width: 1 },
    ticks: { stroke: colour('--edge') },
  };
  const isShared = along === STEPS;
  const isShare = unit === 'share';
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
      value: (_, value) => shown(value, unit),
    });
    if (!hasBand(points)) continue;
    const edge = { stroke: 'transparent', spanGaps: true, points: { show: false }, class: 'edge' };
    series.push({ ...edge, label: `${label}, high` }, { ...edge, label: `${label}, low` });
    bands.push({ series: [series.length - 2, series.length - 1], fill: stroke + BAND_ALPHA });
  }
  return {
    width,
    height: HEIGHT_PX,
    cursor: {
      ...(isShared ? { sync: { key: STEPS }, bind: { dblclick: () => showAll } } : {}),
      drag: { x: true, y: false, setScale: !isShared },
      focus: { prox: 24 },
    },
    legend: { markers: { width: 0, fill: (_, i) => swatch(series[i]) } },
    scales: {
      x: { time: false, range: (_, low, high) => spanOf(range.current, low, high) },
      y: isLog ? { distr: 3, log: 10 } : {},
    },
    axes: [
      axis,
      {
        ...axis,
        label: unit,
        size: 56,
        ...(isShare ? { values: (_, all) => all.map((value) => shown(value, unit)) } : {}),
      },
    ],
    series,
    bands,
    hooks: {
      setSelect: [
        (plot) => {
          if (isShared) zoomTo(plot);
        },
      ],
    },
  };
}

/** Zooms all plots to what was selected in one. */
function zoomTo(plot: uPlot): void {
  const { left, width } = plot.select;
  if (width <= 0) return;
  zoomed.value = { from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') };
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function showAll(): null {
  zoomed.value = undefined;
  return null;
}

/** What is drawn of a line: the points in `span` and one on either side, so that it goes to the edges. */
function shownOf(points: readonly Point[], span: Span | undefined): readonly Point[] {
  if (span === undefined) return thinned(points, MOST_POINTS);
  const first = points.findIndex(({ step }) => step >= span.from);
  const after = points.findIndex(({ step }) => step > span.to);
  const inside = points.slice(first < 0 ? -1 : Math.max(0, first - 1), after < 0 ? undefined : after + 1);
  return thinned(inside, MOST_POINTS);
}

/** Where nothing else is said, a plot has its own data from end to end. */
function spanOf(span: Span | undefined, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (span !== undefined) return [span.from, span.to];
  return low === null || high === null || low === high ? [(low ?? 0) - 0.5, (high ?? 0) + 0.5] : [low, high];
}

/** A piece of the line as it is drawn, dashes and all. */
function swatch({ stroke, dash = [] }: uPlot.Series = {}): string {
  if (typeof stroke !== 'string' || stroke === 'transparent') return 'transparent';
  const line = `<svg xmlns="http://www.w3.org/2000/svg" width="28" height="12"><path d="M0 6h28" stroke="${stroke}" stroke-width="2.5" stroke-dasharray="${dash.join(' ')}"/></svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(line)}") center / 28px 12px no-repeat`;
}

function hasBand(points: readonly Point[]): boolean {
  return points[0]?.low !== undefined;
}

/** As exact as it is of use. */
function shown(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined) return '–';
  // As the report has shares.
  return unit === 'share' ? `${Number((100 * value).toPrecision(3))} %` : String(Number(value.toPrecision(3)));
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
