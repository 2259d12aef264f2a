/** Upper bound of an observed rate: the upper end of a one-sided 95 % confidence interval. */

const ALPHA = 0.05;
const HALVINGS = 200;

/**
 * Upper bound of the probability of an event that happened `count` times in `trials`, with 95 % confidence: 3/N for
 * none in N (the rule of three, −ln 0.05 ≈ 2.996 rounded up), otherwise the exact one-sided bound of Clopper and
 * Pearson (Biometrika 26, 1934): the p at which ≤ `count` events have probability 5 %. At most 1; 1 for no trials.
 * Throws `RangeError` for impossible counts.
 */
export function upperBound95(count: number, trials: number): number {
  if (!(count >= 0) || !(trials >= 0) || count > trials) throw new RangeError(`${count} of ${trials} cannot be`);
  if (trials === 0 || count === trials) return 1;
  if (count === 0) return Math.min(1, 3 / trials);
  let low = count / trials;
  let high = 1;
  for (let i = 0; i < HALVINGS && high - low > 1e-15 * high; i++) {
    const middle = (low + high) / 2;
    if (atMost(count, trials, middle) > ALPHA) low = middle;
    else high = middle;
  }
  return high;
}

/** Rounds a bound for printing: two digits, rounded up, as a smaller number would promise more than was shown. At most 1. */
export function printedBound(bound: number): number {
  return bound > 0 ? Math.min(1, roundedUp(bound)) : 0;
}

/** Returns `value` > 0 with two significant digits, rounded up: less would not cover it. */
export function roundedUp(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  // Tolerance: 3e-5 is 30.000000000000004 steps.
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}

/** P(X ≤ count) of a binomial distribution, by the regularised incomplete beta function: I_{1−p}(n − k, k + 1). */
function atMost(count: number, trials: number, rate: number): number {
  return incompleteBeta(trials - count, count + 1, 1 - rate);
}

/** I_x(a, b), by Lentz's continued fraction (Numerical Recipes, 3rd ed., §6.4). */
function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on this side; the other is its mirror image.
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(a, b, x)) / a;
  return 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

function betaFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let h = d;
  for (let m = 1; m <= 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return h;
}

const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360] as const;

/** ln Γ(x), x > 0: Stirling's series after moving up to x ≥ 10. */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < 10) {
    shift += Math.log(z);
    z++;
  }
  let series = 0;
  for (const [i, coefficient] of STIRLING.entries()) series += coefficient / z ** (2 * i + 1);
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
