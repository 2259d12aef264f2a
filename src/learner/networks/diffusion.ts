/**
 * A denoising diffusion model as a policy (Ho et al., https://arxiv.org/abs/2006.11239), with the variance-preserving schedule of
 * Diffusion-QL (Wang et al., https://arxiv.org/abs/2208.06193, section 3).
 */

import type { Tensor } from '../engine/graph.ts';
import { add, clip, less, mul, sqrt, square, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reduceSum, slice } from '../ops/shape.ts';
import { type ActionModel, direction } from './denoiser.ts';

/** The schedule's β_min and β_max. */
const [LEAST, MOST] = [0.1, 10];

/** α of each step, 1 … `steps`: αᵢ = exp(−β_min/T − ½(β_max − β_min)(2i − 1)/T²). */
export function alphas(steps: number): number[] {
  return Array.from({ length: steps }, (_, k) =>
    Math.exp(-LEAST / steps - (0.5 * (MOST - LEAST) * (2 * k + 1)) / steps ** 2),
  );
}

/** A diffusion of `steps` steps; the network predicts the noise. Every step except the last adds fresh noise. */
export function diffusion(actionSize: number, steps: number): ActionModel {
  const alpha = alphas(steps);
  const kept = alpha.map((_, i) => alpha.slice(0, i + 1).reduce((product, a) => product * a));
  const part = (noise: Tensor, i: number) => slice(noise, -1, i * actionSize, (i + 1) * actionSize);
  return {
    noiseSize: actionSize * steps,
    // L = mean over dimensions of (ε − ε_θ(s, √ᾱᵢ·a + √(1 − ᾱᵢ)·ε, i))², i uniform.
    loss: (parameters, { observation, action }, noise, time) => {
      const chosen = stepOf(time, steps);
      const pick = (values: readonly number[]) => reduceSum(mul(chosen, time.graph.constant(values, [1, steps])), [-1]);
      const keep = pick(kept);
      const x = add(mul(sqrt(keep), action), mul(sqrt(sub(1, keep)), noise));
      const guess = direction(parameters, observation, x, pick(kept.map((_, i) => i / steps)));
      return reduceMean(square(sub(guess, noise)), [-1]);
    },
    // x ← (x − (1 − αᵢ)/√(1 − ᾱᵢ)·ε_θ)/√αᵢ + √(1 − αᵢ)·z, clipped to the action range, from i = T to 1; no z in the last step.
    act: (parameters, observation, noise) => {
      let x = part(noise, 0);
      for (let i = steps - 1; i >= 0; i--) {
        const guess = direction(parameters, observation, x, i / steps);
        const a = alpha[i]!;
        x = mul(sub(x, mul(guess, (1 - a) / Math.sqrt(1 - kept[i]!))), 1 / Math.sqrt(a));
        if (i > 0) x = add(x, mul(part(noise, steps - i), Math.sqrt(1 - a)));
        x = clip(x, -1, 1);
      }
      return x;
    },
  };
}

/** ⌊time·steps⌋ as one-hot rows, [B, steps]. */
function stepOf(time: Tensor, steps: number): Tensor {
  const edges = (from: number) =>
    time.graph.constant(
      Float64Array.from({ length: steps }, (_, i) => (i + from) / steps),
      [1, steps],
    );
  return sub(less(time, edges(1)), less(time, edges(0)));
}
