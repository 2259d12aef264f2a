/** Checks: quantities, their limits, and remedies. Everything shown of a check is part of it. */
import type { Facts } from './facts.ts';

export const ROW_STATES = ['ok', 'warn', 'bad', 'unknown'] as const;
/** `unknown`: not recorded, or too little data yet. */
export type RowState = (typeof ROW_STATES)[number];

/** `%`: a share 0…1, shown as 25 %. Others follow the number. */
export type EvidenceUnit = '%' | '×' | 'steps' | 'episodes' | 'nats' | '';

/** Quantity with a healthy side. */
export interface Limit {
  readonly what: string;
  readonly unit: EvidenceUnit;
  /** Side of the limits on which the quantity is wrong. */
  readonly side: 'above' | 'below';
  readonly warn?: number;
  readonly bad?: number;
  /**
   * Worst value of the runs that learn as they should, from which the limits were set with margin; `npm run evidence --
   * --only diagnosis` measures it again. Omitted if none of them has the quantity.
   */
  readonly healthy?: number;
  /** Source of the limit, if not those runs. */
  readonly source?: string;
}

/** Measured number shown with its limit, or without one as an explanation. */
export interface Evidence {
  readonly what: string;
  readonly unit: EvidenceUnit;
  readonly value: number;
}

/** Number that a check has measured. */
export type Measure = readonly [limit: Limit, value: number];

/** Result of a check. */
export interface Finding {
  readonly measures: readonly Measure[];
  /** Further numbers, which are not judged. */
  readonly beside?: readonly Evidence[];
  readonly sentence: string;
}

/** Result of a check that cannot decide, with the reason. */
export interface Unknown {
  readonly unknown: string;
}

export interface Check {
  readonly id: string;
  readonly title: string;
  /** Subject of the check, and why a fault there stops learning. */
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
  /** Limits and their sources, as text. */
  readonly threshold: string;
  /** Advice if the state is not `ok`. */
  readonly remedy: string;
}

/** State of `value` with respect to `limit`. */
export function stateOf({ side, warn, bad }: Limit, value: number): RowState {
  const isBeyond = (end: number | undefined): boolean =>
    end !== undefined && (side === 'above' ? value > end : value < end);
  return isBeyond(bad) ? 'bad' : isBeyond(warn) ? 'warn' : 'ok';
}

/** Row of `check` for `facts`. */
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

/** Number with its unit, to two significant digits or whole: `25 %`, `1.4 ×`, `40 episodes`. */
export function quantityText(value: number, unit: EvidenceUnit): string {
  const scaled = unit === '%' ? 100 * value : value;
  const digits = Math.abs(scaled) >= 100 ? String(Math.round(scaled)) : String(Number(scaled.toPrecision(2)));
  return unit === '' ? digits : `${digits} ${unit}`;
}
