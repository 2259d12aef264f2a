/** `rein plugins`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asObject, failureIn, type InstalledPlugin, installedPlugins, ReinError } from '../../core/index.ts';
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

/** Resolves to 1 where a plugin cannot be used, else to 0. */
export async function pluginsBody({ modules, check, json }: PluginsOptions): Promise<number> {
  const rows = await Promise.all(
    modules.length > 0
      ? modules.map(moduleRow)
      : installedPlugins(process.cwd()).map((each) => packageRow(each, check)),
  );
  process.stdout.write(json ? `${JSON.stringify({ plugins: rows })}\n` : `${tableOf(rows, check).join('\n')}\n`);
  return rows.some(({ trouble }) => trouble !== null) ? 1 : 0;
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

/** Runs `plugin-check-process.ts`, which is at the module's mercy; what it prints goes to standard error. */
async function loadElsewhere(file: string, kind?: string): Promise<LoadedMessage | ReinError> {
  const entry = fileURLToPath(new URL('./plugin-check-process.js', import.meta.url));
  const child = fork(entry, kind === undefined ? [file] : [file, kind], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
    timeout: LOAD_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let answer: unknown;
  child.on('message', (message) => {
    answer = message;
  });
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  const failure = failureIn(answer);
  if (failure !== undefined) return failure;
  if (isLoaded(answer)) return answer;
  const ended = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const trouble =
    signal === 'SIGKILL' ? `does not end within ${LOAD_LIMIT_MS / 1e3} s` : `ended its process instead (${ended})`;
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
    const state = trouble === null ? `${check ? 'works   ' : ''}${module}` : `refused: ${trouble}`;
    const line = `${kind.padEnd(kinds)}  ${name.padEnd(names)}  ${version.padEnd(versions)}  ${state}`;
    return remedy === null ? [line] : [line, `  → ${remedy}`];
  });
}
