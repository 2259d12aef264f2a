/** Units in keys and values: suggestions for `velocityMaxDegPerS` or `20 mm`. */

/** Key suffixes that are units, longest first within one quantity. */
const SUFFIXES: Readonly<Record<string, string>> = {
  RadPerS2: 'rad/s²',
  DegPerS2: '°/s²',
  RadPerS: 'rad/s',
  DegPerS: '°/s',
  MmPerS: 'mm/s',
  MPerS: 'm/s',
  NmSPerRad: 'N·m·s/rad',
  NmPerRad: 'N·m/rad',
  NmPerDeg: 'N·m/°',
  Degrees: '°',
  Radians: 'rad',
  Rad: 'rad',
  Deg: '°',
  Nm: 'N·m',
  Khz: 'kHz',
  Hz: 'Hz',
  Rpm: 'rpm',
  Mm: 'mm',
  Cm: 'cm',
  Um: 'µm',
  Ms: 'ms',
  Us: 'µs',
  Min: 'min',
  Percent: '%',
  Pct: '%',
  M: 'm',
  S: 's',
  N: 'N',
};

/** Splits a key into stem and unit: `spreadMm` → `spread`, `mm`; `unit` is `undefined` if there is no known unit. */
export function splitKey(key: string): { readonly stem: string; readonly unit: string | undefined } {
  for (const [suffix, unit] of Object.entries(SUFFIXES)) {
    if (key.length > suffix.length && key.endsWith(suffix)) return { stem: key.slice(0, -suffix.length), unit };
  }
  return { stem: key, unit: undefined };
}

/** The key of `allowed` that equals `key` but for its unit, which may be missing. */
export function sameInOtherUnit(key: string, allowed: readonly string[]): { key: string; unit: string } | undefined {
  const { stem } = splitKey(camel(key));
  for (const candidate of allowed) {
    const split = splitKey(candidate);
    if (split.unit !== undefined && candidate !== key && split.stem.toLowerCase() === stem.toLowerCase()) {
      return { key: candidate, unit: split.unit };
    }
  }
  return undefined;
}

/** Conversion factors to the units used in files. */
const FACTORS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  m: ['m', 1],
  mm: ['m', 1e-3],
  cm: ['m', 1e-2],
  um: ['m', 1e-6],
  µm: ['m', 1e-6],
  rad: ['rad', 1],
  deg: ['rad', Math.PI / 180],
  '°': ['rad', Math.PI / 180],
  'rad/s': ['rad/s', 1],
  'deg/s': ['rad/s', Math.PI / 180],
  '°/s': ['rad/s', Math.PI / 180],
  rpm: ['rad/s', (2 * Math.PI) / 60],
  s: ['s', 1],
  ms: ['s', 1e-3],
  min: ['s', 60],
  Hz: ['Hz', 1],
  kHz: ['Hz', 1e3],
  '%': ['1', 1e-2],
  Nm: ['N·m', 1],
  N·m: ['N·m', 1],
};

/** Suggested replacement for a number with a unit, such as `20 mm` if `unit` is expected; `undefined` for other text. */
export function withoutUnit(text: string, unit: string): string | undefined {
  const match = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Zµ°%·/²0-9]*)$/.exec(text.trim());
  if (match === null) return undefined;
  const value = Number(match[1]);
  const factor = match[2] === '' ? ([unit, 1] as const) : FACTORS[match[2] ?? ''];
  if (factor === undefined || factor[0] !== unit || !Number.isFinite(value)) return `a plain number of ${unit}`;
  return String(Number((value * factor[1]).toPrecision(12)));
}

function camel(key: string): string {
  return key.replaceAll(/[-_ ]+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
