/** Small charts as inline SVG. Colours are CSS classes, so that the page's theme applies. */
import { mean } from '../../core/index.ts';
import { attribute, text } from './html.ts';

export type Point = readonly [number, number];
/** One of the page's series colours. */
export type Hue = 'blue' | 'orange' | 'green' | 'red' | 'grey' | 'violet';

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
export function renderChart(chart: Chart): string {
  const isHalf = chart.size === 'half';
  const [width, height] = [isHalf ? 320 : 560, chart.heightPx ?? (isHalf ? 190 : 260)];
  const legend = legendOf(chart.layers);
  const area: Area = {
    left: LEFT,
    right: width - RIGHT,
    top: topOf(chart.layers, legend !== ''),
    bottom: height - BOTTOM,
  };
  const x = createScale(chart.x, chart.layers.flatMap(xValues), area.left, area.right, isHalf ? 3 : 6);
  const y = createScale(chart.y, chart.layers.flatMap(yValues), area.bottom, area.top, isHalf ? 3 : 5);
  const id = `c-${chart.title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return [
    `<svg class="chart ${chart.size ?? 'full'}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">`,
    `<title id="${id}-t">${text(chart.title)}</title><desc id="${id}-d">${text(chart.description)}</desc>`,
    axes(chart, x, y, area),
    ...chart.layers.map((layer) => drawLayer(layer, x, y, area)),
    legend,
    '</svg>',
  ].join('');
}

/** Room above the plot: for the legend, and for the names of marks. */
function topOf(layers: readonly Layer[], hasLegend: boolean): number {
  return (hasLegend ? 30 : 12) + (layers.some(({ kind }) => kind === 'mark') ? (hasLegend ? 12 : 6) : 0);
}

/** About `count` round numbers that cover [low, high]. */
export function niceTicks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10) * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(tidy(i * step));
  return ticks;
}

/** Without the last digits' rounding: 0.30000000000000004 → 0.3. */
function tidy(value: number): number {
  return Number(value.toFixed(12));
}

/** A number to read: four digits of a fraction, all of a whole number, in groups of three. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e7)) return value.toExponential(0).replace('e+', 'e');
  const plain = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  return size >= 1000 ? plain.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f') : plain;
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
  if (!(high > low)) [low, high] = isLog ? [low / 2, low * 2] : [low - (axis.min === undefined ? 0.5 : 0), low + 1];
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

function axes(chart: Chart, x: Scale, y: Scale, area: Area): string {
  const { left, right, top, bottom: floor } = area;
  const out: string[] = [];
  for (const [value, name] of y.ticks) {
    const at = px(y.to(value));
    out.push(`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/>`);
    out.push(`<text class="tick" x="${left - 7}" y="${px(y.to(value) + 4)}" text-anchor="end">${text(name)}</text>`);
  }
  for (const [value, name] of x.ticks) {
    const at = px(x.to(value));
    out.push(`<line class="grid" x1="${at}" x2="${at}" y1="${floor}" y2="${floor + 4}"/>`);
    out.push(`<text class="tick" x="${at}" y="${floor + 17}" text-anchor="middle">${text(name)}</text>`);
  }
  out.push(`<line class="axis" x1="${left}" x2="${right}" y1="${floor}" y2="${floor}"/>`);
  const middle = (top + floor) / 2;
  out.push(
    `<text class="label" x="${(left + right) / 2}" y="${floor + BOTTOM - 6}" text-anchor="middle">${text(chart.x.label)}</text>`,
  );
  out.push(
    `<text class="label" transform="translate(13 ${px(middle)}) rotate(-90)" text-anchor="middle">${text(chart.y.label)}</text>`,
  );
  return out.join('');
}

function drawLayer(layer: Layer, x: Scale, y: Scale, area: Area): string {
  const { left, right, top, bottom: floor } = area;
  const at = ([a, b]: Point): string => `${px(x.to(a))},${px(y.to(b))}`;
  if (layer.kind === 'line') {
    const points = layer.points.filter(isFinitePoint).map(at).join(' ');
    return `<polyline class="line ${layer.hue}${layer.dashed ? ' dashed' : ''}" points="${points}"/>`;
  }
  if (layer.kind === 'dots') {
    const dots = layer.points
      .filter(isFinitePoint)
      .map((p) => `<circle cx="${px(x.to(p[0]))}" cy="${px(y.to(p[1]))}" r="2.6"/>`);
    return `<g class="dots ${layer.hue}">${dots.join('')}</g>`;
  }
  if (layer.kind === 'band') {
    const up = layer.points.map(([a, , high]) => at([a, high]));
    const down = layer.points.map(([a, low]) => at([a, low])).reverse();
    return `<polygon class="band ${layer.hue}" points="${[...up, ...down].join(' ')}"/>`;
  }
  if (layer.kind === 'bars') {
    const bars = layer.bars.map(([from, to, size]) => {
      const [start, end, peak] = [x.to(from), x.to(to), y.to(size)];
      return `<rect x="${px(start)}" y="${px(peak)}" width="${px(Math.max(0.5, end - start - 0.8))}" height="${px(Math.max(0, floor - peak))}"/>`;
    });
    return `<g class="bars ${layer.hue}">${bars.join('')}</g>`;
  }
  if (layer.kind === 'level') {
    const level = px(y.to(layer.y));
    // Below the line, but not over the axis and its numbers.
    const isLow = y.to(layer.y) + 18 > floor;
    return `<line class="rule ${layer.hue}" x1="${left}" x2="${right}" y1="${level}" y2="${level}"/><text class="note ${layer.hue}" x="${left + 4}" y="${px(y.to(layer.y) + (isLow ? -4 : 14))}">${text(layer.label)}</text>`;
  }
  const mark = x.to(layer.x);
  const isRight = mark > left + 0.7 * (right - left);
  // Above the plot: bars may reach its top.
  return `<line class="rule ${layer.hue}" x1="${px(mark)}" x2="${px(mark)}" y1="${top}" y2="${floor}"/><text class="note ${layer.hue}" x="${px(mark + (isRight ? 2 : -2))}" y="${top - 3}" text-anchor="${isRight ? 'end' : 'start'}">${text(layer.label)}</text>`;
}

function legendOf(layers: readonly Layer[]): string {
  let left = LEFT;
  const entries: string[] = [];
  for (const layer of layers) {
    if (layer.kind === 'level' || layer.kind === 'mark' || layer.kind === 'band' || layer.label === undefined) continue;
    const dashed = layer.kind === 'line' && layer.dashed ? ' dashed' : '';
    const shape =
      layer.kind === 'line'
        ? `<line class="line ${layer.hue}${dashed}" x1="${left}" x2="${left + 16}" y1="12" y2="12"/>`
        : `<g class="${layer.kind === 'dots' ? 'dots' : 'bars'} ${layer.hue}"><circle cx="${left + 8}" cy="12" r="4"/></g>`;
    entries.push(`${shape}<text class="legend" x="${left + 22}" y="16">${text(layer.label)}</text>`);
    left += 40 + layer.label.length * 6.4;
  }
  return entries.join('');
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

/** Shown on narrow screens only, where what follows is wider than they are. */
export const SCROLL_HINT = '<p class="hint">Scroll sideways for the rest →</p>';

/** A figure: the chart, or a sentence where there is nothing to draw. */
export function figure(chart: Chart, hasData: boolean, caption: string): string {
  const body = hasData
    ? `${chart.size === 'half' ? '' : SCROLL_HINT}${renderChart(chart)}`
    : '<p class="empty">Nothing was recorded for this.</p>';
  return `<figure aria-label="${attribute(chart.title)}"><h3>${text(chart.title)}</h3>${body}<figcaption>${text(caption)}</figcaption></figure>`;
}
