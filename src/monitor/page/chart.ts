/** Small charts as inline SVG. Colours are CSS classes, so that the page's theme applies. */
import { mean } from '../../core/index.ts';
import { type Html, html, NOT_RECORDED, NOTHING, SCROLL_HINT, shortNumber } from './html.ts';
import type { Hue } from './training-charts.ts';

export type Point = readonly [number, number];

export type Layer =
  | {
      readonly kind: 'line';
      readonly hue: Hue;
      readonly points: readonly Point[];
      readonly label?: string;
      readonly dashed?: true;
    }
  | { readonly kind: 'dots'; readonly hue: Hue; readonly points: readonly Point[]; readonly label?: string }
  /** Points of a curve with [low, high] at each. */
  | { readonly kind: 'band'; readonly hue: Hue; readonly points: readonly (readonly [number, number, number])[] }
  /** [x from, x to, height]. */
  | {
      readonly kind: 'bars';
      readonly hue: Hue;
      readonly bars: readonly (readonly [number, number, number])[];
      readonly label?: string;
    }
  | { readonly kind: 'level'; readonly hue: Hue; readonly y: number; readonly label: string }
  | { readonly kind: 'mark'; readonly hue: Hue; readonly x: number; readonly label: string };

export interface Axis {
  readonly label: string;
  /** Fixed ends; left out: from the data. */
  readonly min?: number;
  readonly max?: number;
  /** `percent` writes 0.5 as 50 %; `log` is a logarithmic axis whose data must be > 0. */
  readonly scale?: 'linear' | 'percent' | 'log';
}

export interface Chart {
  readonly title: string;
  /** What a person who cannot see it should know. */
  readonly description: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly layers: readonly Layer[];
  /** `half` for a chart that shares its row with others: fewer ticks, larger letters. */
  readonly size?: 'full' | 'half';
  readonly heightPx?: number;
}

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

/** The chart as an `<svg>` element with a title and a description. */
export function renderChart(chart: Chart): Html {
  const isHalf = chart.size === 'half';
  const width = isHalf ? 320 : 560;
  const { rows, marks } = legendOf(chart.layers, width);
  const height = (chart.heightPx ?? (isHalf ? 190 : 260)) + LEGEND_ROW * Math.max(0, rows - 1);
  const top = 12 + LEGEND_ROW * rows + (chart.layers.some(({ kind }) => kind === 'mark') ? (rows > 0 ? 12 : 6) : 0);
  const area: Area = { left: LEFT, right: width - RIGHT, top, bottom: height - BOTTOM };
  const x = createScale(chart.x, chart.layers.flatMap(xValues), area.left, area.right, isHalf ? 3 : 6);
  const y = createScale(chart.y, chart.layers.flatMap(yValues), area.bottom, area.top, isHalf ? 3 : 5);
  const id = `c-${chart.title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  const named = html`<title id="${id}-t">${chart.title}</title><desc id="${id}-d">${chart.description}</desc>`;
  const drawn = [...axes(chart, x, y, area), ...chart.layers.map((layer) => drawLayer(layer, x, y, area)), ...marks];
  return html`<svg class="chart ${chart.size ?? 'full'}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">${named}${drawn}</svg>`;
}

/** About `count` round numbers that cover [low, high]. */
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

/** Whether `high` is above `low` by more than rounding: ticks between values that differ in their last digits only have no end. */
function isWide(low: number, high: number): boolean {
  return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high));
}

/** Without the last digits' rounding: 0.30000000000000004 → 0.3. */
function tidy(value: number): number {
  return Number(value.toFixed(12));
}

/** At most `limit` points, each the mean of equally many neighbours. */
export function thin(points: readonly Point[], limit: number): Point[] {
  const group = Math.ceil(points.length / limit);
  if (group <= 1) return [...points];
  const out: Point[] = [];
  for (let i = 0; i < points.length; i += group) {
    const part = points.slice(i, i + group);
    out.push([mean(part.map(([x]) => x)), mean(part.map(([, y]) => y))]);
  }
  return out;
}

function createScale(axis: Axis, data: readonly number[], from: number, to: number, count: number): Scale {
  const isLog = axis.scale === 'log';
  const usable = data.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  let low = axis.min ?? Math.min(...usable, isLog ? Infinity : (usable[0] ?? 0));
  let high = axis.max ?? Math.max(...usable);
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = isLog ? [0.1, 10] : [0, 1];
  if (!isWide(low, high))
    [low, high] = isLog ? [low / 2, low * 2] : [low - (axis.min === undefined ? 0.5 : 0), low + 1];
  if (isLog) {
    const [a, b] = [Math.log10(low), Math.log10(high)];
    return { to: (v) => from + ((Math.log10(v) - a) / (b - a)) * (to - from), ticks: logTicks(low, high) };
  }
  const ticks = niceTicks(low, high, count);
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  if (axis.max === undefined && ticks.length > 1 && high > ticks.at(-1)! + step * 0.25) {
    high = tidy(ticks.at(-1)! + step);
    ticks.push(high);
  }
  const name = axis.scale === 'percent' ? (v: number): string => `${shortNumber(v * 100)} %` : shortNumber;
  return { to: (v) => from + ((v - low) / (high - low)) * (to - from), ticks: ticks.map((v) => [v, name(v)]) };
}

function logTicks(low: number, high: number): [number, string][] {
  const ticks: [number, string][] = [];
  const steps = Math.log10(high / low) > 2 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) {
      const value = step * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push([value, shortNumber(value)]);
    }
  }
  return ticks;
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
  const { left, right, top, bottom: floor } = area;
  const { hue } = layer;
  const at = ([a, b]: Point): string => `${px(x.to(a))},${px(y.to(b))}`;
  switch (layer.kind) {
    case 'line': {
      const points = layer.points.filter(isFinitePoint).map(at).join(' ');
      return html`<polyline class="line ${hue}${layer.dashed ? ' dashed' : ''}" points="${points}"/>`;
    }
    case 'dots': {
      const points = layer.points.filter(isFinitePoint);
      const dots = points.map(([a, b]) => html`<circle cx="${px(x.to(a))}" cy="${px(y.to(b))}" r="2.6"/>`);
      return html`<g class="dots ${hue}">${dots}</g>`;
    }
    case 'band': {
      const up = layer.points.map(([a, , high]) => at([a, high]));
      const down = layer.points.map(([a, low]) => at([a, low])).reverse();
      return html`<polygon class="band ${hue}" points="${[...up, ...down].join(' ')}"/>`;
    }
    case 'bars': {
      const bars = layer.bars.map(([from, to, size]) => {
        const [start, end, peak] = [x.to(from), x.to(to), y.to(size)];
        const [width, height] = [Math.max(0.5, end - start - 0.8), Math.max(0, floor - peak)];
        return html`<rect x="${px(start)}" y="${px(peak)}" width="${px(width)}" height="${px(height)}"/>`;
      });
      return html`<g class="bars ${hue}">${bars}</g>`;
    }
    case 'level': {
      const level = y.to(layer.y);
      // Below the line, but not over the axis and its numbers.
      const beside = level + 18 > floor ? -4 : 14;
      const rule = html`<line class="rule ${hue}" x1="${left}" x2="${right}" y1="${px(level)}" y2="${px(level)}"/>`;
      return html`${rule}<text class="note ${hue}" x="${left + 4}" y="${px(level + beside)}">${layer.label}</text>`;
    }
    case 'mark': {
      const mark = x.to(layer.x);
      const isRight = mark > left + 0.7 * (right - left);
      const rule = html`<line class="rule ${hue}" x1="${px(mark)}" x2="${px(mark)}" y1="${top}" y2="${floor}"/>`;
      // Above the plot: bars may reach its top.
      return html`${rule}<text class="note ${hue}" x="${px(mark + (isRight ? 2 : -2))}" y="${top - 3}" text-anchor="${isRight ? 'end' : 'start'}">${layer.label}</text>`;
    }
  }
}

/** Above the plot, in as many rows as it takes: names of variants are sentences at times. */
function legendOf(layers: readonly Layer[], width: number): { readonly rows: number; readonly marks: readonly Html[] } {
  let [left, row] = [LEFT, 0];
  const marks = layers.flatMap((layer) => {
    if (layer.kind === 'level' || layer.kind === 'mark' || layer.kind === 'band' || layer.label === undefined)
      return [];
    const { kind, hue, label } = layer;
    const wide = 40 + label.length * 6.4;
    if (left > LEFT && left + wide > width) [left, row] = [LEFT, row + 1];
    const y = 12 + LEGEND_ROW * row;
    const dashed = kind === 'line' && layer.dashed ? ' dashed' : '';
    const shape =
      kind === 'line'
        ? html`<line class="line ${hue}${dashed}" x1="${left}" x2="${left + 16}" y1="${y}" y2="${y}"/>`
        : html`<g class="${kind} ${hue}"><circle cx="${left + 8}" cy="${y}" r="4"/></g>`;
    const entry = html`${shape}<text class="legend" x="${left + 22}" y="${y + 4}">${label}</text>`;
    left += wide;
    return [entry];
  });
  return { rows: marks.length === 0 ? 0 : row + 1, marks };
}

function xValues(layer: Layer): number[] {
  if (layer.kind === 'bars') return layer.bars.flatMap((bar) => bar.slice(0, 2));
  if (layer.kind === 'mark') return [layer.x];
  return layer.kind === 'level' ? [] : layer.points.map((point) => point[0]);
}

function yValues(layer: Layer): number[] {
  if (layer.kind === 'bars') return [0, ...layer.bars.map((bar) => bar[2])];
  if (layer.kind === 'band') return layer.points.flatMap(([, low, high]) => [low, high]);
  if (layer.kind === 'level') return [layer.y];
  return layer.kind === 'mark' ? [] : layer.points.map((point) => point[1]);
}

function isFinitePoint([a, b]: Point): boolean {
  return Number.isFinite(a) && Number.isFinite(b);
}

function px(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 10) / 10) : '0';
}

/** A figure: the chart, or a sentence where there is nothing to draw. */
export function figure(chart: Chart, hasData: boolean, caption: string): Html {
  const hint = chart.size === 'half' ? NOTHING : SCROLL_HINT;
  const body = hasData ? html`${hint}${renderChart(chart)}` : NOT_RECORDED;
  return html`<figure aria-label="${chart.title}"><h3>${chart.title}</h3>${body}<figcaption>${caption}</figcaption></figure>`;
}
