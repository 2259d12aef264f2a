/** A check's figures for a terminal. */
import { KIND_WORDS, printedBound, type SafetyCheckResult, type StopResult } from '../../runtime/safety-check/index.ts';

/** Violations, energy and stops, ready to print. */
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
  const { energy, untried } = result;
  if (energy.hasTank) {
    lines.push(`energy: ${surplusText(energy)}, tank never below ${digits(energy.tankMinJ!)} J`);
  }
  for (const each of energy.comparison ?? []) {
    lines.push(
      `${each.attack}: kinetic energy up to ${digits(each.peakKineticWithJ)} J with the tank, ${digits(each.peakKineticWithoutJ)} J without;` +
        ` force ${digits(each.peakForceWithN)} N with, ${digits(each.peakForceWithoutN)} N without`,
    );
  }
  lines.push(...result.stops.map(stopLine));
  if (untried.length > 0) lines.push(`not tried: ${untried.join(', ')}`);
  return lines.length === 0 ? `${table}\n\n` : `${table}\n\n${lines.join('\n')}\n\n`;
}

function surplusText({ surplusMaxJ, toleranceJ }: SafetyCheckResult['energy']): string {
  return surplusMaxJ <= toleranceJ ? 'no surplus beyond rounding' : `surplus of ${digits(surplusMaxJ)} J`;
}

/** Three significant digits. */
function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function stopLine({ cause, stops, reaction, time, distance }: StopResult): string {
  const name = cause === 'silence' ? 'commands end' : 'commands turn to NaN';
  const ms = (value: number): string => (value * 1e3).toFixed(0);
  return (
    `${name} (${stops}×): brakes within ${ms(reaction.max)} ms (bound ${ms(reaction.bound)}), at rest within ${ms(time.max)} ms ` +
    `(bound ${ms(time.bound)}), at most ${(100 * distance.shareOfBoundMax).toFixed(0)} % of the distance bound`
  );
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '))
    .join('\n');
}
