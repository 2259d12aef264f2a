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
  const lines = [columns([['', 'violations', 'in', '95 % bound of the rate'], ...rows]), ''];
  const { energy } = result;
  if (energy.hasTank) {
    lines.push(
      `energy: surplus at most ${energy.surplusMaxJ.toExponential(1)} J, tank never below ${energy.tankMinJ!.toFixed(3)} J`,
    );
  }
  for (const each of energy.comparison ?? []) {
    lines.push(
      `${each.attack}: kinetic energy up to ${each.peakKineticWithJ.toFixed(1)} J with the tank, ${each.peakKineticWithoutJ.toFixed(1)} J without;` +
        ` force ${each.peakForceWithN.toFixed(0)} N with, ${each.peakForceWithoutN.toFixed(0)} N without`,
    );
  }
  lines.push(...result.stops.map(stopLine), '');
  return `${lines.join('\n')}\n`;
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
