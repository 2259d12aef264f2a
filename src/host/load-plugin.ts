/**
 * Finds and loads plugins. A module runs with all rights of the process that loads it, so it comes only from where a user of
 * this machine put it: a path in a configuration file, or an installed package. Never from the wire.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { didYouMean, ReinError } from '../model/index.ts';
import {
  PLUGIN_CONTRACTS,
  PLUGIN_KINDS,
  type PluginBase,
  type PluginKind,
  type PluginMark,
  type PluginReference,
} from './plugin.ts';

/** Location of a plugin, or the reason why it cannot be used, as a sentence without its full stop. */
export type FoundPlugin =
  | { readonly file: string; readonly trouble?: never }
  | { readonly trouble: string; readonly file?: never };

/** An installed package whose `package.json` declares that it is a plugin. */
export interface InstalledPlugin {
  /** Name of the package. */
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly kind: string;
  readonly contract: unknown;
  /** Its module, or the reason why it cannot be used. */
  readonly found: FoundPlugin;
}

/**
 * Resolves the plugin `name` of a configuration file in `folder`: `./x.js` and the like are paths relative to it; anything
 * else is a package that is installed there or above and declares `"rein": { "kind": …, "contract": … }`. Loads nothing.
 */
export function findPlugin(kind: PluginKind, name: string, folder: string): FoundPlugin {
  if (isModulePath(name)) {
    const file = resolve(folder, name);
    if (!existsSync(file)) return { trouble: `there is no file ${file}` };
    return statSync(file).isFile() ? { file } : { trouble: `${file} is no file: name the module in it` };
  }
  const home = packageFolders(folder)
    .map((packages) => join(packages, name))
    .find((path) => existsSync(join(path, 'package.json')));
  if (home !== undefined) return readPackage(home, kind).found;
  const others = installedPlugins(folder).filter((plugin) => plugin.kind === kind);
  const names = others.map((plugin) => plugin.name);
  return {
    trouble: `no package called "${name}" is installed in ${folder} or above${didYouMean(name, names)}; a path begins with ./, ../ or /`,
  };
}

/** True if `name` is the path of a module rather than a package name. */
function isModulePath(name: string): boolean {
  return name.startsWith('./') || name.startsWith('../') || isAbsolute(name);
}

/** Plugins among the packages installed in `folder` or above, nearest first; each package once. */
export function installedPlugins(folder: string): readonly InstalledPlugin[] {
  const plugins = new Map<string, InstalledPlugin>();
  for (const home of packageFolders(folder).flatMap(packagesIn)) {
    const plugin = readPackage(home);
    if (plugin.kind !== '' && !plugins.has(plugin.name)) plugins.set(plugin.name, plugin);
  }
  return [...plugins.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `node_modules` of `folder` and its ancestors, where Node looks for packages; not the global folders shared by all users. */
function packageFolders(folder: string): readonly string[] {
  const folders = createRequire(join(resolve(folder), 'package.json')).resolve.paths('rein') ?? [];
  return folders.filter((path) => basename(path) === 'node_modules' && existsSync(path));
}

function packagesIn(packages: string): readonly string[] {
  return namesIn(packages).flatMap((name) => {
    const path = join(packages, name);
    return name.startsWith('@') ? namesIn(path).map((inner) => join(path, inner)) : [path];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

/** Reads the plugin mark from `package.json` in `folder`; `kind` is empty if it is no plugin. `wanted`: the requested kind. */
function readPackage(folder: string, wanted?: PluginKind): InstalledPlugin {
  let text: string;
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8');
  } catch {
    return {
      name: folder,
      version: '',
      folder,
      kind: '',
      contract: undefined,
      found: { trouble: 'it has no package.json' },
    };
  }
  let json: { name?: unknown; version?: unknown; rein?: unknown; exports?: unknown } = {};
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    // Reported as a package that declares nothing.
  }
  const mark = (typeof json?.rein === 'object' && json.rein !== null ? json.rein : {}) as Partial<PluginMark>;
  const name = typeof json?.name === 'string' ? json.name : folder;
  const kind = typeof mark.kind === 'string' ? mark.kind : '';
  const version = typeof json?.version === 'string' ? json.version : '';
  const trouble =
    json?.rein === undefined
      ? `the package ${name} declares no "rein" in its package.json`
      : markTrouble(`the package ${name}`, mark, wanted);
  const found = trouble === undefined ? entryOf(folder, name, json?.exports) : { trouble };
  return { name, version, folder, kind, contract: mark.contract, found };
}

/** Resolves the module of a package for `import`. */
function entryOf(folder: string, name: string, exports: unknown): FoundPlugin {
  const stated = exports === undefined ? undefined : statedEntry(exports);
  try {
    const entry =
      stated === undefined ? createRequire(join(folder, 'package.json')).resolve(folder) : join(folder, stated);
    if (existsSync(entry)) return { file: realpathSync(entry) };
  } catch {
    // Reported below, like a missing file.
  }
  return {
    trouble: `the package ${name} has no module that could be loaded: its main or exports name none that exists`,
  };
}

/** The file of `.` in a package's `exports`, by Node's conditions for `import`. */
function statedEntry(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  for (const [condition, target] of Object.entries(exports)) {
    if (!['.', 'node', 'import', 'module-sync', 'default'].includes(condition)) continue;
    const entry = statedEntry(target);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Returns why a plugin with this mark cannot be used as `wanted`; `undefined` if it can. */
function markTrouble(what: string, mark: Partial<PluginMark>, wanted?: PluginKind): string | undefined {
  const { kind, contract } = mark;
  if (kind === undefined || !PLUGIN_KINDS.includes(kind)) {
    return `${what} declares the unknown kind ${JSON.stringify(kind) ?? 'undefined'}; there are ${PLUGIN_KINDS.join(', ')}`;
  }
  if (wanted !== undefined && kind !== wanted)
    return `${what} is ${article(kind)}, and ${article(wanted)} is asked for here`;
  const { version, changes } = PLUGIN_CONTRACTS[kind];
  if (contract === undefined) return `${what} gives no contract: write "contract": ${version} beside its kind`;
  if (contract !== version) {
    return `${what} is written against version ${JSON.stringify(contract) ?? 'undefined'} of the contract for ${kind}s, and this Rein has version ${version}${changes === undefined ? '' : `: see ${changes}`}`;
  }
  return undefined;
}

function article(kind: PluginKind): string {
  return /^[aeo]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** A plugin's default export: the members that every kind has. */
export type LoadedPlugin<P> = P & PluginBase<unknown> & { readonly rein: PluginMark };

/**
 * Loads the plugin of `kind` (`undefined`: any kind) in `file`, an absolute path, and checks its mark and its kind's entry
 * function. Cached per process: the same file returns the same object. Throws `ReinError('config')` in one sentence, whatever
 * the module does wrong; a module must not await while it loads.
 */
export function loadPlugin<P extends object>(kind: PluginKind | undefined, file: string): LoadedPlugin<P> {
  const plugin = defaultExportOf(kind ?? 'module', file);
  const trouble = plugin === undefined ? `${file} has no default export` : exportTrouble(file, plugin, kind);
  if (trouble === undefined) return plugin as LoadedPlugin<P>;
  throw new ReinError('config', `${trouble[0]!.toUpperCase()}${trouble.slice(1)}.`, { remedy: remedyOf(kind) });
}

function remedyOf(kind: PluginKind | undefined): string {
  const [define, ...others] = (kind === undefined ? PLUGIN_KINDS : [kind]).map(
    (name) => `define${name[0]!.toUpperCase()}${name.slice(1)}`,
  );
  const or = others.length === 0 ? '' : `, or with ${others.join(', ')}`;
  return `Let the module end with \`export default ${define}({ … })\`${or}, imported from 'rein'; examples/ has one.`;
}

/** Returns why a default export cannot be used as `wanted`; `undefined` if it can. */
function exportTrouble(file: string, plugin: Record<string, unknown>, wanted?: PluginKind): string | undefined {
  const mark = markOf(plugin);
  if (mark === undefined) return `the default export of ${file} is no plugin`;
  return (
    markTrouble(`the plugin ${file}`, mark, wanted) ??
    memberTrouble(file, plugin, PLUGIN_CONTRACTS[mark.kind as PluginKind].entry)
  );
}

function defaultExportOf(kind: PluginKind | 'module', file: string): Record<string, unknown> | undefined {
  let exports: unknown;
  try {
    exports = createRequire(file)(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException)?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
      throw new ReinError('config', `The ${kind} ${file} awaits something while it loads.`, {
        remedy: 'Await it where the plugin is opened: a module has to be there at once.',
        cause,
      });
    }
    const why = cause instanceof Error ? `${cause.name}: ${cause.message.split('\n')[0]}` : `it threw ${String(cause)}`;
    throw new ReinError('config', `The ${kind} ${file} cannot be loaded: ${why}.`, {
      remedy: loadRemedy(cause, file),
      cause,
    });
  }
  const found = (exports as { default?: unknown } | undefined)?.default ?? undefined;
  // A number or a function is a default export too, but no plugin: it has no mark.
  return found === undefined ? undefined : (Object(found) as Record<string, unknown>);
}

function loadRemedy(cause: unknown, file: string): string {
  if (isScript(cause)) return 'Put "type": "module" into the package.json beside it, or call the file .mjs.';
  if (!existsSync(file)) return 'Give the path of a file that is there.';
  const missing = /^Cannot find (?:package|module) '((?:@[^/':]+\/)?[A-Za-z0-9@_][^/':]*)[/']/.exec(
    cause instanceof Error ? cause.message : '',
  )?.[1];
  if (missing === undefined) return `Try it alone: node ${file}`;
  // Rein is in no registry: it is installed from a locally built package.
  const installed =
    missing === 'rein'
      ? "--ignore-scripts rein-<version>.tgz, which npm run package writes in Rein's checkout"
      : missing;
  return `In ${dirname(file)}: npm install ${installed}`;
}

/** True if Node parsed a module as a script, as it does unless package.json says otherwise. */
function isScript(cause: unknown): boolean {
  return (
    cause instanceof SyntaxError && /import statement outside a module|Unexpected token 'export'/.test(cause.message)
  );
}

function markOf(plugin: Record<string, unknown>): Partial<PluginMark> | undefined {
  const mark = plugin['rein'];
  return typeof mark === 'object' && mark !== null ? (mark as Partial<PluginMark>) : undefined;
}

function memberTrouble(file: string, plugin: Record<string, unknown>, entry: string): string | undefined {
  if (typeof plugin['name'] !== 'string' || plugin['name'] === '') return `the plugin ${file} has no name`;
  if (typeof plugin[entry] !== 'function') return `the plugin ${file} has no function called ${entry}`;
  const { options } = plugin;
  if (options === undefined || typeof (options as { parse?: unknown } | null)?.parse === 'function') return undefined;
  return `\`options\` of the plugin ${file} has no function called parse`;
}

/**
 * Loads the plugin of `kind` that a configuration refers to, and lets it check the configured options. Throws as `loadPlugin`
 * and `pluginOptions` do.
 */
export function openPlugin<P extends object>(
  kind: PluginKind,
  { module, options }: PluginReference,
): { readonly plugin: LoadedPlugin<P>; readonly options: unknown } {
  const plugin = loadPlugin<P>(kind, module);
  return { plugin, options: pluginOptions(plugin, options, module) };
}

/**
 * Checks that `given`, returned by the plugin `name`, has the functions of its kind. Returns the caller's reject function for
 * further checks: it takes a clause about what was returned. Both throw the kind's `ReinError`.
 */
export function checkGiven(kind: PluginKind, name: string, given: unknown): (clause: string) => never {
  const { entry, functions, error, remedy } = PLUGIN_CONTRACTS[kind];
  const refuse = (clause: string): never => {
    throw new ReinError(error, `The ${kind} ${name} cannot be used: ${clause}.`, { remedy });
  };
  if (typeof given !== 'object' || given === null) return refuse(`${entry}() gave no object`);
  const missing = functions.find((method) => typeof (given as Record<string, unknown>)[method] !== 'function');
  return missing === undefined ? refuse : refuse(`it has no function called ${missing}`);
}

/** Validates the configured options with the plugin in `module`. Throws `ReinError('config')` with the plugin's message. */
export function pluginOptions(plugin: PluginBase<unknown>, options: unknown, module: string): unknown {
  if (plugin.options === undefined) return options;
  try {
    return plugin.options.parse(options ?? {});
  } catch (cause) {
    throw new ReinError('config', `The options of ${plugin.name} are wrong: ${optionTrouble(cause)}.`, {
      remedy: `Correct \`options\` in the YAML file that names the module ${module}.`,
      cause,
    });
  }
}

/** zod's issues in one line; the message of any other error. */
function optionTrouble(cause: unknown): string {
  const issues = (cause as { issues?: unknown } | null)?.issues;
  if (Array.isArray(issues) && issues.length > 0) {
    return issues
      .map(({ path, message }: { path?: readonly PropertyKey[]; message?: string }) => {
        const at = path === undefined || path.length === 0 ? '' : `${path.map(String).join('.')}: `;
        return `${at}${message ?? 'not allowed'}`;
      })
      .join('; ');
  }
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
}
