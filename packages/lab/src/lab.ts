/** Implements `Lab`, the part of this package used by the robot's own commands. */
import { type Environment, Rng } from '../../../src/model/index.ts';
import type { CollectedData, ExpertData, Lab } from '../../../src/offline/index.ts';
import { demonstrations } from './environments/demonstrations.ts';
import { createStudyEnvironment } from './environments/environments.ts';

export const environmentOf: Lab['environmentOf'] = async ({
  environment: { name, options },
  base,
}): Promise<Environment> => (await createStudyEnvironment(name, options, base)).environment;

export const shown: Lab['shown'] = async (data: ExpertData, seed: number): Promise<CollectedData> => {
  const { name } = data.environment;
  const made = await createStudyEnvironment(name, data.environment.options, data.base);
  const { environment } = made;
  try {
    const expert = made.expert(data.demonstrations.skill);
    const rng = new Rng(seed).fork('demonstrations');
    const transitions = [...demonstrations(environment, expert, data.demonstrations, rng)];
    return { name, parts: environment.parts, actionSize: environment.actionSize, transitions };
  } finally {
    environment.close();
  }
};
