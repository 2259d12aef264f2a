/** The simulated tasks by name, with who can act in them without having learned. */
import { didYouMean, type Environment, ReinError } from '../../../../src/core/index.ts';
import type { EnvironmentOptions } from '../../../../src/offline/index.ts';
import { BaseActionEnvironment } from './base-action.ts';
import type { Demonstrator, Overseer } from './demonstrator.ts';
import { PointEnvironment, PointExpert, PointOverseer } from './point.ts';

/** A task, and who can be had for it. Each of these throws `ReinError('config')` where there is nobody or an option is wrong. */
export interface StudyEnvironment {
  readonly environment: Environment;
  readonly expert: (skill: EnvironmentOptions) => Demonstrator;
  readonly overseer: (options: EnvironmentOptions) => Overseer;
}

/** The environment for trying things out, without MuJoCo. */
const POINT = 'point';

/**
 * Makes the task `name`; with `base`, the skill of a scripted base policy, its action is a part of what is observed. The
 * caller closes it. Rejects with `ReinError('config')` for a name or an option that there is not.
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
