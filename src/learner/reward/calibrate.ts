/** Calibrates logits to probabilities on held-out states. */

/** Probability = sigmoid(slope × logit + offset). */
export interface Calibration {
  readonly slope: number;
  readonly offset: number;
}

/** Maximum number of Newton steps; a few suffice. */
const STEPS = 100;
/** Keeps the curvature away from 0 if the logits separate the classes. */
const RIDGE = 1e-9;

/**
 * Platt scaling (1999) by Newton's method: maximum likelihood of slope and offset, with targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), so
 * that logits that separate the classes do not give certainty. Source: Lin, Lin and Weng, https://doi.org/10.1007/s10994-007-5018-6
 */
export function calibrate(logits: readonly number[], isSuccess: readonly boolean[]): Calibration {
  const positives = isSuccess.filter(Boolean).length;
  const targets = isSuccess.map((is) => (is ? (positives + 1) / (positives + 2) : 1 / (logits.length - positives + 2)));
  const lossOf = (slope: number, offset: number): number =>
    logits.reduce((sum, logit, i) => {
      const z = slope * logit + offset;
      return sum + Math.max(z, 0) - targets[i]! * z + Math.log1p(Math.exp(-Math.abs(z)));
    }, 0);
  let [slope, offset] = [0, Math.log((positives + 1) / (logits.length - positives + 1))];
  let loss = lossOf(slope, offset);
  for (let step = 0; step < STEPS; step++) {
    // Gradient and Hessian.
    let [g0, g1, h00, h01, h11] = [0, 0, RIDGE, 0, RIDGE];
    for (const [i, logit] of logits.entries()) {
      const p = sigmoidOf(slope * logit + offset);
      const [wrong, weight] = [p - targets[i]!, p * (1 - p)];
      g0 += wrong * logit;
      g1 += wrong;
      h00 += weight * logit * logit;
      h01 += weight * logit;
      h11 += weight;
    }
    if (Math.hypot(g0, g1) < 1e-7) break;
    const determinant = h00 * h11 - h01 * h01;
    const [d0, d1] = [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
    let share = 1;
    while (share > 1e-10 && lossOf(slope - share * d0, offset - share * d1) > loss) share /= 2;
    slope -= share * d0;
    offset -= share * d1;
    loss = lossOf(slope, offset);
  }
  return { slope, offset };
}

/** 1/(1 + e⁻ˣ) */
export function sigmoidOf(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
