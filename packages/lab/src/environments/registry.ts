/** Environments by name. */
import { type Environment, ReinError } from '../../../../src/model/index.ts';
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

/** Names accepted by `createEnvironment`. */
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(ENVIRONMENTS);

/**
 * Opens the environment `name` with `options`, each of which has a default; the environment's file lists them. The
 * caller closes it. Throws `ReinError('config')` for an unknown name or option.
 */
export async function createEnvironment(name: string, options: OptionValues = {}): Promise<Environment> {
  if (!ENVIRONMENT_NAMES.includes(name)) throw unknownName('environment', name, ENVIRONMENT_NAMES);
  return ENVIRONMENTS[name]!(options);
}

/** Returns a demonstrator for `environment` with the skill of `options`. Throws `ReinError('config')` if there is none for it. */
export function createDemonstrator(environment: Environment, options: OptionValues = {}): Demonstrator {
  if (environment instanceof InsertEnvironment) return new InsertDemonstrator(environment, options);
  if (environment instanceof Fork) return new ForkDemonstrator(environment, options);
  if (environment instanceof ContactPush) return new ContactPushDemonstrator(environment, options);
  throw nobody('demonstrator', environment);
}

/** Returns a correcting overseer for `environment`. Throws `ReinError('config')` if there is none for it. */
export function createOverseer(environment: Environment, options: OptionValues = {}): Overseer {
  if (environment instanceof InsertEnvironment) return new InsertOverseer(environment, options);
  throw nobody('overseer', environment);
}

function nobody(what: string, { name }: Environment): ReinError {
  return new ReinError('config', `the environment "${name}" has no scripted ${what}`);
}
