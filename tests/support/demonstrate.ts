import type { Demonstrator } from '../../packages/lab/src/environments/demonstrator.ts';
import type { Environment, Rng } from '../../src/model/index.ts';

/** One episode. T steps; the arrays belong to the caller. */
export interface Demonstration {
  /** [(T + 1)·O], the first before any action. */
  readonly observations: Float32Array;
  /** [T·A], clipped to [−1, 1] as executed. */
  readonly actions: Float32Array;
  /** [T] */
  readonly rewards: Float32Array;
  /** The last step ended the task; otherwise the episode was cut. */
  readonly isTerminated: boolean;
  readonly isSuccess: boolean;
}

/** Lets `demonstrator` act for one episode that is drawn from `rng`, whatever comes of it. */
export function demonstrate(environment: Environment, demonstrator: Demonstrator, rng: Rng): Demonstration {
  const { maxSteps, actionSize } = environment;
  const size = environment.observation.length;
  const observations = new Float32Array((maxSteps + 1) * size);
  const actions = new Float32Array(maxSteps * actionSize);
  const rewards = new Float32Array(maxSteps);
  const action = new Float32Array(actionSize);
  environment.reset(rng);
  demonstrator.begin(rng);
  observations.set(environment.observation, 0);
  let steps = 0;
  let isSuccess = false;
  while (steps < maxSteps && !environment.isTerminated) {
    demonstrator.act(action);
    environment.step(action);
    for (let i = 0; i < actionSize; i++) actions[steps * actionSize + i] = Math.max(-1, Math.min(1, action[i]!));
    rewards[steps] = environment.reward;
    steps++;
    observations.set(environment.observation, steps * size);
    isSuccess ||= environment.isSuccess === true;
  }
  return {
    observations: observations.slice(0, (steps + 1) * size),
    actions: actions.slice(0, steps * actionSize),
    rewards: rewards.slice(0, steps),
    isTerminated: environment.isTerminated,
    isSuccess,
  };
}
