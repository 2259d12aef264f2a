/**
 * Plugins: drivers, tasks, policies, operators and algorithms of others, which a configuration names by module path or by
 * the name of an installed package. `files/load-plugin.ts` finds and loads them; what each kind has to give stands with the
 * contract that it implements.
 */

/** Version of the contract that a plugin of each kind is written against. A change that breaks plugins counts up. */
export const PLUGIN_CONTRACTS = { driver: 1, task: 1, policy: 1, operator: 1, algorithm: 1 } as const;

export type PluginKind = keyof typeof PLUGIN_CONTRACTS;

/** The function by which a plugin of each kind is begun. */
export const PLUGIN_ENTRIES: Readonly<Record<PluginKind, string>> = {
  driver: 'create',
  task: 'create',
  policy: 'open',
  operator: 'create',
  algorithm: 'create',
};

export const PLUGIN_KINDS: readonly PluginKind[] = Object.keys(PLUGIN_CONTRACTS) as PluginKind[];

/** What the default export of a plugin's module says of itself; `package.json` of an installed one has the same under `rein`. */
export interface PluginMark<K extends PluginKind = PluginKind> {
  readonly kind: K;
  /** `PLUGIN_CONTRACTS` as of when it was written. */
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
  return { ...body, rein: { kind, contract: PLUGIN_CONTRACTS[kind] } };
}
