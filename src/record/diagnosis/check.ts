/** What a check is: what it looks at, from where on that is wrong, and what then helps. Everything that is shown of it stands in it. */
import type { Facts } from './facts.ts';

export const ROW_STATES = ['ok', 'warn', 'bad', 'unknown'] as const;
/** `unknown`: not recorded, or too little of it yet. */
export type RowState = (typeof ROW_STATES)[number];

/** Of a share 0…1; shown as 25 %. Others stand behind the number. */
export type EvidenceUnit = '%' | '×' | 'steps' | 'episodes' | 'nats' | '';

/** A quantity that has a healthy side. */
export interface Limit {
  readonly what: string;
  readonly unit: EvidenceUnit;
  /** On which side of the numbers something is wrong. */
  readonly side: 'above' | 'below';
  readonly warn?: number;
  readonly bad?: number;
  /**
   * The worst of the runs that learn as they should, on which the limits were set with margin; `npm run evidence -- --only diagnosis`
   * measures it again. Left out where none of them has the quantity.
   */
  readonly healthy?: number;
  /** Where the limit is from, if not from those runs. */
  readonly source?: string;
}

/** A measured number beside its limit; without one it only explains. */
export interface Evidence {
  readonly what: string;
  readonly unit: EvidenceUnit;
  readonly value: number;
}

/** One number that a check has found. */
export type Measure = readonly [limit: Limit, value: number];

/** What a check has found. */
export interface Finding {
  readonly measures: readonly Measure[];
  /** Further numbers, which nothing is judged by. */
  readonly beside?: readonly Evidence[];
  readonly sentence: string;
}

/** The finding of a check that cannot tell, with the reason. */
export interface Unknown {
  readonly unknown: string;
}

export interface Check {
  readonly id: string;
  readonly title: string;
  /** What it looks at, and why learning stops where that is wrong. */
  readonly about: string;
  readonly limits: readonly Limit[];
  readonly remedy: string;
  /** Pure. */
  readonly judge: (facts: Facts) => Finding | Unknown;
}

/** One line of "Why is it not learning?". */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly state: RowState;
  readonly sentence: string;
  readonly evidence: readonly Evidence[];
  /** Limits, and where they are from, in words. */
  readonly threshold: string;
  /** What to do, where it is not `ok`. */
  readonly remedy: string;
}

/** On which side of `limit` the `value` is. */
export function stateOf({ side, warn, bad }: Limit, value: number): RowState {
  const isBeyond = (end: number | undefined): boolean =>
    end !== undefined && (side === 'above' ? value > end : value < end);
  return isBeyond(bad) ? 'bad' : isBeyond(warn) ? 'warn' : 'ok';
}

/** The row of `check` for `facts`. */
export function rowOf({ id, title, limits, remedy, judge }: Check, facts: Facts): Row {
  const found = judge(facts);
  const threshold = limits.map(limitText).join('; ');
  const isKnown = !('unknown' in found);
  return {
    id,
    title,
    state: isKnown ? worst(found.measures) : 'unknown',
    sentence: isKnown ? found.sentence : found.unknown,
    evidence: isKnown ? [...found.measures.map(evidenceOf), ...(found.beside ?? [])] : [],
    threshold,
    remedy,
  };
}

function worst(measures: readonly Measure[]): RowState {
  const states = measures.map(([limit, value]) => stateOf(limit, value));
  return states.includes('bad') ? 'bad' : states.includes('warn') ? 'warn' : 'ok';
}

function evidenceOf([{ what, unit }, value]: Measure): Evidence {
  return { what, unit, value };
}

/** `bad above 50 %, doubtful above 25 % (worst of the healthy runs: 10 %)`. */
export function limitText({ what, unit, side, warn, bad, healthy, source }: Limit): string {
  const ends = [
    ...(bad === undefined ? [] : [`bad ${side} ${quantityText(bad, unit)}`]),
    ...(warn === undefined ? [] : [`doubtful ${side} ${quantityText(warn, unit)}`]),
  ];
  const reasons = [
    ...(healthy === undefined ? [] : [`worst of the healthy runs: ${quantityText(healthy, unit)}`]),
    ...(source === undefined ? [] : [source]),
  ];
  return `${what}: ${ends.join(', ')} (${reasons.join('; ')})`;
}

/** A number with its unit, as exact as it is of use: `25 %`, `1.4 ×`, `40 episodes`. */
export function quantityText(value: number, unit: EvidenceUnit): string {
  const scaled = unit === '%' ? 100 * value : value;
  const digits = Math.abs(scaled) >= 100 ? String(Math.round(scaled)) : String(Number(scaled.toPrecision(2)));
  return unit === '' ? digits : `${digits} ${unit}`;
}
