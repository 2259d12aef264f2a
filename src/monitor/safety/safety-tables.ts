/** The tables of a safety report. */
import {
  type AdversaryName,
  ARM_WORDS,
  KIND_WORDS,
  printedBound,
  type SafetyCheckResult,
} from '../../safety-check/index.ts';
import { shortNumber } from '../report/chart.ts';
import { attribute, text } from '../report/html.ts';

/** What each attacker does, in a few words. */
const ATTACKER_WORDS: Readonly<Record<AdversaryName, readonly [string, string]>> = {
  uniform: ['Random', 'uniform numbers'],
  bangBang: ['Bang-bang', 'full one way or the other'],
  alternating: ['Alternating', 'the opposite in each step'],
  pushing: ['Pushing', 'one way until a limit is reached'],
  pumping: ['Pumping', 'in phase with the measured motion'],
  sweep: ['Resonance', "at the servos' natural frequencies"],
  climbMargin: ['Search for harm', 'learns actions that come nearest to a limit'],
  climbEnergy: ['Search for energy', 'learns actions that make it fastest'],
  poison: ['Poison', 'NaN, infinities, 1e308, denormals'],
  dropOuts: ['Drop-outs', 'commands go missing'],
  replay: ['Replay', 'old, repeated and future commands'],
  deciders: ['Changing hands', 'policy, person and nobody in turn'],
  rawVelocity: ['Past the map', 'any velocity, behind the action map'],
  farStart: ['Far start', 'first target too far away'],
};

export function violationsTable({ violations, untried }: SafetyCheckResult): string {
  const rows = violations.map(({ kind, applies, count, ticks, upperBound95, worst, unit, first }) => {
    const name = text(sentence(KIND_WORDS[kind]));
    if (!applies && count === 0) {
      return `<tr class="off"><th scope="row">${name}</th><td colspan="3">the robot's files have no such limit</td></tr>`;
    }
    if (ticks === 0) return `<tr class="off"><th scope="row">${name}</th><td colspan="3">never came up</td></tr>`;
    const mood = count === 0 ? 'good' : 'bad';
    const by = unit === '1' ? '' : `, by up to ${shortNumber(Number(worst.toPrecision(3)))} ${unit}`;
    const where =
      first === null
        ? ''
        : `<br><small>${text(`first in trial ${first.index} (${first.adversary}, ${first.plant})${by}`)}</small>`;
    return `<tr><th scope="row">${name}${where}</th><td class="number"><span class="badge ${mood}">${shortNumber(count)}</span></td><td class="number">${shortNumber(ticks)}</td><td class="number">${bound(upperBound95)}</td></tr>`;
  });
  const note = untried.length === 0 ? '' : `<p class="lead">${text(`Not tried: ${untried.join(', ')}.`)}</p>`;
  return table(['', 'Violations#', 'in#', 'Rate below#'], rows) + note;
}

/** What the simulated arm did beyond what its reference was held to, and what to set for that. */
export function armTable({ arm }: SafetyCheckResult): string {
  if (!arm.applies) return '<p class="empty">Not looked at: it is a mobile base, or no file says what it weighs.</p>';
  const rows = arm.excursions.map(({ kind, count, ticks, worst, unit, first }) => {
    const name = text(sentence(ARM_WORDS[kind]));
    const where =
      first === null
        ? ''
        : `<br><small>${text(`first in trial ${first.index} (${first.adversary}, ${first.plant})`)}</small>`;
    const scaled = unit === 'm' ? [1e3 * worst, 'mm'] : unit === '1' ? [100 * worst, '%'] : [worst, unit];
    const by = count === 0 ? '–' : `${shortNumber(Number((scaled[0] as number).toPrecision(3)))} ${scaled[1]}`;
    return `<tr><th scope="row">${name}${where}</th><td class="number">${shortNumber(count)}</td><td class="number">${shortNumber(ticks)}</td><td class="number">${text(by)}</td></tr>`;
  });
  const advice = arm.margins.map(({ sentence: words }) => `<li>${text(words)}</li>`);
  const list =
    advice.length === 0 ? '' : `<h3 class="block">Margins to set</h3><ul class="plain">${advice.join('')}</ul>`;
  return table(['Simulated arm', 'Ticks#', 'in#', 'by up to#'], rows) + list;
}

/** How often each stage changed what was asked: one that never acts was not tried. */
export function stagesTable({ stages }: SafetyCheckResult): string {
  const rows = stages.map(
    ({ stage, ticks, share }) =>
      `<tr><th scope="row">${text(stage)}</th><td class="number">${percent(share)}</td><td class="number">${shortNumber(ticks)}</td></tr>`,
  );
  return table(['Stage', 'Acted#', 'Ticks#'], rows);
}

export function marginsTable({ margins, violations }: SafetyCheckResult): string {
  const all: [string, number | null, string][] = [
    ['Joint to its limit', margins.jointRad, violations.find(({ kind }) => kind === 'position')?.unit ?? 'rad'],
    ['Tool or other point to a wall', margins.workspaceM, 'm'],
    ['Base to its fence', margins.fenceM, 'm'],
    ['Link to link', margins.selfM, 'm'],
    ['Link to keep-out box', margins.keepOutM, 'm'],
    ["MuJoCo's shapes in the reference's pose", margins.shapesM, 'm'],
    ["MuJoCo's shapes of the simulated robot", margins.plantM, 'm'],
  ];
  const rows = all.flatMap(([name, value, unit]) => {
    if (value === null) return [];
    const shown =
      unit === 'm'
        ? `${shortNumber(Number((value * 1e3).toPrecision(3)))} mm`
        : `${shortNumber(Number(value.toPrecision(3)))} ${unit}`;
    return [`<tr><th scope="row">${text(name)}</th><td class="number">${text(shown)}</td></tr>`];
  });
  return table(['Smallest distance', 'over all ticks#'], rows);
}

export function attackersTable({ adversaries }: SafetyCheckResult): string {
  const rows = adversaries.map(({ name, ticks, violations, changedTicks, marginMin, peakKineticJ, peakForceN }) => {
    const [title, does] = ATTACKER_WORDS[name];
    const mood = violations === 0 ? 'good' : 'bad';
    return `<tr><th scope="row">${text(title)}<br><small>${text(does)}</small></th><td class="number">${shortNumber(ticks)}</td><td class="number"><span class="badge ${mood}">${shortNumber(violations)}</span></td><td class="number">${percent(changedTicks / Math.max(1, ticks))}</td><td class="meter">${meter(marginMin)}</td><td class="number">${shortNumber(Number(peakKineticJ.toPrecision(3)))} J</td><td class="number">${shortNumber(Number(peakForceN.toPrecision(3)))} N</td></tr>`;
  });
  return table(
    ['Attacker', 'Ticks#', 'Violations#', 'Changed#', 'Smallest margin', 'Peak energy#', 'Peak force#'],
    rows,
  );
}

export function limitsTable({ limits }: SafetyCheckResult): string {
  const rows = limits.map(
    ({ name, value, unit }) =>
      `<tr><th scope="row">${text(name)}</th><td>${text(value)}</td><td>${text(unit === '1' ? '' : unit)}</td></tr>`,
  );
  return `<details><summary>${limits.length} ${limits.length === 1 ? 'limit' : 'limits'} from the robot's files</summary>${table(['Limit', 'Value', 'Unit'], rows)}</details>`;
}

/** Titles that end in # head columns of numbers. */
function table(heads: readonly string[], rows: readonly string[]): string {
  const cells = heads.map((head) => {
    const isNumber = head.endsWith('#');
    return `<th scope="col"${isNumber ? ' class="number"' : ''}>${text(isNumber ? head.slice(0, -1) : head)}</th>`;
  });
  return `<div class="scroll"><table><thead><tr>${cells.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** A margin as a bar and a number. */
function meter(share: number): string {
  const width = Math.round(100 * Math.min(1, Math.max(0, share)));
  const shown = Number(share.toPrecision(2));
  return `<svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${attribute(String(shown))}"><rect class="${share >= 0 ? 'good' : 'bad'}" width="${share < 0 ? 100 : Math.max(1, width)}" height="8"/></svg><span>${text(shortNumber(shown))}</span>`;
}

function bound(most: number): string {
  const value = printedBound(most);
  return value >= 0.01 ? shortNumber(value) : value.toExponential(1).replace('e-', '·10<sup>−').concat('</sup>');
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
