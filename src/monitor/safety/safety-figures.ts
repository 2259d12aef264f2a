/** Charts of a safety report. */
import { percent } from '../../model/index.ts';
import type { SafetyCheckResult, StopFigure, StopResult, Trace } from '../../safety-check/index.ts';
import type { ChartLine, ChartView } from '../page/chart.ts';
import {
  figure,
  figureOf,
  type Html,
  type HtmlPart,
  html,
  meter,
  meters,
  NOTHING,
  numbers,
  shortNumber,
  table,
} from '../page/html.ts';
import type { Hue } from '../page/training-charts.ts';

const HUES = ['blue', 'orange', 'green', 'violet'] as const;

/** Margins over time of the trials that came nearest to a limit. */
export function marginFigure({ worst }: SafetyCheckResult): Html {
  const lowest = Math.min(0, ...worst.flatMap(({ margin }) => margin));
  const chart: ChartView = {
    title: 'Smallest margin of the nearest trials',
    description: `Margin over time of ${worst.length === 1 ? 'the trial' : `the ${worst.length} trials`} that came nearest to a limit; 0 is the limit.`,
    unit: 'margin (1 = far, 0 = limit)',
    ...overTime(worst),
    ...(lowest < 0 ? {} : { yRange: { low: -0.05 } }),
    lines: worst.map((trace, i) =>
      lineOf(`${trace.trial.adversary} ${trace.trial.index}`, HUES[i % HUES.length]!, trace, trace.margin),
    ),
    level: { hue: 'red', at: 0, label: 'limit' },
  };
  return figure(
    chart,
    worst.length > 0,
    'The smallest of all margins at each moment: joints, walls, distances. It may come near 0 and stay there; below 0 is a violation.',
  );
}

/** Energy tank over time in the trial with the highest kinetic energy. */
export function energyFigure({ energy }: SafetyCheckResult): Html {
  const { trace, hasTank, tankFloorJ } = energy;
  if (trace === null) return html`<p class="empty">Without masses in the model no energy can be computed.</p>`;
  const chart: ChartView = {
    title: 'Energy in the wildest trial',
    description: `Energy over time in trial ${trace.trial.index} (${trace.trial.adversary}), the one with the highest kinetic energy.`,
    unit: 'energy, J',
    ...overTime([trace]),
    yRange: { low: Math.min(0, ...(hasTank ? [...trace.tankJ, tankFloorJ ?? 0] : [])) },
    lines: [
      lineOf('kinetic energy', 'orange', trace, trace.kineticJ),
      ...(hasTank
        ? [
            lineOf('in the tank', 'blue', trace, trace.tankJ),
            lineOf('injected', 'violet', trace, trace.injectedJ, 1),
            lineOf('credited', 'green', trace, trace.creditedJ, 1),
          ]
        : []),
    ],
    ...(hasTank ? { level: { hue: 'red', at: tankFloorJ ?? 0, label: 'floor of the tank' } } : {}),
  };
  const caption = hasTank
    ? 'Injected: what commands put into the springs of the servos, summed. Credited: what their dampers provably took out. The tank pays the difference and never goes below its floor.'
    : 'No tank in the robot file: nothing bounds the energy that commands put in.';
  return figure(chart, true, caption);
}

/** Peak energy and force with and without the tank. */
export function comparisonFigures({ energy }: SafetyCheckResult): Html {
  const figures = (energy.comparison ?? []).map((each) => {
    const isWall = each.attack === 'wall';
    const title = isWall ? 'Pushing into a rigid wall' : 'Pumping in phase with the motion';
    const rows = [
      ...pair('Kinetic energy', 'J', each.peakKineticWithJ, each.peakKineticWithoutJ),
      ...(isWall && each.hasTouched ? pair('Contact force', 'N', each.peakForceWithN, each.peakForceWithoutN) : []),
    ];
    const untouched = each.hasTouched ? '' : ' The wall was never touched: nothing is shown about forces.';
    const ticks = shortNumber(each.ticks / Math.max(1, each.trials));
    return html`<figure><h3>${title}</h3>${table(['', meters(''), numbers('Largest')], rows)}<figcaption>${each.trials} trials of ${ticks} ticks, once with the tank and once without.${untouched}</figcaption></figure>`;
  });
  return figures.length === 0 ? NOTHING : html`<div class="stack">${figures}</div>`;
}

/** Two rows of a comparison, scaled to the larger value. */
function pair(what: string, unit: string, withTank: number, without: number): HtmlPart[][] {
  const most = Math.max(withTank, without, 1e-9);
  return [
    [`${what}, with the tank`, meter(withTank / most, 'blue'), `${figureOf(withTank)} ${unit}`],
    ['without', meter(without / most, 'orange'), `${figureOf(without)} ${unit}`],
  ];
}

/** Histograms of stops. */
export function stopFigures({ stops }: SafetyCheckResult): HtmlPart {
  return stops.length === 0 ? html`<p class="empty">No stop was measured in so few ticks.</p>` : stops.map(stopBlock);
}

function stopBlock({ cause, stops, time, distance, reaction, plantTime }: StopResult): Html {
  const title = cause === 'silence' ? 'Commands end' : 'Commands turn to NaN';
  const figures = [
    histogramFigure(`${title}: time to rest`, 'ms', 1e3, time),
    histogramFigure(`${title}: distance`, distance.unit, 1, distance),
    histogramFigure(`${title}: time to the first braking tick`, 'ms', 1e3, reaction),
  ];
  const ms = (seconds: number): number => Math.round(seconds * 1e3);
  const plant =
    plantTime === null
      ? ''
      : ` The simulated robot stood after ${ms(plantTime.median)} ms (median), ${ms(plantTime.max)} ms at most.`;
  const used = `Of its own bound, a stop used at most ${percent(time.shareOfBoundMax, 0)} of the time and ${percent(distance.shareOfBoundMax, 0)} of the distance.${plant}`;
  const counted = `${shortNumber(stops)} ${stops === 1 ? 'stop' : 'stops'}`;
  return html`<h3>${title}: ${counted}</h3><div class="row">${figures}</div><p>${used}</p>`;
}

function histogramFigure(title: string, unit: string, scale: number, stop: StopFigure): Html {
  const { width, counts } = stop.histogram;
  const chart: ChartView = {
    title,
    description: `Histogram of ${counts.reduce((sum, count) => sum + count, 0)} stops: median ${stop.median}, largest ${stop.max}, bound ${stop.bound} ${stop.unit}.`,
    unit: 'stops',
    along: unit,
    xLabel: unit,
    xRange: [0, Math.max(stop.bound, width * counts.length) * scale * 1.05],
    yRange: { low: 0 },
    lines: [],
    bars: {
      hue: 'blue',
      bars: counts.map((count, i) => [i * width * scale, (i + 1) * width * scale, count]),
    },
    mark: { hue: 'red', at: stop.bound * scale, label: 'bound' },
  };
  const shown = (value: number): string => figureOf(value * scale);
  return figure(
    chart,
    true,
    `median ${shown(stop.median)}, 95 % ${shown(stop.p95)}, largest ${shown(stop.max)} ${unit}`,
  );
}

/** Time axis from the start of the trials to the end of the longest. */
function overTime(traces: readonly Trace[]): Pick<ChartView, 'along' | 'xLabel' | 'xRange' | 'heightPx'> {
  const label = 'time in the trial, s';
  const endS = Math.max(...traces.map(({ timeS }) => timeS.at(-1) ?? 0));
  return { along: label, xLabel: label, xRange: [0, endS], heightPx: 300 };
}

function lineOf(label: string, hue: Hue, { timeS }: Trace, values: readonly number[], dash = 0): ChartLine {
  return { label, hue, dash, points: values.map((value, i) => ({ step: timeS[i]!, value })) };
}
