/** Simulated tasks by name, with their scripted demonstrators and overseers. */
import { didYouMean, type Environment, ReinError } from '../../../../src/model/index.ts';
import type { EnvironmentOptions } from '../../../../src/offline/index.ts';
import { BaseActionEnvironment } from './base-action.ts';
import type { Demonstrator, Overseer } from './demonstrator.ts';
import { PointEnvironment, PointExpert, PointOverseer } from './point.ts';

/** Task with its scripted agents. Their factories throw `ReinError('config')` if there is none or an option is invalid. */
export interface StudyEnvironment {
  readonly environment: Environment;
  readonly expert: (skill: EnvironmentOptions) => Demonstrator;
  readonly overseer: (options: EnvironmentOptions) => Overseer;
}

/** Environment for trials of the program, without MuJoCo. */
const POINT = 'point';

/**
 * Opens the task `name`; with `base`, the skill of a scripted base policy, whose action becomes part of the observation. The
 * caller closes it. Rejects with `ReinError('config')` for an unknown name or option.
 */
export async function createStudyEnvironment(
  name: string,
  options: EnvironmentOptions,
  base: EnvironmentOptions | null,
): Promise<StudyEnvironment> {
  const made = name === POINT ? point(options) : await simulated(name, options);
  if (base === null) return made;
  try {
    return { ...made, environment: new BaseActionEnvironment(made.environment, made.expert(base)) };
  } catch (error) {
    made.environment.close();
    throw error;
  }
}

function point(options: EnvironmentOptions): StudyEnvironment {
  refuseUnknown('the environment "point"', options, ['isSeen']);
  const environment = new PointEnvironment(options['isSeen'] === true);
  return {
    environment,
    expert: (skill) => {
      refuseUnknown('the expert of "point"', skill, ['actionNoise']);
      return new PointExpert(environment, Number(skill['actionNoise'] ?? 0));
    },
    overseer: () => new PointOverseer(environment),
  };
}

async function simulated(name: string, options: EnvironmentOptions): Promise<StudyEnvironment> {
  const gym = await import('./registry.ts');
  const names: readonly string[] = [...gym.ENVIRONMENT_NAMES, POINT].sort();
  if (!names.includes(name)) {
    const message = `There is no environment called "${name}", there are ${names.join(', ')}${didYouMean(name, names) || '.'}`;
    throw new ReinError('config', message, { remedy: 'Choose one of these.' });
  }
  const environment = await gym.createEnvironment(name, options);
  return {
    environment,
    expert: (skill) => gym.createDemonstrator(environment, skill),
    overseer: (reported) => gym.createOverseer(environment, reported),
  };
}

function refuseUnknown(owner: string, options: EnvironmentOptions, known: readonly string[]): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const remedy = known.length === 0 ? 'It has none.' : `There are: ${known.join(', ')}.`;
  throw new ReinError('config', `${owner} has no option "${unknown}".`, { remedy });
}
