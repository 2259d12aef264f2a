/** A minimum has to be below its maximum, wherever the pair is in a file. */
import type { Finding } from './finding.ts';
import { pathText } from './schema/check.ts';
import { type Place, placeText } from './text/place.ts';
import type { TreePath } from './text/tree.ts';

/** Matches `minM`, `positionMinRad`, `min`, but not words that merely contain it. */
const LEAST = /^min(?![a-z])|Min(?![a-z])/;

/** Finds each minimum in `value` (located at `path`) that is not below its maximum. A plugin's `options` are skipped. */
export function checkOrder(value: unknown, path: TreePath = []): readonly Finding[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, least]) => {
    if (key === 'options') return [];
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    const mostKey = key.replace(LEAST, (min) => (min === 'min' ? 'max' : 'Max'));
    const most: unknown = mostKey === key ? undefined : (value as Record<string, unknown>)[mostKey];
    return [...outOfOrder(least, most, at, [...path, mostKey]), ...checkOrder(least, at)];
  });
}

function outOfOrder(least: unknown, most: unknown, path: TreePath, mostPath: TreePath): readonly Finding[] {
  if (Array.isArray(least) && Array.isArray(most))
    return least.flatMap((each, i) => outOfOrder(each, most[i], [...path, i], [...mostPath, i]));
  if (typeof least !== 'number' || typeof most !== 'number' || least < most) return [];
  const [low, high] = [pathText(path), pathText(mostPath)];
  return [{ path, orAt: mostPath, ...orderProblem(low, least, high, most) }];
}

/** Problem text for `low` = `least` and `high` = `most`, which is not above it. */
export function orderProblem(
  low: string,
  least: number,
  high: string,
  most: number,
): Required<Pick<Finding, 'message' | 'remedy'>> {
  const isEqual = least === most;
  const message = isEqual ? `${low} and ${high} are both ${least}` : `${low}, ${least}, is above ${high}, ${most}`;
  return { message, remedy: (at, mostAt) => orderRemedy(isEqual, at, mostAt) };
}

/** Suggests a swap only if one file has both numbers. */
function orderRemedy(isEqual: boolean, at: Place | undefined, mostAt: Place | undefined): string {
  if (at === undefined) return 'raise the second; the first is a default';
  if (mostAt === undefined) return 'lower the first; the second is a default';
  if (at.file !== mostAt.file) return `lower the first, or raise the second at ${placeText(mostAt)}`;
  return isEqual ? 'lower the first or raise the second' : 'swap the two numbers';
}
