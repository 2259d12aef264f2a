/** `rein plugins`. */
import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerOfChild, asObject, type InstalledPlugin, installedPlugins, ReinError } from '../../core/index.ts';
import type { PluginsOptions } from '../plugins.ts';
import type { LoadedMessage } from './plugin-check-process.ts';

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly version: string;
  readonly contract: unknown;
  /** Its module; null where it has none that could be used. */
  readonly module: string | null;
  /** Why it cannot be used; null where nothing is known against it. */
  readonly trouble: string | null;
  /** What helps; null where nothing is known. */
  readonly remedy: string | null;
}

/** A module may take this long to load, ms. */
const LOAD_LIMIT_MS = 10_000;
/** So many modules are checked at once. */
const AT_ONCE = 2;

/** Resolves to 1 where a plugin cannot be used, else to 0. */
export async function pluginsBody({ modules, check, json }: PluginsOptions): Promise<number> {
  const rows =
    modules.length > 0
      ? await mapFew(modules, moduleRow)
      : await mapFew(installedPlugins(process.cwd()), (each) => packageRow(each, check));
  process.stdout.write(json ? `${JSON.stringify({ plugins: rows })}\n` : `${tableOf(rows, check).join('\n')}\n`);
  return rows.some(({ trouble }) => trouble !== null) ? 1 : 0;
}

/** `work` of each item, in their order, of a few at a time: each has its whole limit to itself on two cores. */
async function mapFew<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [i, item] of left) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

async function packageRow({ kind, name, version, contract, found }: InstalledPlugin, check: boolean): Promise<Row> {
  const checked = found.file !== undefined && check ? await loadElsewhere(found.file, kind) : undefined;
  const { message, remedy } = checked instanceof ReinError ? checked : { message: found.trouble, remedy: undefined };
  return {
    kind,
    name,
    version,
    contract,
    module: found.file ?? null,
    trouble: message ?? null,
    remedy: remedy ?? null,
  };
}

/** A module that is named by its path says itself of which kind it is. */
async function moduleRow(path: string): Promise<Row> {
  const file = resolve(path);
  const loaded = await loadElsewhere(file);
  if (loaded instanceof ReinError) {
    const { message, remedy = null } = loaded;
    return { kind: 'module', name: path, version: '', contract: null, module: null, trouble: message, remedy };
  }
  const { plugin, name, contract } = loaded;
  return { kind: plugin, name, version: '', contract, module: file, trouble: null, remedy: null };
}

/** Loads `file` in a process of its own, which is at the module's mercy; what it prints goes to standard error. Gives why it does not load. */
export async function loadElsewhere(file: string, kind?: string): Promise<LoadedMessage | ReinError> {
  const entry = fileURLToPath(new URL('./plugin-check-process.js', import.meta.url));
  const child = fork(entry, kind === undefined ? [file] : [file, kind], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, LOAD_LIMIT_MS);
  const { answer, how } = await answerOfChild(child).finally(() => clearTimeout(timer));
  if (answer instanceof ReinError || isLoaded(answer)) return answer;
  const trouble = isLate ? `does not end within ${LOAD_LIMIT_MS / 1e3} s` : `ended its process instead (${how})`;
  return new ReinError('config', `The loading of ${file} ${trouble}.`, {
    remedy: 'Let the module do nothing but define the plugin: what it does goes into the functions of that.',
  });
}

function isLoaded(value: unknown): value is LoadedMessage {
  const { kind, name, plugin } = asObject(value) ?? {};
  return kind === 'loaded' && typeof name === 'string' && typeof plugin === 'string';
}

function tableOf(rows: readonly Row[], check: boolean): string[] {
  if (rows.length === 0)
    return [`No plugin is installed in ${process.cwd()} or above it; rein plugins --help says what one is.`];
  const width = (of: (row: Row) => string): number => Math.max(...rows.map((row) => of(row).length));
  const [kinds, names, versions] = [width((row) => row.kind), width((row) => row.name), width((row) => row.version)];
  return rows.flatMap(({ kind, name, version, module, trouble, remedy }) => {
    const state = trouble === null ? `${check ? 'loads   ' : ''}${module}` : `refused: ${trouble}`;
    const line = `${kind.padEnd(kinds)}  ${name.padEnd(names)}  ${version.padEnd(versions)}  ${state}`;
    return remedy === null ? [line] : [line, `  → ${remedy}`];
  });
}
