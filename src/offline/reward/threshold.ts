/** Chooses a threshold from predicted probabilities of labelled states, and evaluates it. */
import { wilsonInterval } from '../../model/index.ts';
import type { Share } from '../../tasks/index.ts';

export interface Scored {
  readonly probability: number;
  readonly success: boolean;
}

/** Confusion counts of labelled states at a threshold. */
export interface ThresholdCounts {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  readonly precision: Share;
  readonly recall: Share;
}

/** Counts true and false positives and negatives at `threshold`. */
export function countAt(scored: readonly Scored[], threshold: number): ThresholdCounts {
  let [truePositives, falsePositives, falseNegatives, trueNegatives] = [0, 0, 0, 0];
  for (const { probability, success } of scored) {
    if (probability >= threshold) success ? truePositives++ : falsePositives++;
    else success ? falseNegatives++ : trueNegatives++;
  }
  return {
    truePositives,
    falsePositives,
    falseNegatives,
    trueNegatives,
    precision: shareOf(truePositives, truePositives + falsePositives),
    recall: shareOf(truePositives, truePositives + falseNegatives),
  };
}

/** Rate with Wilson interval; for 0 of 0 the rate is 0 and the interval [0, 1]. */
function shareOf(hits: number, of: number): Share {
  const { low, high } = wilsonInterval(hits, of);
  return { rate: hits / Math.max(1, of), low, high };
}

/**
 * Returns the threshold of highest recall among those whose precision is at least `precision`, half-way between the lowest
 * accepted state and the next; `undefined` if there is none.
 */
export function chooseThreshold(scored: readonly Scored[], precision: number): number | undefined {
  const sorted = [...scored].sort((a, b) => b.probability - a.probability);
  let best: { readonly at: number; readonly found: number } | undefined;
  let found = 0;
  for (const [i, { probability, success }] of sorted.entries()) {
    if (success) found++;
    const next = sorted[i + 1]?.probability ?? 0;
    // States of equal probability are accepted together.
    if (next === probability || found === 0 || found / (i + 1) < precision) continue;
    if (best === undefined || found > best.found) best = { at: middle(probability, next), found };
  }
  return best?.at;
}

/** Midpoint of two probabilities in logit space. */
function middle(a: number, b: number): number {
  const logit = (p: number): number => Math.log(p / (1 - p));
  const [high, low] = [Math.min(a, 1 - 1e-6), Math.max(b, 1e-6)];
  return 1 / (1 + Math.exp(-(logit(high) + logit(Math.min(low, high))) / 2));
}

/** Brier score (1950), the mean squared difference of probability and label, and expected calibration error over ten bins. */
export function calibrationOf(scored: readonly Scored[]): { readonly brier: number; readonly error: number } {
  const bins = Array.from({ length: 10 }, () => ({ count: 0, probability: 0, successes: 0 }));
  let squares = 0;
  for (const { probability, success } of scored) {
    const bin = bins[Math.min(9, Math.floor(10 * probability))]!;
    bin.count++;
    bin.probability += probability;
    if (success) bin.successes++;
    squares += (probability - (success ? 1 : 0)) ** 2;
  }
  const error = bins.reduce((sum, bin) => sum + Math.abs(bin.probability - bin.successes), 0);
  return { brier: squares / scored.length, error: error / scored.length };
}
