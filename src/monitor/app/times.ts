/** Times and counts as people read them. */
import { grouped } from '../../core/text.ts';

/** 12345 → `12 345`, with a narrow space. */
export function whole(count: number): string {
  return grouped(count, '\u202f');
}

/** The hour, and the day where that is not today. */
export function timeOf(atMs: number): string {
  const at = new Date(atMs);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? at.toLocaleTimeString() : at.toLocaleString();
}
