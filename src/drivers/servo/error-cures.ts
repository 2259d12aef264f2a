/** Remedies for errors that a servo reports, by the family's name of the error: one remedy per cause. */

/** Measured supply voltage and its limits, V; NaN if unknown. */
export interface SupplyRead {
  readonly volts: number;
  readonly leastV: number;
  readonly mostV: number;
}

const CURES: Readonly<Record<string, string>> = {
  sensor: 'Its encoder fails: switch its supply off and on; if the error returns, replace the servo.',
  encoder: 'Its encoder fails: switch its supply off and on; if the error returns, replace the servo.',
  temperature: 'Let it cool, and take load off it.',
  current: 'It drew too much current: look for what blocks its joint; torque off and on again clears it.',
  angle: 'It stands outside the range that it stores: move it back by hand, with its torque off.',
  overload: 'Take the load off; torque off and on again clears it.',
  electricalShock:
    'Switch its supply off: look for a short in its cable and a supply of the wrong polarity; if the error returns, replace the servo.',
};
const UNNAMED = 'rein doctor shows which, where it answers.';

/** Returns the remedies of all `names`, the supply's first, as sentences. */
export function errorCure(names: readonly string[], supply: SupplyRead): string {
  const others = names.filter((name) => name !== 'voltage');
  const cures = [...new Set(others.map((name) => CURES[name] ?? UNNAMED))];
  return [...(others.length < names.length ? [supplyCure(supply)] : []), ...cures].join(' ');
}

/** Returns the remedy of a supply voltage that is, or was for a moment, out of range. */
export function supplyCure({ volts, leastV, mostV }: SupplyRead): string {
  const range = Number.isNaN(leastV + mostV) ? '' : `, and takes ${shown(leastV)} to ${shown(mostV)}`;
  if (volts > mostV) return `Switch its supply off now: it has ${shown(volts)}${range}. Use another supply.`;
  if (volts < leastV)
    return `Its supply is too low: it has ${shown(volts)}${range}. Check the supply, what it can deliver, and its cables.`;
  const now = Number.isNaN(volts) ? '' : `: it has ${shown(volts)} now${range}`;
  return `Its supply was too high or too low for a moment${now}. Check the supply, what it can deliver, and its cables.`;
}

function shown(volts: number): string {
  return `${volts.toFixed(1)} V`;
}
