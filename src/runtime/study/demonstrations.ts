/** What a scripted expert shows in a simulated task, as transitions to learn from. */
import { clamp, createTransition, ReinError, type Rng, type Transition } from '../../core/index.ts';
import type { StudyEnvironment } from './environments.ts';
import type { DemonstrationSpec } from './spec.ts';

/** Tries per demonstration before it is given up. */
const TRIES = 20;

/**
 * Shows `spec.episodes` episodes, drawn from `rng`, and hands each step to `onTransition`; it may keep it. Throws `ReinError('task')`
 * where the task has no expert or the expert fails too often.
 */
export function demonstrate(
  { environment, expert }: StudyEnvironment,
  spec: DemonstrationSpec,
  rng: Rng,
  onTransition: (transition: Transition) => void,
): void {
  if (expert === undefined) {
    throw new ReinError('task', `The environment "${environment.name}" has no expert that could demonstrate.`, {
      remedy: 'Leave the demonstrations out, or choose an environment that has one.',
    });
  }
  let [shown, tries] = [0, 0];
  while (shown < spec.episodes) {
    if (tries++ >= TRIES * spec.episodes) {
      const message = `The expert of "${environment.name}" succeeded in ${shown} of ${tries - 1} demonstrations only.`;
      throw new ReinError('task', message, { remedy: 'Add less noise to its actions, or keep failures as well.' });
    }
    const { taken, isSuccess } = showOne({ environment, expert }, spec.noise, rng);
    if (spec.onlySuccesses && isSuccess === false) continue;
    for (const transition of taken) onTransition(Object.assign(transition, { episode: shown, segment: shown }));
    shown++;
  }
}

interface Shown {
  readonly taken: readonly Transition[];
  /** `undefined` where the task knows only returns. */
  readonly isSuccess: boolean | undefined;
}

function showOne({ environment, expert }: Required<StudyEnvironment>, noise: number, rng: Rng): Shown {
  const taken: Transition[] = [];
  let isSuccess: boolean | undefined;
  const action = new Float32Array(environment.actionSize);
  environment.reset(rng);
  while (taken.length < environment.maxSteps && !environment.isTerminated) {
    expert(action);
    for (let i = 0; i < action.length; i++) action[i] = clamp(action[i]! + noise * rng.normal(), -1, 1);
    const t = createTransition(environment.observation.length, environment.actionSize);
    t.source = 'demo';
    t.observation.set(environment.observation);
    environment.step(action);
    taken.push(completed(t, environment, action, taken.length));
    if (environment.isSuccess !== undefined) isSuccess = isSuccess === true || environment.isSuccess;
  }
  return { taken, isSuccess };
}

/** Fills in what came of `action`: everything of `transition` but its first observation. */
export function completed(
  transition: Transition,
  environment: StudyEnvironment['environment'],
  action: Float32Array,
  step: number,
): Transition {
  transition.step = step;
  transition.policyAction.set(action);
  transition.executed.set(action);
  transition.nextObservation.set(environment.observation);
  transition.reward = environment.reward;
  transition.cost = environment.cost;
  transition.terminated = environment.isTerminated;
  transition.truncated = !environment.isTerminated && step + 1 >= environment.maxSteps;
  return transition;
}
