/** A laser scan in a few sectors: how near the nearest thing is in each. */
import type { LaserScan } from '../messages/definitions.ts';
import type { ReadResult } from './read-result.ts';

/**
 * Writes the nearest range of each of `out.length` sectors of equal size, m, in the scan's order. Nothing seen, and
 * anything beyond the scanner's reach, is its reach; what is nearer than it can measure is not looked at.
 */
export function readScan({ ranges, range_min, range_max }: LaserScan, out: Float32Array): ReadResult {
  const sectors = out.length;
  if (ranges.length < sectors) return { malformed: `it has ${ranges.length} ranges, ${sectors} are asked for` };
  if (!(range_max > 0) || !Number.isFinite(range_max)) return { malformed: `its range_max is ${range_max}` };
  for (let k = 0; k < sectors; k++) {
    const end = Math.floor(((k + 1) * ranges.length) / sectors);
    let nearest = range_max;
    for (let i = Math.floor((k * ranges.length) / sectors); i < end; i++) {
      const range = ranges[i]!;
      // A NaN is neither.
      if (range >= range_min && range < nearest) nearest = range;
    }
    out[k] = nearest;
  }
  return 'taken';
}
