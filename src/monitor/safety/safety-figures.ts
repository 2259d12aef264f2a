/** The charts of a safety report. */
import type { SafetyCheckResult, StopFigure, StopResult, Trace } from '../../safety-check/index.ts';
import { type Chart, figure, type Layer, type Point, shortNumber } from '../report/chart.ts';

const HUES = ['blue', 'orange', 'green', 'violet'] as const;

/** The courses of the trials that came nearest to a limit. */
export function marginFigure({ worst }: SafetyCheckResult): string {
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
export function energyFigure({ energy }: SafetyCheckResult): string {
  const { trace, hasTank, tankFloorJ } = energy;
  if (trace === null) return '<p class="empty">Without masses in the model there is no energy to reckon with.</p>';
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
export function comparisonFigures({ energy }: SafetyCheckResult): string {
  if (energy.comparison === null) return '';
  const figures = energy.comparison.map((each) => {
    const isWall = each.attack === 'wall';
    const title = isWall ? 'Pushing into a rigid wall' : 'Pumping in phase with the motion';
    const bars: [string, number, number][] = [
      ['kinetic energy, J', each.peakKineticWithJ, each.peakKineticWithoutJ],
      ...(isWall && each.hasTouched
        ? [['contact force, N', each.peakForceWithN, each.peakForceWithoutN] as [string, number, number]]
        : []),
    ];
    return `<figure><h3>${title}</h3>${bars.map(barPair).join('')}<figcaption>${each.trials} trials of ${shortNumber(each.ticks / Math.max(1, each.trials))} ticks, once with the tank and once without; the largest values.${each.hasTouched ? '' : ' The wall was never touched: nothing is shown about forces.'}</figcaption></figure>`;
  });
  return `<div>${figures.join('')}</div>`;
}

function barPair([label, withTank, without]: readonly [string, number, number]): string {
  const most = Math.max(withTank, without, 1e-9);
  const bar = (name: string, value: number, hue: string, y: number): string =>
    `<rect class="fill ${hue}" x="0" y="${y}" width="${((300 * value) / most).toFixed(1)}" height="16" rx="2"/>` +
    `<text class="value" x="${value / most > 0.8 ? 294 : ((300 * value) / most + 6).toFixed(1)}" y="${y + 12}"${value / most > 0.8 ? ' text-anchor="end"' : ''}>${shortNumber(Number(value.toPrecision(3)))}, ${name}</text>`;
  return `<svg class="chart bars2" viewBox="0 0 420 62" role="img" aria-label="${label}: ${withTank.toPrecision(3)} with the tank, ${without.toPrecision(3)} without"><text class="label" x="0" y="11">${label}</text>${bar('with the tank', withTank, 'blue', 18)}${bar('without', without, 'orange', 39)}</svg>`;
}

/** Histograms of stops. */
export function stopFigures({ stops }: SafetyCheckResult): string {
  if (stops.length === 0) return '<p class="empty">No stop was measured in so few ticks.</p>';
  return stops.map(stopBlock).join('');
}

function stopBlock(stop: StopResult): string {
  const title = stop.cause === 'silence' ? 'Commands end' : 'Commands turn to NaN';
  const figures = [
    histogramFigure(`${title}: time to rest`, 'ms', 1e3, stop.time),
    histogramFigure(`${title}: distance`, stop.distance.unit, 1, stop.distance),
    histogramFigure(`${title}: time to the first braking tick`, 'ms', 1e3, stop.reaction),
  ];
  const plant =
    stop.plantTime === null
      ? ''
      : ` The simulated robot stood after ${Math.round(stop.plantTime.median * 1e3)} ms (median), ${Math.round(stop.plantTime.max * 1e3)} ms at most.`;
  return `<h3 class="block">${title}: ${shortNumber(stop.stops)} ${stop.stops === 1 ? 'stop' : 'stops'}</h3><div class="triple">${figures.join('')}</div><p class="lead">Of its own bound, a stop used at most ${Math.round(100 * stop.time.shareOfBoundMax)} % of the time and ${Math.round(100 * stop.distance.shareOfBoundMax)} % of the distance.${plant}</p>`;
}

function histogramFigure(title: string, unit: string, scale: number, stop: StopFigure): string {
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
  const shown = (value: number): string => shortNumber(Number((value * scale).toPrecision(3)));
  return figure(
    chart,
    true,
    `median ${shown(stop.median)}, 95 % ${shown(stop.p95)}, largest ${shown(stop.max)} ${unit}`,
  );
}

function pointsOf({ timeS }: Trace, values: readonly number[]): Point[] {
  return values.map((value, i): Point => [timeS[i]!, value]);
}
