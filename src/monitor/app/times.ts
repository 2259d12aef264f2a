/** Times and counts for display. */
import { counted, grouped } from '../../model/portable.ts';

const NARROW = '\u202f';

/** 12345 → `12 345`, with a narrow space. */
export function whole(count: number): string {
  return grouped(count, NARROW);
}

/** `1 tick`, `4 596 ticks`. */
export function many(count: number, noun: string): string {
  return counted(count, noun, NARROW);
}

/** Time of day, with the date if that is not today. */
export function timeOf(atMs: number): string {
  const at = new Date(atMs);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? at.toLocaleTimeString() : at.toLocaleString();
}
