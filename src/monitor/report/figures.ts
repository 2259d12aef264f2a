/** Charts of the report, each from the metric records alone. */
import { type HistogramData, mean, percent, quantile, quantileOf } from '../../model/index.ts';
import type { MetricKind, MetricRecord, RunSummary } from '../../record/index.ts';
import { SAFETY_BITS } from '../../safety/index.ts';
import type { ChartView, Range } from '../page/chart.ts';
import {
  figure,
  figureOf,
  type Html,
  type HtmlPart,
  html,
  meter,
  meters,
  NOT_RECORDED,
  NOTHING,
  numbers,
  shortNumber,
  table,
  words,
} from '../page/html.ts';
import { chartsOf, type Hue, type MetricLine, type Point, thinned } from '../page/training-charts.ts';

type Of<K extends MetricKind> = Extract<MetricRecord, { kind: K }>;

/** Height of charts at half the page's width. */
const TALL_PX = 280;
const STEPS_LABEL = 'environment steps';
const RETURN_LABEL = 'discounted return that came';
const TIME_LABEL = 'time in the run, s';
const CURVE_POINTS = 300;
const SCATTER_POINTS = 1500;
/** A pause of this many median intervals between records is a gap. */
const GAP_FACTOR = 5;

/** Records of one kind. */
export function only<K extends MetricKind>(records: readonly MetricRecord[], kind: K): Of<K>[] {
  return records.filter((record): record is Of<K> => record.kind === kind);
}

/** Charts of the monitor's training view; `targetRate`: requested success rate. */
export function trainingFigures(records: readonly MetricRecord[], targetRate: number | null): Html[] {
  const lines = records as readonly unknown[] as readonly MetricLine[];
  const lastStep = lines.reduce((most, { envStep }) => Math.max(most, envStep), 0);
  return chartsOf(lines).map(({ title, unit, series, isLog = false, note = '' }) => {
    const isRate = title.startsWith('Success');
    const chart: ChartView = {
      title,
      description: `${series.map(({ label }) => label).join(', ')} over ${STEPS_LABEL}.`,
      unit,
      isLog,
      xLabel: STEPS_LABEL,
      lastStep,
      lines: series.flatMap(({ label, hue, points }, dash) => {
        const drawn = thinned(points(lines), CURVE_POINTS);
        return drawn.length === 0 ? [] : [{ label, hue, dash, points: drawn }];
      }),
      ...(isRate ? { yRange: { low: 0, high: 1 } } : {}),
      ...(isRate && targetRate !== null
        ? { level: { hue: 'grey', at: targetRate, label: `target ${shortNumber(targetRate * 100)} %` } }
        : {}),
    };
    return figure(chart, true, note);
  });
}

/** Calibration of the critic. */
export function calibration(records: readonly MetricRecord[]): Html {
  const all = only(records, 'calibration').flatMap((record) => record.pairs);
  const pairs = all
    .slice(-SCATTER_POINTS * 4)
    .filter((_, i, kept) => i % Math.ceil(kept.length / SCATTER_POINTS) === 0);
  const returns = rangeOf(pairs.map(([, gain]) => gain));
  const values = rangeOf(pairs.map(([q]) => q));
  // Range in which Q and return can be equal.
  const [from, to] = [Math.max(returns[0], values[0]), Math.min(returns[1], values[1])];
  const error = pairs.length === 0 ? 0 : mean(pairs.map(([q, gain]) => q - gain));
  const chart: ChartView = {
    title: 'Q against realised return',
    description: `${pairs.length} steps; on average Q is ${figureOf(error)} above the return.`,
    unit: 'Q before',
    along: RETURN_LABEL,
    xLabel: RETURN_LABEL,
    xRange: returns,
    yRange: { low: values[0], high: values[1] },
    dots: { hue: 'blue', points: pairs.map(([q, gain]): Range => [gain, q]) },
    lines: [
      {
        label: 'equal',
        hue: 'grey',
        dash: 1,
        points: from < to ? [from, to].map((at) => ({ step: at, value: at })) : [],
      },
      { label: 'mean Q', hue: 'orange', dash: 0, points: binned(pairs) },
    ],
  };
  const difference = pairs.length > 0 ? ` Mean difference: ${error >= 0 ? '+' : '−'}${figureOf(Math.abs(error))}.` : '';
  return figure(
    chart,
    pairs.length > 0,
    `On the dashed line the critic expects what then happens; above it, it overestimates.${difference}`,
  );
}

/** [min, max] of `values`, [0, 1] if empty. Each axis has its own: returns of a good policy span little of the range of Q. */
function rangeOf(values: readonly number[]): Range {
  return values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1];
}

/**
 * Activity of the safety stages and its reasons, with the room left and the energy tank's level. `all`: totals that
 * include the evaluation, which has no records.
 */
export function filterActivity(records: readonly MetricRecord[], all?: RunSummary['safety']): Html {
  const safety = only(records, 'safety');
  const last = safety.at(-1);
  if (last === undefined || !(last.ticks > 0)) return NOT_RECORDED;
  const reasons = Object.entries(last.byReason ?? {}).sort(([, a], [, b]) => b - a);
  const widest = Math.max(1, ...reasons.map(([, ticks]) => ticks));
  const rows = reasons.map(([reason, ticks]) => {
    const message = SAFETY_BITS.find(({ name }) => name === reason)?.message ?? '';
    return [reason, message, meter(ticks / widest, 'blue'), shortNumber(ticks), percent(ticks / last.ticks, 2)];
  });
  const columns = ['Reason', words('What happened'), meters('Activity'), numbers('Ticks'), numbers('Share')];
  const changed = percent(last.changedTicks / last.ticks, 2);
  const evaluated =
    all === undefined || all.ticks <= last.ticks
      ? ''
      : `, ${shortNumber(all.changed_ticks)} of ${shortNumber(all.ticks)} (${percent(all.changed_ticks / all.ticks, 2)}) with the evaluation`;
  return html`${table(columns, rows)}<p>${shortNumber(last.changedTicks)} of ${shortNumber(last.ticks)} ticks of the robot that is recorded (${changed}) were changed by any stage${evaluated}; ${shortNumber(last.violations)} broke a limit; ${shortNumber(last.overruns)} began late by more than a period.</p>${stageTable(safety)}${roomCurves(safety)}`;
}

const STAGE_MESSAGES: Readonly<Record<string, string>> = {
  sanitize: 'Refuses commands that are late, of a wrong length or no numbers, and cuts actions to ±1.',
  actionMap: 'Makes targets of actions, within the leash of the measured tool and the workspace.',
  startGuard: 'Refuses a first target far from the measured pose.',
  limiter: 'Keeps speed, acceleration and jerk of each joint.',
  brakeBound: 'Slows a joint in time to stop before its end.',
  barrier: 'Steers links away from boxes, from each other and from the walls.',
  tank: 'Slows motion that would take more energy than the tank holds.',
  shield: 'Keeps a stopping path that is clear, or brakes.',
};

/** Stages of the chain in order, with the smallest margin of the whole run. */
function stageTable(safety: readonly Of<'safety'>[]): Html {
  const last = safety.at(-1)!;
  const rows = Object.entries(last.stages ?? {}).map(([stage, { changedTicks }]) => {
    const least = Math.min(...safety.map((record) => record.stages?.[stage]?.marginMin ?? 1));
    const share = percent(changedTicks / last.ticks, 2);
    return [stage, STAGE_MESSAGES[stage] ?? '', shortNumber(changedTicks), share, percent(least)];
  });
  if (rows.length === 0) return NOTHING;
  return table(['Stage', words('What it does'), numbers('Ticks'), numbers('Share'), numbers('Least margin')], rows);
}

function roomCurves(safety: readonly Of<'safety'>[]): Html {
  const curve = (title: string, label: string, hue: Hue, value: (record: Of<'safety'>) => number | undefined): Html => {
    const points = safety.flatMap((record): Point[] => {
      const share = value(record);
      return typeof share === 'number' && Number.isFinite(share) ? [{ step: record.tS, value: share }] : [];
    });
    if (points.length < 2) {
      const [only] = points;
      if (only === undefined) return NOTHING;
      return html`<p>${title}: ${percent(only.value)}, of one record at ${shortNumber(only.step)} s.</p>`;
    }
    const chart: ChartView = {
      title,
      description: `${title} over the run, as a share; the line is broken where nothing was recorded.`,
      unit: label,
      along: TIME_LABEL,
      xLabel: TIME_LABEL,
      xRange: [0, points.at(-1)!.step],
      yRange: { low: 0 },
      heightPx: TALL_PX,
      lines: withoutGaps(points).map((part) => ({ label: '', hue, dash: 0, points: thinned(part, CURVE_POINTS) })),
    };
    return figure(chart, true, '');
  };
  const margin = curve('Least safety margin', 'share of the limit left', 'blue', (record) => record.marginMin);
  const tank = curve('Energy tank, least content', 'share of a full tank', 'orange', (record) => record.tank?.levelMin);
  return html`<div class="pair">${margin}${tank}</div><p>The least safety margin is the smallest room to any limit since the record before, as a share of that limit: 0 % is at the limit.</p>`;
}

/** Splits points at gaps far longer than usual, as during validation, which lines are not drawn across. */
function withoutGaps(points: readonly Point[]): Point[][] {
  const steps = points.slice(1).map(({ step }, i) => step - points[i]!.step);
  const usual = quantile(steps, 0.5);
  const parts: Point[][] = [];
  points.forEach((point, i) => {
    if (i === 0 || steps[i - 1]! > GAP_FACTOR * usual) parts.push([]);
    parts.at(-1)!.push(point);
  });
  return parts;
}

const HISTOGRAM_TITLES: Readonly<Record<string, string>> = {
  policyStepMs: 'Policy step',
  tickMs: 'Control tick',
  inferenceMs: 'Inference',
  observationAgeMs: 'Observation age',
};

/** Histograms of durations. */
export function histograms(records: readonly MetricRecord[]): HtmlPart {
  const latest = new Map(only(records, 'histogram').map((record) => [record.name, record.data]));
  if (latest.size === 0) return NOT_RECORDED;
  return [...latest].map(([name, data]) => histogram(name, data));
}

function histogram(name: string, data: HistogramData): Html {
  const edge = (i: number): number => data.low * data.growth ** i;
  const total = data.counts.reduce((sum, n) => sum + n, 0);
  const used = data.counts.flatMap((n, i) => (n > 0 ? [i] : []));
  const bars = used.map((i) => [edge(i), edge(i + 1), data.counts[i]! / Math.max(1, total)] as const);
  const title = HISTOGRAM_TITLES[name] ?? name.replace(/Ms$/, '');
  const [p50, p99] = [quantileOf(data, 0.5), quantileOf(data, 0.99)];
  const chart: ChartView = {
    title,
    description: `Median ${shortNumber(p50)} ms, 99th percentile ${shortNumber(p99)} ms, ${total} values.`,
    unit: 'share',
    along: 'ms',
    xLabel: 'ms',
    isLogX: true,
    xRange: [bars[0]?.[0] ?? edge(0), Math.max(bars.at(-1)?.[1] ?? edge(1), total > 0 ? p99 : 0)],
    yRange: { low: 0 },
    lines: [],
    bars: { hue: 'blue', bars },
    ...(total > 0 ? { mark: { hue: 'orange', at: p99, label: 'p99' } } : {}),
  };
  const outside = data.under + data.over > 0 ? ` ${shortNumber(data.under + data.over)} outside the shown range.` : '';
  return figure(
    chart,
    total > 0,
    `p50 ${figureOf(p50)} ms, p99 ${figureOf(p99)} ms, max ${figureOf(data.max)} ms, n = ${shortNumber(total)}.${outside}`,
  );
}

/** Mean Q in ten bins of the return; omitted if a bin has fewer than five steps. */
function binned(pairs: readonly (readonly [number, number])[]): Point[] {
  const sorted = [...pairs].sort((a, b) => a[1] - b[1]);
  const size = Math.ceil(sorted.length / 10);
  const out: Point[] = [];
  for (let i = 0; size >= 5 && i < sorted.length; i += size) {
    const part = sorted.slice(i, i + size);
    out.push({ step: mean(part.map(([, gain]) => gain)), value: mean(part.map(([q]) => q)) });
  }
  return out;
}
