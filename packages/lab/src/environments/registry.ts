/** Environments by name. */
import { type Environment, ReinError } from '../../../../src/core/index.ts';
import { ContactPush, ContactPushDemonstrator } from './contact-push.ts';
import type { Demonstrator, Overseer } from './demonstrator.ts';
import { Fork, ForkDemonstrator } from './fork.ts';
import { Hopper } from './hopper.ts';
import { InsertDemonstrator, InsertOverseer } from './insert-demonstrator.ts';
import { InsertEnvironment } from './insert-environment.ts';
import { type OptionValues, unknownName } from './options.ts';
import { Pendulum } from './pendulum.ts';
import { Quadrotor } from './quadrotor.ts';
import { Reacher } from './reacher.ts';

const ENVIRONMENTS: Readonly<Record<string, (options: OptionValues) => Promise<Environment>>> = {
  pendulum: Pendulum.open,
  reacher: Reacher.open,
  hopper: Hopper.open,
  quadrotor: Quadrotor.open,
  fork: Fork.open,
  'contact-push': ContactPush.open,
  'insert-state': (options) => InsertEnvironment.open('insert-state', options),
  'insert-depth': (options) => InsertEnvironment.open('insert-depth', options),
};

/** All that `createEnvironment` knows. */
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(ENVIRONMENTS);

/**
 * Opens the environment `name` with `options`, each of which has a default; which there are says the environment's file. The
 * caller closes it. Throws `ReinError('config')` for a name or an option that there is not.
 */
export async function createEnvironment(name: string, options: OptionValues = {}): Promise<Environment> {
  if (!ENVIRONMENT_NAMES.includes(name)) throw unknownName('environment', name, ENVIRONMENT_NAMES);
  return ENVIRONMENTS[name]!(options);
}

/** A demonstrator for `environment`, skilled as `options` say. Throws `ReinError('config')` where nobody can demonstrate. */
export function createDemonstrator(environment: Environment, options: OptionValues = {}): Demonstrator {
  if (environment instanceof InsertEnvironment) return new InsertDemonstrator(environment, options);
  if (environment instanceof Fork) return new ForkDemonstrator(environment, options);
  if (environment instanceof ContactPush) return new ContactPushDemonstrator(environment, options);
  throw nobody('demonstrator', environment);
}

/** A person who corrects in `environment`. Throws `ReinError('config')` where there is none. */
export function createOverseer(environment: Environment, options: OptionValues = {}): Overseer {
  if (environment instanceof InsertEnvironment) return new InsertOverseer(environment, options);
  throw nobody('overseer', environment);
}

function nobody(what: string, { name }: Environment): ReinError {
  return new ReinError('config', `the environment "${name}" has no scripted ${what}`);
}
