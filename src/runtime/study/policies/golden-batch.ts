/** Whether an exported policy does on the robot's runtime what the learner's networks do. */
import { type Environment, ReinError, Rng } from '../../../core/index.ts';
import { OnnxPolicy } from '../../../policy/index.ts';
import type { Actor } from '../trial/index.ts';

/** Largest difference of an action, which lies in [−1, 1]. */
const TOLERANCE = 1e-4;

/** What a policy was tried on. */
export interface GoldenCheck {
  readonly observations: number;
  readonly maxDifference: number;
}

/**
 * Runs `model` as a robot would, and the learner's own networks, on `observations`, once exploring and once not, with equal
 * random numbers. Throws `ReinError('policy')` where the runtime refuses the model or an action differs by more than 1e-4.
 */
export async function checkGoldenBatch(
  model: Uint8Array,
  learner: Actor,
  observations: readonly Float32Array[],
  sizes: { readonly observationSize: number; readonly actionSize: number },
): Promise<GoldenCheck> {
  const policy = new OnnxPolicy({ ...sizes, schemaHash: '', canaryObservations: observations });
  try {
    const adopted = await policy.adopt(model, 1);
    if (!adopted.ok) throw adopted.error;
    let maxDifference = 0;
    for (const [i, observation] of observations.entries()) {
      for (const purpose of ['evaluate', 'explore'] as const) {
        const [exported, own] = [new Float32Array(sizes.actionSize), new Float32Array(sizes.actionSize)];
        await policy.decide(observation, { rng: new Rng(i), purpose }, exported);
        await learner.act(observation, own, new Rng(i), purpose === 'explore');
        for (const [k, action] of own.entries())
          maxDifference = Math.max(maxDifference, Math.abs(action - exported[k]!));
      }
    }
    if (maxDifference <= TOLERANCE) return { observations: observations.length, maxDifference };
    const message = `The exported policy differs from the learner's by ${maxDifference.toExponential(1)} on ${observations.length} observations, at most ${TOLERANCE} is allowed.`;
    throw new ReinError('policy', message, { remedy: 'Nothing was written. Report it with the folder of the run.' });
  } finally {
    await policy.close();
  }
}

/** `count` observations that occur in `environment` under random actions; always the same. */
export function goldenObservations(environment: Environment, count: number): Float32Array[] {
  const rng = new Rng(1);
  const action = new Float32Array(environment.actionSize);
  const observations: Float32Array[] = [];
  let step = environment.maxSteps;
  while (observations.length < count) {
    if (step >= environment.maxSteps || environment.isTerminated) {
      environment.reset(rng.fork(`episode ${observations.length}`));
      step = 0;
    }
    observations.push(environment.observation.slice());
    for (let i = 0; i < action.length; i++) action[i] = rng.uniformIn(-1, 1);
    environment.step(action);
    step++;
  }
  return observations;
}
