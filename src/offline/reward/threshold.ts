/** From probabilities of labelled states to the threshold, and to what it is worth. */
import { wilsonInterval } from '../../core/index.ts';
import type { Share } from '../../tasks/index.ts';

export interface Scored {
  readonly probability: number;
  readonly success: boolean;
}

/** What a threshold makes of labelled states. */
export interface ThresholdCounts {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  readonly precision: Share;
  readonly recall: Share;
}

/** Counts `scored` at `threshold`. */
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

/** Of none at all: 0, from 0 to 1. */
function shareOf(hits: number, of: number): Share {
  const { low, high } = wilsonInterval(hits, of);
  return { rate: hits / Math.max(1, of), low, high };
}

/**
 * The threshold that finds most successes among those whose precision is `precision` or more, in the middle of the gap below the least
 * state that it takes; `undefined` where none has it.
 */
export function chooseThreshold(scored: readonly Scored[], precision: number): number | undefined {
  const sorted = [...scored].sort((a, b) => b.probability - a.probability);
  let best: { readonly at: number; readonly found: number } | undefined;
  let found = 0;
  for (const [i, { probability, success }] of sorted.entries()) {
    if (success) found++;
    const next = sorted[i + 1]?.probability ?? 0;
    // States of one probability are taken together.
    if (next === probability || found === 0 || found / (i + 1) < precision) continue;
    if (best === undefined || found > best.found) best = { at: middle(probability, next), found };
  }
  return best?.at;
}

/** Half-way between two probabilities as logits are. */
function middle(a: number, b: number): number {
  const logit = (p: number): number => Math.log(p / (1 - p));
  const [high, low] = [Math.min(a, 1 - 1e-6), Math.max(b, 1e-6)];
  return 1 / (1 + Math.exp(-(logit(high) + logit(Math.min(low, high))) / 2));
}

/** Mean squared difference of probability and label (Brier, 1950), and how far the two are apart over ten ranges of probability. */
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
