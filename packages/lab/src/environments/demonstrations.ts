/** Demonstrations of a scripted expert in a simulated task, as transitions to learn from. */
import { type Environment, ReinError, type Rng } from '../../../../src/model/index.ts';
import type { DemonstrationSpec } from '../../../../src/offline/index.ts';
import { createTransition, type Transition } from '../../../../src/rows/index.ts';
import type { Demonstrator } from './demonstrator.ts';

/** Maximum attempts per demonstration. */
const TRIES = 20;

/**
 * Yields the steps of `spec.episodes` episodes, drawn from `rng`, each a new object. Throws `ReinError('task')` if the expert
 * fails too often.
 */
export function* demonstrations(
  environment: Environment,
  expert: Demonstrator,
  spec: DemonstrationSpec,
  rng: Rng,
): Generator<Transition> {
  let [shown, tries] = [0, 0];
  while (shown < spec.episodes) {
    if (tries++ >= TRIES * spec.episodes) {
      const message = `The expert of "${environment.name}" succeeded in ${shown} of ${tries - 1} demonstrations only.`;
      throw new ReinError('task', message, { remedy: 'Give it more skill, or keep failures as well.' });
    }
    const { taken, isSuccess } = showOne(environment, expert, rng);
    if (spec.onlySuccesses && isSuccess === false) continue;
    yield* taken;
    shown++;
  }
}

interface Shown {
  readonly taken: readonly Transition[];
  /** `undefined` if the task reports only returns. */
  readonly isSuccess: boolean | undefined;
}

function showOne(environment: Environment, expert: Demonstrator, rng: Rng): Shown {
  const taken: Transition[] = [];
  const action = new Float32Array(environment.actionSize);
  let isSuccess: boolean | undefined;
  environment.reset(rng);
  expert.begin(rng);
  while (taken.length < environment.maxSteps && !environment.isTerminated) {
    const t = createTransition(environment.observation.length, environment.actionSize);
    t.source = 'demo';
    t.step = taken.length;
    t.observation.set(environment.observation);
    expert.act(action);
    t.policyAction.set(action);
    environment.step(action);
    taken.push(completed(t, environment));
    if (environment.isSuccess !== undefined) isSuccess = isSuccess === true || environment.isSuccess;
  }
  return { taken, isSuccess };
}

/** Fills in the outcome of the last step of `environment`. Critics learn from the executed action, after clip and filter. */
export function completed(transition: Transition, environment: Environment): Transition {
  transition.executed.set(environment.executedAction);
  transition.nextObservation.set(environment.observation);
  transition.reward = environment.reward;
  transition.cost = environment.cost;
  transition.terminated = environment.isTerminated;
  transition.truncated = !environment.isTerminated && transition.step + 1 >= environment.maxSteps;
  return transition;
}
