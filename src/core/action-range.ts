/** What the numbers of an action, each in [−1, 1], are in the world. */
import { clamp } from './units.ts';

/** One number of an action: physical = (low + high)/2 + (high − low)/2·a, with a cut to [−1, 1]. */
export interface ActionRange {
  /** e.g. `torque`, `x`, `hip`; unique within its action. */
  readonly name: string;
  /** Of `low` and `high`, e.g. `N·m`, `m`, `rad`; `normalised` where nobody says what −1 and 1 are. */
  readonly unit: string;
  /** What a = −1 is. */
  readonly low: number;
  /** What a = 1 is; > `low`. */
  readonly high: number;
}

/** A range as wide to either side of 0: a = 1 is `high`. */
export function symmetricRange(name: string, unit: string, high: number): ActionRange {
  return { name, unit, low: -high, high };
}

/** For `size` numbers of which nobody says what they are: they stay as they are. */
export function normalisedRanges(size: number): ActionRange[] {
  return Array.from({ length: size }, (_, i) => symmetricRange(`action ${i}`, 'normalised', 1));
}

/** The middle of a range, in its unit. */
export function centreOf({ low, high }: ActionRange): number {
  return (low + high) / 2;
}

/** Half the width of a range, in its unit. */
export function halfRangeOf({ low, high }: ActionRange): number {
  return (high - low) / 2;
}

/** `action` [A], cut to [−1, 1], in the units of `ranges` [A]. */
export function physicalAction(ranges: readonly ActionRange[], action: ArrayLike<number>): Float64Array {
  return Float64Array.from(ranges, (range, i) => centreOf(range) + halfRangeOf(range) * clamp(action[i]!, -1, 1));
}
