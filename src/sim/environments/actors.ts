/** Who acts by a script in which environment. */
import { type Environment, ReinError } from '../../core/index.ts';
import { ContactPush } from './contact-push.ts';
import { ContactPushDemonstrator } from './contact-push-demonstrator.ts';
import type { Demonstrator, Overseer } from './demonstrator.ts';
import { Fork, ForkDemonstrator } from './fork.ts';
import { InsertDemonstrator, InsertOverseer } from './insert-demonstrator.ts';
import { InsertEnvironment } from './insert-environment.ts';
import type { OptionValues } from './options.ts';

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
