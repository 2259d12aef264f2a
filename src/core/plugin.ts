/**
 * Plugins: drivers, tasks, policies, operators and algorithms of others, which a configuration names by module path or by
 * the name of an installed package. `files/load-plugin.ts` finds and loads them; what each kind has to give stands with the
 * contract that it implements.
 */
import type { ErrorKind } from './result.ts';

export type PluginKind = 'driver' | 'task' | 'policy' | 'operator' | 'algorithm';

/** What a plugin of one kind is held to. */
interface PluginContract {
  /** What plugins are written against. A change that breaks them counts up. */
  readonly version: number;
  /** Where it stands how a plugin of the version before is changed. */
  readonly changes?: string;
  /** The function by which it is begun. */
  readonly entry: 'create' | 'open';
  /** Functions of what that gives. */
  readonly functions: readonly string[];
  /** Where something is missing: of which kind the error is, and which public type says what has to be there. */
  readonly error: ErrorKind;
  readonly remedy: string;
}

export const PLUGIN_CONTRACTS: Readonly<Record<PluginKind, PluginContract>> = {
  driver: {
    version: 2,
    changes: 'docs/add-a-driver.md#from-version-1-to-2',
    entry: 'create',
    functions: ['open', 'read', 'write', 'torque', 'service', 'takeNotice', 'close'],
    error: 'driver',
    remedy:
      'The type Driver of rein says what a driver gives; docs/add-a-driver.md#from-version-1-to-2 how one of version 1 is changed.',
  },
  task: {
    version: 1,
    entry: 'create',
    functions: ['drawLayout', 'observe', 'judge'],
    error: 'task',
    remedy: 'The type Task of rein says what a task gives.',
  },
  policy: {
    version: 1,
    entry: 'open',
    functions: ['decide', 'close'],
    error: 'policy',
    remedy: 'The type Policy of rein says what a policy gives.',
  },
  operator: {
    version: 1,
    entry: 'create',
    functions: ['poll', 'reset', 'close'],
    error: 'config',
    remedy: 'The type TeleopSource of rein says what an operator gives.',
  },
  algorithm: {
    version: 1,
    entry: 'create',
    functions: ['networks', 'policy'],
    error: 'config',
    remedy:
      'The type Algorithm of rein/learner says what an algorithm gives; spread one of rein/learner to begin with.',
  },
};

export const PLUGIN_KINDS: readonly PluginKind[] = Object.keys(PLUGIN_CONTRACTS) as PluginKind[];

/** What the default export of a plugin's module says of itself; `package.json` of an installed one has the same under `rein`. */
export interface PluginMark<K extends PluginKind = PluginKind> {
  readonly kind: K;
  /** Its version as of when it was written. */
  readonly contract: number;
}

/** A plugin as a configuration names it, once it has been found. Plain data. */
export interface PluginReference {
  /** Absolute path of the module's file. */
  readonly module: string;
  /** As the configuration has them; checked by the plugin's own `options`, where it has any. */
  readonly options?: unknown;
}

/** What every plugin may have beside what its kind asks for. */
export interface PluginBase<O> {
  /** For people, in messages and records. */
  readonly name: string;
  /** Checks the options of a configuration and fills in defaults; throws where they are wrong. A zod schema is one. */
  readonly options?: { parse(value: unknown): O };
}

/** `body` as a plugin of `kind`, written against the contract of this version of Rein. */
export function markPlugin<K extends PluginKind, B extends object>(
  kind: K,
  body: B,
): B & { readonly rein: PluginMark<K> } {
  return { ...body, rein: { kind, contract: PLUGIN_CONTRACTS[kind].version } };
}
