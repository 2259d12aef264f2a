/** The simulated tasks by name. */
import { type Environment, ReinError } from '../../core/index.ts';
import { didYouMean } from '../config/index.ts';
import { PointEnvironment } from './point.ts';

/** What a task is told when it is made; each knows its own keys. */
export type EnvironmentOptions = Readonly<Record<string, string | number | boolean>>;

/** A task, and what can be had beside it. */
export interface StudyEnvironment {
  readonly environment: Environment;
  /** Writes what a scripted expert would do now, [A] in [−1, 1]; absent where a task has none. */
  readonly expert?: (out: Float32Array) => void;
}

/** Makes the task `name`. Throws `ReinError('config')` for a name or an option that nobody knows. */
export async function createStudyEnvironment(name: string, options: EnvironmentOptions): Promise<StudyEnvironment> {
  if (name === 'point') {
    const [unknown] = Object.keys(options);
    if (unknown !== undefined)
      throw new ReinError('config', `The environment "point" has no options, not "${unknown}".`);
    const environment = new PointEnvironment();
    return { environment, expert: (out) => environment.expert(out) };
  }
  throw unknownEnvironment(name);
}

/** All names, sorted. */
export const ENVIRONMENT_NAMES: readonly string[] = ['point'];

function unknownEnvironment(name: string): ReinError {
  const message = `There is no environment called "${name}", there are ${ENVIRONMENT_NAMES.join(', ')}${didYouMean(name, ENVIRONMENT_NAMES)}.`;
  return new ReinError('config', message, { remedy: 'Choose one of these with --env.' });
}
