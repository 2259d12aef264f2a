/**
 * Plugins: third-party drivers, tasks, policies, operators and algorithms, which a configuration names by module path or by the
 * name of an installed package. `files/load-plugin.ts` finds and loads them; the requirements of each kind are documented with
 * the contract that it implements.
 */
import type { ErrorKind } from '../model/index.ts';

export type PluginKind = 'driver' | 'task' | 'policy' | 'operator' | 'algorithm';

/** Requirements of a plugin kind. */
interface PluginContract {
  /** Version of the contract. Incremented by a change that breaks plugins. */
  readonly version: number;
  /** Documentation on how to migrate a plugin from the previous version. */
  readonly changes?: string;
  /** Function that is called first. */
  readonly entry: 'create' | 'open';
  /** Required functions of the object that it returns. */
  readonly functions: readonly string[];
  /** If something is missing: kind of the error, and a remedy that names the public type. */
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
      'See the type Driver of rein; docs/add-a-driver.md#from-version-1-to-2 shows how to migrate a driver of version 1.',
  },
  task: {
    version: 1,
    entry: 'create',
    functions: ['drawLayout', 'observe', 'judge'],
    error: 'task',
    remedy: 'See the type Task of rein.',
  },
  policy: {
    version: 1,
    entry: 'open',
    functions: ['decide', 'close'],
    error: 'policy',
    remedy: 'See the type Policy of rein.',
  },
  operator: {
    version: 1,
    entry: 'create',
    functions: ['poll', 'reset', 'close'],
    error: 'config',
    remedy: 'See the type TeleopSource of rein.',
  },
  algorithm: {
    version: 1,
    entry: 'create',
    functions: ['networks', 'policy'],
    error: 'config',
    remedy: 'See the type Algorithm of rein/learner; to begin, spread an algorithm of rein/learner.',
  },
};

export const PLUGIN_KINDS: readonly PluginKind[] = Object.keys(PLUGIN_CONTRACTS) as PluginKind[];

/** Mark on the default export of a plugin's module; `package.json` of an installed one has the same under `rein`. */
export interface PluginMark<K extends PluginKind = PluginKind> {
  readonly kind: K;
  /** Version of the contract that it was written against. */
  readonly contract: number;
}

/** A plugin as a configuration refers to it, once resolved. Plain data. */
export interface PluginReference {
  /** Absolute path of the module's file. */
  readonly module: string;
  /** As in the configuration; checked by the plugin's own `options`, if it has any. */
  readonly options?: unknown;
}

/** Members that every plugin may have besides those of its kind. */
export interface PluginBase<O> {
  /** Display name, in messages and records. */
  readonly name: string;
  /** Checks the configured options and fills in defaults; throws if they are wrong. A zod schema is one. */
  readonly options?: { parse(value: unknown): O };
}

/** Returns `body` as a plugin of `kind`, written against the contract of this version of Rein. */
export function markPlugin<K extends PluginKind, B extends object>(
  kind: K,
  body: B,
): B & { readonly rein: PluginMark<K> } {
  return { ...body, rein: { kind, contract: PLUGIN_CONTRACTS[kind].version } };
}
