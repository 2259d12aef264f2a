/** The trial of new weights before they act: are their outputs finite and sane, and how far are they from the old ones. */
import { allFinite, err, ok, ReinError, type Result, Rng } from '../../core/index.ts';
import type { PolicyOutput } from '../policy.ts';

export interface CanaryLimits {
  /** Largest |mean| before tanh. Healthy policies stay below 20. */
  readonly meanMax: number;
  /** Largest log-spread before tanh. */
  readonly logStdMax: number;
}

export const DEFAULT_CANARY_LIMITS: CanaryLimits = { meanMax: 200, logStdMax: 20 };

/** What the trial showed. */
export interface CanaryReport {
  /** Largest |mean| seen. */
  readonly meanMax: number;
  /** Largest |tanh(mean) − tanh(old mean)|, in [0, 2]; 0 where there were no old weights. */
  readonly driftMax: number;
}

/** A fixed batch: all zeros, and 16 draws from N(0, 1). Observations are scaled to about that. */
export function syntheticCanary(observationSize: number): Float32Array[] {
  const rng = new Rng(20_260_101);
  return Array.from({ length: 17 }, (_, i) => {
    const observation = new Float32Array(observationSize);
    if (i > 0) rng.fillNormal(observation);
    return observation;
  });
}

/** Judges the outputs of new weights, and compares them with those of the old on the same observations, if any. */
export function judgeCanary(
  outputs: readonly PolicyOutput[],
  old: readonly PolicyOutput[] | undefined,
  limits: CanaryLimits,
): Result<CanaryReport> {
  let meanMax = 0;
  let driftMax = 0;
  for (const [i, { mean, logStd }] of outputs.entries()) {
    if (!allFinite(mean) || !allFinite(logStd)) return refused('give an output that is not finite');
    for (let k = 0; k < mean.length; k++) {
      meanMax = Math.max(meanMax, Math.abs(mean[k]!));
      if (logStd[k]! > limits.logStdMax) return refused(`give a log-spread of ${logStd[k]!.toPrecision(3)}`);
      const before = old?.[i]?.mean[k];
      if (before !== undefined) driftMax = Math.max(driftMax, Math.abs(Math.tanh(mean[k]!) - Math.tanh(before)));
    }
  }
  if (meanMax > limits.meanMax) return refused(`give a mean of ${meanMax.toPrecision(3)}`);
  return ok({ meanMax, driftMax });
}

function refused(what: string): Result<never> {
  return err(
    new ReinError('policy', `The policy's weights ${what} on a trial observation, so they may not act.`, {
      remedy: 'Training has probably diverged: go back to an earlier checkpoint.',
    }),
  );
}
