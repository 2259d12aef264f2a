/** Formats the figures of a safety check for a terminal. */
import { significant } from '../../model/index.ts';
import {
  ARM_WORDS,
  type EnergyComparison,
  KIND_WORDS,
  printedBound,
  type SafetyCheckResult,
  type StopResult,
} from '../../safety-check/index.ts';

/** Violations, energy and stops as printable text. */
export function checkTable(result: SafetyCheckResult): string {
  const rows = result.violations
    .filter(({ applies, count }) => applies || count > 0)
    .map(({ kind, count, ticks, upperBound95 }) => [
      KIND_WORDS[kind],
      String(count),
      String(ticks),
      ticks === 0 ? 'never came up' : printedBound(upperBound95).toExponential(1),
    ]);
  const table = columns([['', 'violations', 'in', '95 % bound of the rate'], ...rows]);
  const lines: string[] = [];
  const { energy, untried, stages } = result;
  if (energy.hasTank) {
    lines.push(`energy: ${surplusText(energy)}, tank never below ${significant(energy.tankMinJ!)} J`);
  }
  lines.push(...(energy.comparison ?? []).map(comparisonLine));
  lines.push(...armLines(result));
  const acted = stages.filter(({ ticks }) => ticks > 0).map(({ stage, share }) => `${stage} ${percent(share)}`);
  if (acted.length > 0) lines.push(`stages that changed what was asked, share of ticks: ${acted.join(', ')}`);
  lines.push(...result.stops.map(stopLine));
  if (untried.length > 0) lines.push(`not tried: ${untried.join(', ')}`);
  return lines.length === 0 ? `${table}\n\n` : `${table}\n\n${lines.join('\n')}\n\n`;
}

function comparisonLine(each: EnergyComparison): string {
  const { attack, hasTouched } = each;
  const energy = `kinetic energy up to ${significant(each.peakKineticWithJ)} J with the tank, ${significant(each.peakKineticWithoutJ)} J without`;
  if (attack === 'pumping' && each.peakForceWithN === 0 && each.peakForceWithoutN === 0) return `${attack}: ${energy}`;
  const force = hasTouched
    ? `force ${significant(each.peakForceWithN)} N with, ${significant(each.peakForceWithoutN)} N without`
    : 'the attack never touched the wall, so nothing is shown about forces';
  return `${attack}: ${energy}; ${force}`;
}

/** The simulated arm: its excursions, and the margins that would cover them. */
function armLines({ arm, margins }: SafetyCheckResult): string[] {
  if (!arm.applies) return [];
  const rows = arm.excursions.map(({ kind, count, worst, unit }) => {
    const by =
      unit === 'm'
        ? `${significant(1e3 * worst)} mm`
        : unit === '1'
          ? `${significant(100 * worst)} %`
          : `${significant(worst)} ${unit}`;
    return count === 0 ? `${ARM_WORDS[kind]}: never` : `${ARM_WORDS[kind]}: ${count} ticks, by up to ${by}`;
  });
  const load =
    arm.payloadMaxKg === null ? 'no payloadMaxKg is given: no load was tried' : `with up to ${arm.payloadMaxKg} kg`;
  const { plantM, shapesM } = margins;
  const nearest =
    plantM === null || shapesM === null
      ? []
      : [`nearest by MuJoCo: arm ${significant(1e3 * plantM)} mm, its reference ${significant(1e3 * shapesM)} mm`];
  return [
    `simulated arm (${load}): ${[...rows, ...nearest].join('; ')}`,
    ...arm.margins.map(({ message }) => `  margin: ${message}`),
  ];
}

function percent(share: number): string {
  return share < 0.001 ? 'under 0.1 %' : `${significant(100 * share)} %`;
}

function surplusText({ surplusMaxJ, toleranceJ }: SafetyCheckResult['energy']): string {
  return surplusMaxJ <= toleranceJ ? 'no surplus beyond rounding' : `surplus of ${significant(surplusMaxJ)} J`;
}

function stopLine({ cause, stops, reaction, time, distance }: StopResult): string {
  const name = cause === 'silence' ? 'commands end' : 'commands turn to NaN';
  const ms = (value: number): string => (value * 1e3).toFixed(0);
  return (
    `${name} (${stops}×): brakes within ${ms(reaction.max)} ms (bound ${ms(reaction.bound)}), at rest within ${ms(time.max)} ms ` +
    `(bound ${ms(time.bound)}), at most ${(100 * distance.shareOfBoundMax).toFixed(0)} % of the distance bound`
  );
}

export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '))
    .join('\n');
}
