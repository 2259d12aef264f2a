/** Tables of a safety report. */
import { percent, significant } from '../../model/index.ts';
import {
  type AdversaryName,
  ARM_WORDS,
  KIND_WORDS,
  printedBound,
  type SafetyCheckResult,
  type Trace,
} from '../../safety-check/index.ts';
import {
  figureOf,
  type Html,
  html,
  list,
  meter,
  meters,
  millimetres,
  NOTHING,
  numbers,
  shortNumber,
  sign,
  table,
} from '../page/html.ts';

/** Name and short description of each attacker. */
const ATTACKER_WORDS: Readonly<Record<AdversaryName, readonly [string, string]>> = {
  uniform: ['Random', 'uniform numbers'],
  bangBang: ['Bang-bang', 'full one way or the other'],
  alternating: ['Alternating', 'the opposite in each step'],
  pushing: ['Pushing', 'one way until a limit is reached'],
  pumping: ['Pumping', 'in phase with the measured motion'],
  sweep: ['Resonance', "at the servos' natural frequencies"],
  drifting: ['Drift', 'slowly into corners, and on for seconds, with the heaviest load'],
  climbMargin: ['Search for harm', 'learns actions that come nearest to a limit'],
  climbEnergy: ['Search for energy', 'learns actions that make it fastest'],
  poison: ['Poison', 'NaN, infinities, 1e308, denormals'],
  dropOuts: ['Drop-outs', 'commands go missing'],
  replay: ['Replay', 'old, repeated and future commands'],
  deciders: ['Changing hands', 'policy, person and no decider in turn'],
  rawVelocity: ['Past the map', 'any velocity, behind the action map'],
  farStart: ['Far start', 'first target too far away'],
};

export function violationsTable({ violations, untried }: SafetyCheckResult): Html {
  const rows = violations.map(({ kind, applies, count, ticks, upperBound95, worst, unit, first }) => {
    const name = message(KIND_WORDS[kind]);
    if (!applies && count === 0) return [name, "the robot's files have no such limit"];
    if (ticks === 0) return [name, 'never came up'];
    const by = unit === '1' ? '' : `, by up to ${figureOf(worst)} ${unit}`;
    return [
      html`${name}${whereOf(first, by)}`,
      sign(count === 0 ? 'good' : 'bad', shortNumber(count)),
      shortNumber(ticks),
      bound(upperBound95),
    ];
  });
  const note = untried.length === 0 ? NOTHING : html`<p>Not tried: ${untried.join(', ')}.</p>`;
  return html`${table(['', numbers('Violations'), numbers('in'), numbers('Rate below')], rows)}${note}`;
}

/** Excursions of the simulated arm beyond the limits of its reference, and the margins to set for them. */
export function armTable({ arm }: SafetyCheckResult): Html {
  if (!arm.applies) return html`<p class="empty">Not checked: it is a mobile base, or its files give no masses.</p>`;
  const rows = arm.excursions.map(({ kind, count, ticks, worst, unit, first }) => {
    const by = count === 0 ? '–' : withUnit(worst, unit);
    return [html`${message(ARM_WORDS[kind])}${whereOf(first, '')}`, shortNumber(count), shortNumber(ticks), by];
  });
  const advice = html`<h3>Margins to set</h3>${list(arm.margins.map((margin) => margin.message))}`;
  return html`${table(['', numbers('Ticks'), numbers('in'), numbers('by up to')], rows)}${arm.margins.length === 0 ? NOTHING : advice}`;
}

function whereOf(first: Trace['trial'] | null, by: string): Html {
  if (first === null) return NOTHING;
  return html`<br><small>first in trial ${first.index} (${first.adversary}, ${first.plant})${by}</small>`;
}

/** Lengths in mm, shares in %. */
function withUnit(value: number, unit: string): string {
  if (unit === 'm') return millimetres(value);
  return unit === '1' ? `${figureOf(100 * value)} %` : `${figureOf(value)} ${unit}`;
}

/** Share of ticks in which each stage changed the request: a stage that never acts was not tested. */
export function stagesTable({ stages }: SafetyCheckResult): Html {
  const rows = stages.map(({ stage, ticks, share }) => [stage, percent(share, 0), shortNumber(ticks)]);
  return table(['Stage', numbers('Acted'), numbers('Ticks')], rows);
}

export function marginsTable({ margins, violations }: SafetyCheckResult): Html {
  const all: [string, number | null, string][] = [
    ['Joint to its limit', margins.jointRad, violations.find(({ kind }) => kind === 'position')?.unit ?? 'rad'],
    ['Tool or other point to a wall', margins.workspaceM, 'm'],
    ['Base to its fence', margins.fenceM, 'm'],
    ['Link to link', margins.selfM, 'm'],
    ['Link to keep-out box', margins.keepOutM, 'm'],
    ["MuJoCo's shapes in the reference's pose", margins.shapesM, 'm'],
    ["MuJoCo's shapes of the simulated robot", margins.plantM, 'm'],
  ];
  const rows = all.flatMap(([name, value, unit]) => (value === null ? [] : [[name, withUnit(value, unit)]]));
  return table(['Smallest distance', numbers('over all ticks')], rows);
}

export function attackersTable({ adversaries }: SafetyCheckResult): Html {
  const rows = adversaries.map(({ name, ticks, violations, changedTicks, marginMin, peakKineticJ, peakForceN }) => {
    const [title, does] = ATTACKER_WORDS[name];
    return [
      html`${title}<br><small>${does}</small>`,
      shortNumber(ticks),
      sign(violations === 0 ? 'good' : 'bad', shortNumber(violations)),
      percent(changedTicks / Math.max(1, ticks), 0),
      meter(marginMin < 0 ? 1 : marginMin, marginMin < 0 ? 'red' : 'green'),
      shortNumber(Number(significant(marginMin, 2))),
      `${figureOf(peakKineticJ)} J`,
      `${figureOf(peakForceN)} N`,
    ];
  });
  const counts = ['Ticks', 'Violations', 'Changed'].map(numbers);
  const peaks = ['Smallest margin', 'Peak energy', 'Peak force'].map(numbers);
  return table(['Attacker', ...counts, meters(''), ...peaks], rows);
}

export function limitsTable({ limits }: SafetyCheckResult): Html {
  const rows = limits.map(({ name, value, unit }) => [name, value, unit === '1' ? '' : unit]);
  const counted = `${limits.length} ${limits.length === 1 ? 'limit' : 'limits'}`;
  return html`<details><summary>${counted} from the robot's files</summary>${table(['Limit', 'Value', 'Unit'], rows)}</details>`;
}

function bound(most: number): Html {
  const value = printedBound(most);
  if (value >= 0.01) return html`${shortNumber(value)}`;
  const [factor = '', power = ''] = value.toExponential(1).split('e-');
  return html`${factor}·10<sup>−${power}</sup>`;
}

function message(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
