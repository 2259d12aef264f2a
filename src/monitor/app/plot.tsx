/** Chart: values under the cursor, zoom by dragging, bands for intervals, and bars, dots and named values beside its lines. */
import 'uplot/dist/uPlot.min.css';
import { signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { ChartLine, ChartView } from '../page/chart.ts';
import { type Hue, type Point, thinned } from '../page/training-charts.ts';
import { colourText, paper, theme } from './theme.ts';

const STEPS = 'step';
const HEIGHT_PX = 210;
const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const BAND_ALPHA = '26';
const DOT_ALPHA = 'a6';
const DOT_PX = 2.6;
/** Largest number of points drawn of a line, over the visible span: a chart has no pixels for more. */
export const MOST_POINTS = 400;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Range of environment steps shown by all plots; `undefined`: all. */
const zoomed = signal<Span | undefined>(undefined);

/** Chart of the live page, in its own figure. */
export function Plot(view: ChartView) {
  return (
    <figure class="chart">
      <figcaption title={view.note}>{view.title}</figcaption>
      <PlotArea {...view} />
    </figure>
  );
}

/** Plot area, as wide as its container. */
export function PlotArea(view: ChartView) {
  const { title, lines: all, isLog = false, along = STEPS, xRange, lastStep, description } = view;
  const isShared = along === STEPS;
  const span = isShared ? zoomed.value : undefined;
  const lines = useMemo(() => all.map((line) => ({ ...line, points: shownOf(line.points, span) })), [all, span]);
  // A ref, since uPlot asks for its scale also after creation.
  const range = useRef<Span | undefined>(undefined);
  range.current = span ?? (isShared && lastStep !== undefined ? { from: 0, to: Math.max(1, lastStep) } : undefined);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = table(lines, isLog, xRange);
  // A change of this recreates the plot; any other change only sets its data.
  const kind = `${theme.value} ${paper.value} ${isLog} ${lines.map(({ label, dash, hue, points }) => `${label} ${dash} ${hue} ${hasBand(points)}`).join()}`;
  // Layout effect: runs before the browser paints or prints.
  useLayoutEffect(() => {
    const root = place.current;
    if (root === null) return undefined;
    const made = new uPlot(options(root.clientWidth, { ...view, lines, along }, range), data, root);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: made.height }));
    observer.observe(root);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [kind]);
  useLayoutEffect(() => plot.current?.setData(data), [lines, lastStep]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={description === undefined ? summary(title, all) : `${title}. ${description}`}
      data-span={range.current && `${range.current.from} to ${range.current.to}`}
    />
  );
}

/** Text summary of the lines, for screen readers. */
function summary(title: string, lines: readonly ChartLine[]): string {
  const ends = lines.map(({ label, points }) => `${label} ${shown(points.at(-1)?.value)}`);
  return `${title}; newest: ${ends.join(', ')}`;
}

function options(width: number, view: ChartView, range: { readonly current: Span | undefined }): uPlot.Options {
  const { unit, lines, isLog = false, along = STEPS, isLogX = false, heightPx = HEIGHT_PX } = view;
  const isShared = along === STEPS;
  const { series, bands } = seriesOf(lines, along, unit);
  return {
    width,
    height: heightPx,
    cursor: {
      ...(isShared ? { sync: { key: STEPS }, bind: { dblclick: () => showAll } } : {}),
      drag: { x: true, y: false, setScale: !isShared },
      focus: { prox: 24 },
    },
    legend: {
      show: lines.some(({ label }) => label !== ''),
      markers: { width: 0, fill: (_, i) => swatch(series[i]) },
    },
    scales: {
      x: {
        time: false,
        range: (_, low, high) => spanOf(range.current, low, high),
        ...(isLogX ? { distr: 3, log: 10 } : {}),
      },
      y: isLog ? { distr: 3, log: 10 } : heightsOf(view),
    },
    axes: axesOf(view),
    series,
    bands,
    hooks: {
      drawAxes: [(plot) => clipped(plot, () => drawBelow(plot, view))],
      draw: [(plot) => clipped(plot, () => drawNamed(plot, view))],
      setSelect: [
        (plot) => {
          if (isShared) zoomTo(plot);
        },
      ],
    },
  };
}

function axesOf({ unit, xLabel }: ChartView): uPlot.Axis[] {
  const axis = {
    stroke: colourText('--soft'),
    grid: { stroke: colourText('--edge'), width: 1 },
    ticks: { stroke: colourText('--edge') },
  };
  const values = { values: (_: uPlot, all: readonly number[]) => all.map((value) => shown(value, unit)) };
  return [
    xLabel === undefined ? axis : { ...axis, label: xLabel, labelSize: 20, size: 34 },
    { ...axis, label: unit, size: 56, ...(isShare(unit) ? values : {}) },
  ];
}

function seriesOf(lines: readonly ChartLine[], along: string, unit: string) {
  const series: uPlot.Series[] = [{ label: along }];
  const bands: uPlot.Band[] = [];
  // Series of few points, such as validation rounds or a run's first episode, are drawn as points without a line.
  const fewPoints = along === STEPS ? 30 : 2;
  const edge = { stroke: 'transparent', spanGaps: true, points: { show: false }, class: 'edge' };
  for (const { label, hue, dash, points } of lines) {
    const stroke = colourText(`--${hue}`);
    series.push({
      label,
      stroke,
      width: 2,
      dash: DASHES[dash % DASHES.length]!,
      spanGaps: true,
      points: { show: points.length < fewPoints, size: 6 },
      value: (_, value) => shown(value, unit),
      ...(label === '' ? { class: 'edge' } : {}),
    });
    if (!hasBand(points)) continue;
    series.push({ ...edge, label: `${label}, high` }, { ...edge, label: `${label}, low` });
    bands.push({ series: [series.length - 2, series.length - 1], fill: stroke + BAND_ALPHA });
  }
  if (lines.length === 0) series.push(edge);
  return { series, bands };
}

/** Vertical scale: uPlot's choice, unless its ends are given or more than lines is drawn. */
function heightsOf({ yRange = {}, bars, dots, level }: ChartView): uPlot.Scale {
  const more = [
    ...(bars === undefined ? [] : [0, ...bars.bars.map(([, , height]) => height)]),
    ...(dots?.points.map(([, y]) => y) ?? []),
    ...(level === undefined ? [] : [level.at]),
  ];
  if (more.length === 0 && yRange.low === undefined && yRange.high === undefined) return {};
  return {
    range: (_, low, high) => {
      const all = [low, high, ...more].filter((value) => typeof value === 'number');
      const [least, most] = all.length === 0 ? [0, 1] : [Math.min(...all), Math.max(...all)];
      const [from, to] = uPlot.rangeNum(least, most, 0.1, true);
      return [yRange.low ?? from, yRange.high ?? to];
    },
  };
}

/** Clips `draw` to the plot area. */
function clipped({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

/** Bars and dots, drawn below the lines. */
function drawBelow(plot: uPlot, { bars, dots }: ChartView): void {
  const { ctx } = plot;
  const x = (value: number): number => plot.valToPos(value, 'x', true);
  const y = (value: number): number => plot.valToPos(value, 'y', true);
  if (bars !== undefined) {
    ctx.fillStyle = colourText(`--${bars.hue}`);
    for (const [from, to, height] of bars.bars) {
      ctx.fillRect(x(from), y(height), Math.max(1, x(to) - x(from) - devicePixelRatio), y(0) - y(height));
    }
  }
  if (dots !== undefined) {
    ctx.fillStyle = colourText(`--${dots.hue}`) + DOT_ALPHA;
    for (const [across, up] of dots.points) {
      ctx.beginPath();
      ctx.arc(x(across), y(up), DOT_PX * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
}

/** Named values, drawn above all else. */
function drawNamed(plot: uPlot, { level, mark }: ChartView): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const gap = 4 * devicePixelRatio;
  ctx.lineWidth = 1.4 * devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  if (level !== undefined) {
    const y = plot.valToPos(level.at, 'y', true);
    drawRule(ctx, level.hue, [left, y, left + width, y]);
    // Below the line unless that would cover the axis and its numbers.
    const isLow = y + 18 * devicePixelRatio > top + height;
    ctx.textAlign = 'left';
    ctx.textBaseline = isLow ? 'bottom' : 'top';
    ctx.fillText(level.label, left + gap, isLow ? y - gap : y + gap);
  }
  if (mark !== undefined) {
    const x = plot.valToPos(mark.at, 'x', true);
    drawRule(ctx, mark.hue, [x, top, x, top + height]);
    const isRight = x > left + 0.7 * width;
    ctx.textBaseline = 'top';
    ctx.textAlign = isRight ? 'right' : 'left';
    ctx.fillText(mark.label, isRight ? x - gap : x + gap, top + gap);
  }
}

/** Draws a line, and leaves its colour set for the label. */
function drawRule(
  ctx: CanvasRenderingContext2D,
  hue: Hue,
  [x, y, toX, toY]: readonly [number, number, number, number],
) {
  ctx.strokeStyle = colourText(`--${hue}`);
  ctx.fillStyle = ctx.strokeStyle;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}

/** Zooms all plots to the selection of one. */
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

/** Points of a line that are drawn: those in `span` and one on either side, so that it reaches the edges. */
function shownOf(points: readonly Point[], span: Span | undefined): readonly Point[] {
  if (span === undefined) return thinned(points, MOST_POINTS);
  const first = points.findIndex(({ step }) => step >= span.from);
  const after = points.findIndex(({ step }) => step > span.to);
  const inside = points.slice(first < 0 ? -1 : Math.max(0, first - 1), after < 0 ? undefined : after + 1);
  return thinned(inside, MOST_POINTS);
}

/** Range of the x axis: `span` if given, otherwise the extent of the data. */
function spanOf(span: Span | undefined, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (span !== undefined) return [span.from, span.to];
  return low === null || high === null || low === high ? [(low ?? 0) - 0.5, (high ?? 0) + 0.5] : [low, high];
}

/** Legend sample of a line, with its dashes. */
function swatch({ stroke, dash = [] }: uPlot.Series = {}): string {
  if (typeof stroke !== 'string' || stroke === 'transparent') return 'transparent';
  const line = `<svg xmlns="http://www.w3.org/2000/svg" width="28" height="12"><path d="M0 6h28" stroke="${stroke}" stroke-width="2.5" stroke-dasharray="${dash.join(' ')}"/></svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(line)}") center / 28px 12px no-repeat`;
}

function hasBand(points: readonly Point[]): boolean {
  return points[0]?.low !== undefined;
}

function isShare(unit: string): boolean {
  return unit.startsWith('share');
}

/** Formats a value with three significant digits. */
function shown(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined) return '–';
  // Shares as %, as in the report.
  return isShare(unit) ? `${Number((100 * value).toPrecision(3))} %` : String(Number(value.toPrecision(3)));
}

/** Table of the lines on one axis: a row for each step of any line, and one for each end of the axis. */
function table(lines: readonly ChartLine[], isLog: boolean, ends: readonly number[] = []): uPlot.AlignedData {
  const steps = [...new Set([...ends, ...lines.flatMap(({ points }) => points.map(({ step }) => step))])].sort(
    (a, b) => a - b,
  );
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
  return columns.length === 0 ? [steps, steps.map(() => null)] : [steps, ...columns];
}
