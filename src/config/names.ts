/** Location of configuration files: names refer to files in `config/`, anything else is a path. */
import { readdirSync } from 'node:fs';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean, ReinError } from '../model/index.ts';
import { type Place, problemsError } from './text/place.ts';
import { readText } from './text/read-text.ts';
import { parseYaml, type YamlFile } from './text/read-yaml.ts';
import { shown } from './text/shown.ts';

export type ConfigKind = 'robot' | 'task' | 'learner' | 'study';

/** Folder of each kind inside `config/`. */
const FOLDERS: Readonly<Record<ConfigKind, string>> = {
  robot: 'robots',
  task: 'tasks',
  learner: 'learner',
  study: 'studies',
};

/** `config/` of this installation; the sources and `dist/` are equally deep. */
export const CONFIG_ROOT: string = fileURLToPath(new URL('../../config', import.meta.url));

/** The file that a name or path refers to; or why there is none, as a sentence without its full stop. */
export type Found =
  | { readonly path: string; readonly shownAs: string; readonly trouble?: never }
  | { readonly trouble: string; readonly path?: never };

/** Finds the file that `name` refers to. Paths are relative to the folder `from`; `root` holds the named files. */
export function findConfig(kind: ConfigKind, name: string, from: string, root: string = CONFIG_ROOT): Found {
  if (isPath(name)) {
    const path = isAbsolute(name) ? name : resolve(from, name);
    return { path, shownAs: shownPath(path) };
  }
  const names = configNames(kind, root);
  if (names.includes(name)) {
    const path = join(root, FOLDERS[kind], `${name}.yaml`);
    return { path, shownAs: shownPath(path) };
  }
  const known = names.length === 0 ? `${root} has none` : `there are ${names.join(', ')}`;
  return { trouble: `there is no ${kind} called "${shown(name)}", ${known}${didYouMean(name, names)}` };
}

interface OpenedConfig extends YamlFile {
  readonly path: string;
  readonly shownAs: string;
}

interface Naming {
  /** Key that names the file, for errors; absent if the command line names it. */
  readonly place?: Place | undefined;
  readonly root?: string | undefined;
}

/** Opens and parses that file. Throws `ReinError('config')` if there is none. */
export function openConfig(kind: ConfigKind, name: string, from: string, naming: Naming = {}): OpenedConfig {
  const { path, shownAs, text } = textOf(kind, name, from, naming);
  return { path, shownAs, ...parseYaml(text, shownAs) };
}

function textOf(
  kind: ConfigKind,
  name: string,
  from: string,
  { root, place }: Naming,
): { readonly path: string; readonly shownAs: string; readonly text: string } {
  const remedy = `give the name of a file in config/${FOLDERS[kind]}/, or its path, which counts from ${from}`;
  try {
    const found = findConfig(kind, name, from, root);
    if (found.trouble !== undefined) throw new ReinError('config', found.trouble, { remedy });
    const { path, shownAs } = found;
    return { path, shownAs, text: readText(path, shownAs, remedy) };
  } catch (error) {
    if (place === undefined || !(error instanceof ReinError)) throw error;
    throw problemsError([{ place, message: error.message }], error.remedy);
  }
}

/** Sorted names of one kind in `config/`. */
export function configNames(kind: ConfigKind, root: string = CONFIG_ROOT): readonly string[] {
  try {
    const files = readdirSync(join(root, FOLDERS[kind]));
    return files.flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : [])).sort();
  } catch {
    // No such folder: no names, which the caller reports.
    return [];
  }
}

/** Argument by which commands refer to the file at `path`: its name if it is a shipped one, else its path. */
export function commandName(kind: ConfigKind, path: string, root: string = CONFIG_ROOT): string {
  const { dir, name } = parse(path);
  return dir === join(root, FOLDERS[kind]) ? name : shownPath(path);
}

/** Path as shown in messages: relative to the working directory if that is shorter. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith(`..${sep}..`) || isAbsolute(near) ? path : near;
}

function isPath(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name.includes('/') || name.includes(sep);
}
