/** Physical ranges of the components of an action, whose normalised values lie in [−1, 1]. */
import { clamp } from './units.ts';

/** Range of one action component: physical = (low + high)/2 + (high − low)/2·a, with a clamped to [−1, 1]. */
export interface ActionRange {
  /** e.g. `torque`, `x`, `hip`; unique within its action. */
  readonly name: string;
  /** Unit of `low` and `high`, e.g. `N·m`, `m`, `rad`; `normalised` if the physical meaning of −1 and 1 is unknown. */
  readonly unit: string;
  /** Physical value at a = −1. */
  readonly low: number;
  /** Physical value at a = 1; > `low`. */
  readonly high: number;
}

/** Returns a range symmetric about 0, from `-high` to `high`. */
export function symmetricRange(name: string, unit: string, high: number): ActionRange {
  return { name, unit, low: -high, high };
}

/** Returns ranges for `size` components of unknown physical meaning: the values stay in [−1, 1]. */
export function normalisedRanges(size: number): ActionRange[] {
  return Array.from({ length: size }, (_, i) => symmetricRange(`action ${i}`, 'normalised', 1));
}

/** Centre of a range, in its unit. */
export function centreOf({ low, high }: ActionRange): number {
  return (low + high) / 2;
}

/** Half the width of a range, in its unit. */
export function halfRangeOf({ low, high }: ActionRange): number {
  return (high - low) / 2;
}

/** Returns `action` [A], clamped to [−1, 1], in the units of `ranges` [A]. */
export function physicalAction(ranges: readonly ActionRange[], action: ArrayLike<number>): Float64Array {
  return Float64Array.from(ranges, (range, i) => centreOf(range) + halfRangeOf(range) * clamp(action[i]!, -1, 1));
}
