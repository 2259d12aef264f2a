/** Canary trial of new weights before they act: checks that their outputs are finite and sane, and measures the drift from the old. */
import { allFinite, err, ok, ReinError, type Result, Rng } from '../../model/index.ts';

export interface CanaryLimits {
  /** Largest |mean| before tanh. Healthy policies stay below 20. */
  readonly meanMax: number;
  /** Largest log standard deviation before tanh. */
  readonly logStdMax: number;
}

export const DEFAULT_CANARY_LIMITS: CanaryLimits = { meanMax: 200, logStdMax: 20 };

/** Tolerance for rounding: how far an action of the graph may exceed ±1. */
const ACTION_SLACK = 1e-3;

/** Outputs of a network for one trial observation, finite or not. */
export interface TrialOutput {
  /** The action as evaluated, within [−1, 1]; [A]. */
  readonly action: Float32Array;
  /** Gaussian head: mean and log standard deviation, before tanh. */
  readonly gaussian?: { readonly mean: Float32Array; readonly logStd: Float32Array };
  /** Action head: the graph's outputs without noise and, if it takes noise, with noise; not clipped. */
  readonly actions?: readonly Float32Array[];
}

/** Result of the trial. */
export interface CanaryReport {
  /** Largest |mean| before tanh, or largest |action| of an `action` head. */
  readonly outputMax: number;
  /** Largest |action − old action|, both as evaluated, in [0, 2]; 0 without old weights. */
  readonly driftMax: number;
}

/** Fixed batch: all zeros, and 16 draws from N(0, 1). Observations are scaled to about that range. */
export function syntheticCanary(observationSize: number): Float32Array[] {
  const rng = new Rng(20_260_101);
  return Array.from({ length: 17 }, (_, i) => {
    const observation = new Float32Array(observationSize);
    if (i > 0) rng.fillNormal(observation);
    return observation;
  });
}

/** Judges the outputs of new weights and compares them with those of the old, if any, on the same observations. */
export function judgeCanary(
  outputs: readonly TrialOutput[],
  old: readonly TrialOutput[] | undefined,
  limits: CanaryLimits,
): Result<CanaryReport> {
  let outputMax = 0;
  let driftMax = 0;
  for (const [i, output] of outputs.entries()) {
    const { gaussian, actions = [], action } = output;
    const raw = gaussian === undefined ? actions : [gaussian.mean, gaussian.logStd];
    if (!raw.every(allFinite)) return refused('give an output that is not finite');
    const spread = largest(gaussian?.logStd ?? []);
    if (spread > limits.logStdMax) return refused(`give a log-spread of ${spread.toPrecision(3)}`);
    for (const values of gaussian === undefined ? actions : [gaussian.mean]) {
      for (const value of values) outputMax = Math.max(outputMax, Math.abs(value));
    }
    const limit = gaussian === undefined ? 1 + ACTION_SLACK : limits.meanMax;
    if (outputMax > limit) return refused(`give ${gaussian ? 'a mean' : 'an action'} of ${outputMax.toPrecision(3)}`);
    const before = old?.[i]?.action;
    if (before === undefined) continue;
    for (let k = 0; k < action.length; k++) driftMax = Math.max(driftMax, Math.abs(action[k]! - before[k]!));
  }
  return ok({ outputMax, driftMax });
}

function largest(values: Iterable<number>): number {
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) max = Math.max(max, value);
  return max;
}

function refused(what: string): Result<never> {
  return err(
    new ReinError('policy', `The policy's weights ${what} on a trial observation, so they may not act.`, {
      remedy: 'Training has probably diverged: go back to an earlier checkpoint.',
    }),
  );
}
