/**
 * Flow matching: noise moves to an action along a straight line, and a network learns the velocity (Lipman et al.,
 * https://arxiv.org/abs/2210.02747; as a policy: Park et al., https://arxiv.org/abs/2502.02538, section 3).
 */
import { add, clip, mul, square, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { type ActionModel, direction } from './denoiser.ts';

/** A flow integrated in `steps` steps of Euler's method. */
export function flow(actionSize: number, steps: number): ActionModel {
  return {
    noiseSize: actionSize,
    // L = mean over dimensions of (v(s, xₜ, t) − (a − x₀))², xₜ = (1 − t)·x₀ + t·a, x₀ ~ N(0, 1).
    loss: (parameters, { observation, action }, noise, time) => {
      const velocity = sub(action, noise);
      const x = add(noise, mul(velocity, time));
      return reduceMean(square(sub(direction(parameters, observation, x, time), velocity)), [-1]);
    },
    act: (parameters, observation, noise) => {
      let x = noise;
      for (let i = 0; i < steps; i++) x = add(x, mul(direction(parameters, observation, x, i / steps), 1 / steps));
      return clip(x, -1, 1);
    },
  };
}
