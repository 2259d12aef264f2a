/** The charts of a safety report. */
import { percent } from '../../core/index.ts';
import type { SafetyCheckResult, StopFigure, StopResult, Trace } from '../../safety-check/index.ts';
import { type Chart, figure, type Layer, type Point } from '../page/chart.ts';
import {
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

const HUES = ['blue', 'orange', 'green', 'violet'] as const;

/** The courses of the trials that came nearest to a limit. */
export function marginFigure({ worst }: SafetyCheckResult): Html {
  const layers: Layer[] = worst.map((trace, i) => ({
    kind: 'line',
    hue: HUES[i % HUES.length]!,
    points: pointsOf(trace, trace.margin),
    label: `${trace.trial.adversary} ${trace.trial.index}`,
  }));
  layers.push({ kind: 'level', hue: 'red', y: 0, label: 'limit' });
  const lowest = Math.min(0, ...worst.flatMap(({ margin }) => margin));
  const chart: Chart = {
    title: 'Smallest margin of the nearest trials',
    description: `Margin over time of ${worst.length === 1 ? 'the trial' : `the ${worst.length} trials`} that came nearest to a limit; 0 is the limit.`,
    x: { label: 'time in the trial, s', min: 0 },
    y: { label: 'margin (1 = far, 0 = limit)', ...(lowest < 0 ? {} : { min: -0.05 }) },
    layers,
    heightPx: 300,
  };
  return figure(
    chart,
    worst.length > 0,
    'The smallest of all margins at each moment: joints, walls, distances. It may come near 0 and stay there; below 0 is a violation.',
  );
}

/** The tank of the wildest trial. */
export function energyFigure({ energy }: SafetyCheckResult): Html {
  const { trace, hasTank, tankFloorJ } = energy;
  if (trace === null) return html`<p class="empty">Without masses in the model there is no energy to reckon with.</p>`;
  const layers: Layer[] = [
    { kind: 'line', hue: 'orange', points: pointsOf(trace, trace.kineticJ), label: 'kinetic energy' },
  ];
  if (hasTank) {
    layers.push({ kind: 'line', hue: 'blue', points: pointsOf(trace, trace.tankJ), label: 'in the tank' });
    layers.push({
      kind: 'line',
      hue: 'violet',
      dashed: true,
      points: pointsOf(trace, trace.injectedJ),
      label: 'injected',
    });
    layers.push({
      kind: 'line',
      hue: 'green',
      dashed: true,
      points: pointsOf(trace, trace.creditedJ),
      label: 'credited',
    });
    layers.push({ kind: 'level', hue: 'red', y: tankFloorJ ?? 0, label: 'floor of the tank' });
  }
  const chart: Chart = {
    title: 'Energy in the wildest trial',
    description: `Energy over time in trial ${trace.trial.index} (${trace.trial.adversary}), the one with the highest kinetic energy.`,
    x: { label: 'time in the trial, s', min: 0 },
    y: { label: 'energy, J', min: Math.min(0, ...(hasTank ? [...trace.tankJ, tankFloorJ ?? 0] : [])) },
    layers,
    heightPx: 300,
  };
  const caption = hasTank
    ? 'Injected: what commands put into the springs of the servos, summed. Credited: what their dampers provably took out. The tank pays the difference and never goes below its floor.'
    : 'No tank in the robot file: nothing bounds the energy that commands put in.';
  return figure(chart, true, caption);
}

/** Peak energy and force with the tank and without. */
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
  return figures.length === 0 ? NOTHING : html`<div>${figures}</div>`;
}

/** Two rows of a comparison, against the larger of the two. */
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
  const chart: Chart = {
    title,
    description: `Histogram of ${counts.reduce((sum, count) => sum + count, 0)} stops: median ${stop.median}, largest ${stop.max}, bound ${stop.bound} ${stop.unit}.`,
    x: { label: unit, min: 0, max: Math.max(stop.bound, width * counts.length) * scale * 1.05 },
    y: { label: 'stops', min: 0 },
    layers: [
      {
        kind: 'bars',
        hue: 'blue',
        bars: counts.map((count, i) => [i * width * scale, (i + 1) * width * scale, count]),
      },
      { kind: 'mark', hue: 'red', x: stop.bound * scale, label: 'bound' },
    ],
    size: 'half',
  };
  const shown = (value: number): string => figureOf(value * scale);
  return figure(
    chart,
    true,
    `median ${shown(stop.median)}, 95 % ${shown(stop.p95)}, largest ${shown(stop.max)} ${unit}`,
  );
}

function pointsOf({ timeS }: Trace, values: readonly number[]): Point[] {
  return values.map((value, i): Point => [timeS[i]!, value]);
}
