/** Curves as an SVG drawing, for viewers that show images and run no scripts. Colours are the classes of `plot.css`. */
import { type Html, type Hue, html, shortNumber } from '../../../../src/monitor/charts.ts';

export type Point = readonly [number, number];

export type Layer =
  | {
      readonly kind: 'line';
      readonly hue: Hue;
      readonly points: readonly Point[];
      readonly label: string;
      readonly dashed?: true;
    }
  /** Points of a curve with [low, high] at each. */
  | { readonly kind: 'band'; readonly hue: Hue; readonly points: readonly (readonly [number, number, number])[] }
  | { readonly kind: 'level'; readonly hue: Hue; readonly y: number; readonly label: string };

export interface Axis {
  readonly label: string;
  /** Fixed ends; absent: from the data. */
  readonly min?: number;
  readonly max?: number;
  /** 0.5 is written as 50 %. */
  readonly isPercent?: boolean;
}

export interface Chart {
  readonly title: string;
  /** Text alternative for readers who cannot see the chart. */
  readonly description: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly layers: readonly Layer[];
  readonly heightPx: number;
}

const WIDTH = 560;
const LEFT = 58;
const RIGHT = 20;
const BOTTOM = 42;
const LEGEND_ROW = 18;

interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Scale {
  readonly to: (value: number) => number;
  readonly ticks: readonly (readonly [number, string])[];
}

/** Renders the chart as an `<svg>` element with a title and a description. */
export function renderChart(chart: Chart): Html {
  const { rows, marks } = legendOf(chart.layers);
  const height = chart.heightPx + LEGEND_ROW * Math.max(0, rows - 1);
  const area: Area = { left: LEFT, right: WIDTH - RIGHT, top: 12 + LEGEND_ROW * rows, bottom: height - BOTTOM };
  const x = createScale(chart.x, chart.layers.flatMap(xValues), area.left, area.right, 6);
  const y = createScale(chart.y, chart.layers.flatMap(yValues), area.bottom, area.top, 5);
  const id = `c-${chart.title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  const named = html`<title id="${id}-t">${chart.title}</title><desc id="${id}-d">${chart.description}</desc>`;
  const drawn = [...axes(chart, x, y, area), ...chart.layers.map((layer) => drawLayer(layer, x, y, area)), ...marks];
  return html`<svg class="chart full" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">${named}${drawn}</svg>`;
}

/** Returns about `count` round numbers that cover [low, high]. */
export function niceTicks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!Number.isFinite(span) || !isWide(low, high)) return [low];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10) * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(tidy(i * step));
  return ticks;
}

/** True if `high` exceeds `low` by more than rounding: ticks between values that differ in their last digits only would never end. */
function isWide(low: number, high: number): boolean {
  return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high));
}

/** Removes rounding in the last digits: 0.30000000000000004 → 0.3. */
function tidy(value: number): number {
  return Number(value.toFixed(12));
}

function createScale(axis: Axis, data: readonly number[], from: number, to: number, count: number): Scale {
  const usable = data.filter(Number.isFinite);
  let low = axis.min ?? Math.min(...usable, usable[0] ?? 0);
  let high = axis.max ?? Math.max(...usable);
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
  if (!isWide(low, high)) [low, high] = [low - (axis.min === undefined ? 0.5 : 0), low + 1];
  const ticks = niceTicks(low, high, count);
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  if (axis.max === undefined && ticks.length > 1 && high > ticks.at(-1)! + step * 0.25) {
    high = tidy(ticks.at(-1)! + step);
    ticks.push(high);
  }
  const name = axis.isPercent ? (v: number): string => `${shortNumber(v * 100)} %` : shortNumber;
  return { to: (v) => from + ((v - low) / (high - low)) * (to - from), ticks: ticks.map((v) => [v, name(v)]) };
}

function axes(chart: Chart, x: Scale, y: Scale, { left, right, top, bottom: floor }: Area): Html[] {
  return [
    ...y.ticks.map(([value, name]) => {
      const at = px(y.to(value));
      const line = html`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/>`;
      return html`${line}<text class="tick" x="${left - 7}" y="${px(y.to(value) + 4)}" text-anchor="end">${name}</text>`;
    }),
    ...x.ticks.map(([value, name]) => {
      const at = px(x.to(value));
      const line = html`<line class="grid" x1="${at}" x2="${at}" y1="${floor}" y2="${floor + 4}"/>`;
      return html`${line}<text class="tick" x="${at}" y="${floor + 17}" text-anchor="middle">${name}</text>`;
    }),
    html`<line class="axis" x1="${left}" x2="${right}" y1="${floor}" y2="${floor}"/>`,
    html`<text class="label" x="${(left + right) / 2}" y="${floor + BOTTOM - 6}" text-anchor="middle">${chart.x.label}</text>`,
    html`<text class="label" transform="translate(13 ${px((top + floor) / 2)}) rotate(-90)" text-anchor="middle">${chart.y.label}</text>`,
  ];
}

function drawLayer(layer: Layer, x: Scale, y: Scale, area: Area): Html {
  const { left, right, bottom: floor } = area;
  const { hue } = layer;
  const at = ([a, b]: Point): string => `${px(x.to(a))},${px(y.to(b))}`;
  switch (layer.kind) {
    case 'line': {
      const points = layer.points.filter(isFinitePoint).map(at).join(' ');
      return html`<polyline class="line ${hue}${layer.dashed ? ' dashed' : ''}" points="${points}"/>`;
    }
    case 'band': {
      const up = layer.points.map(([a, , high]) => at([a, high]));
      const down = layer.points.map(([a, low]) => at([a, low])).reverse();
      return html`<polygon class="band ${hue}" points="${[...up, ...down].join(' ')}"/>`;
    }
    case 'level': {
      const level = y.to(layer.y);
      // Below the line, but not over the axis and its numbers.
      const beside = level + 18 > floor ? -4 : 14;
      const rule = html`<line class="rule ${hue}" x1="${left}" x2="${right}" y1="${px(level)}" y2="${px(level)}"/>`;
      return html`${rule}<text class="note ${hue}" x="${left + 4}" y="${px(level + beside)}">${layer.label}</text>`;
    }
  }
}

/** Legend above the plot, in as many rows as needed: names of variants can be sentences. */
function legendOf(layers: readonly Layer[]): { readonly rows: number; readonly marks: readonly Html[] } {
  let [left, row] = [LEFT, 0];
  const marks = layers.flatMap((layer) => {
    if (layer.kind !== 'line') return [];
    const { hue, label, dashed } = layer;
    const wide = 40 + label.length * 6.4;
    if (left > LEFT && left + wide > WIDTH) [left, row] = [LEFT, row + 1];
    const y = 12 + LEGEND_ROW * row;
    const shape = html`<line class="line ${hue}${dashed ? ' dashed' : ''}" x1="${left}" x2="${left + 16}" y1="${y}" y2="${y}"/>`;
    const entry = html`${shape}<text class="legend" x="${left + 22}" y="${y + 4}">${label}</text>`;
    left += wide;
    return [entry];
  });
  return { rows: marks.length === 0 ? 0 : row + 1, marks };
}

function xValues(layer: Layer): number[] {
  return layer.kind === 'level' ? [] : layer.points.map(([x]) => x);
}

function yValues(layer: Layer): number[] {
  if (layer.kind === 'level') return [layer.y];
  return layer.kind === 'band' ? layer.points.flatMap(([, low, high]) => [low, high]) : layer.points.map(([, y]) => y);
}

function isFinitePoint([a, b]: Point): boolean {
  return Number.isFinite(a) && Number.isFinite(b);
}

function px(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 10) / 10) : '0';
}
