/** "Did you mean": the closest of the allowed words. */

/** The most likely intended word of `allowed` for `word`; `undefined` if none is close. */
export function nearest(word: string, allowed: readonly string[]): string | undefined {
  if (word.length > 200) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of allowed) {
    const distance = editDistance(fold(word), fold(candidate));
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `, did you mean "x"?`, or an empty string. */
export function didYouMean(word: string, allowed: readonly string[]): string {
  const match = nearest(word, allowed);
  return match === undefined ? '' : `, did you mean "${match}"?`;
}

/** Edit distance from `a` to `b`: insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** Normalises case and separators, so that snake_case and kebab-case count as near misses. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '');
}
