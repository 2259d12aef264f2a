/** What is least of something may not be above what is most of it, wherever the two stand in a file. */
import type { Finding } from './finding.ts';
import { pathText } from './schema/check.ts';
import type { TreePath } from './text/tree.ts';

/** `minM`, `positionMinRad`, `min`: no word that only contains it. */
const LEAST = /^min(?![a-z])|Min(?![a-z])/;

/** Each least number in `value`, which stands at `path`, that is not below its most. What a plugin is given is its own. */
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
  return [{ path, orAt: mostPath, message: orderProblem(pathText(path), least, pathText(mostPath), most) }];
}

/** What is wrong where `low` is `least` and `high` is `most`, which is not above it. */
export function orderProblem(
  low: string,
  least: number,
  high: string,
  most: number,
  remedy: string = 'swap the two numbers',
): string {
  if (least === most) return `${low} and ${high} are both ${least}: lower the first or raise the second`;
  return `${low}, ${least}, is above ${high}, ${most}: ${remedy}`;
}
