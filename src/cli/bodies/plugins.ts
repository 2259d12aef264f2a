/** `rein plugins`. */
import { type InstalledPlugin, installedPlugins, loadPlugin, type PluginKind, ReinError } from '../../core/index.ts';
import type { PluginsOptions } from '../plugins.ts';

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly version: string;
  readonly contract: unknown;
  /** Its module; null where it has none that could be used. */
  readonly module: string | null;
  /** Why it cannot be used; null where nothing is known against it. */
  readonly trouble: string | null;
}

/** Resolves to 1 where a plugin cannot be used, else to 0. */
export async function pluginsBody({ check, json }: PluginsOptions): Promise<number> {
  const rows = installedPlugins(process.cwd()).map((plugin) => rowOf(plugin, check));
  process.stdout.write(json ? `${JSON.stringify({ plugins: rows })}\n` : `${tableOf(rows, check).join('\n')}\n`);
  return rows.some(({ trouble }) => trouble !== null) ? 1 : 0;
}

function rowOf({ kind, name, version, contract, found }: InstalledPlugin, check: boolean): Row {
  const trouble = found.trouble ?? (check ? troubleOf(kind as PluginKind, found.file) : undefined);
  return { kind, name, version, contract, module: found.file ?? null, trouble: trouble ?? null };
}

function troubleOf(kind: PluginKind, file: string): string | undefined {
  try {
    loadPlugin(kind, file);
    return undefined;
  } catch (error) {
    if (error instanceof ReinError) return error.message;
    throw error;
  }
}

function tableOf(rows: readonly Row[], check: boolean): string[] {
  if (rows.length === 0)
    return [`No plugin is installed in ${process.cwd()} or above it; rein plugins --help says what one is.`];
  const width = (of: (row: Row) => string): number => Math.max(...rows.map((row) => of(row).length));
  const [kinds, names, versions] = [width((row) => row.kind), width((row) => row.name), width((row) => row.version)];
  return rows.map(({ kind, name, version, module, trouble }) => {
    const state = trouble === null ? `${check ? 'works   ' : ''}${module}` : `refused: ${trouble}`;
    return `${kind.padEnd(kinds)}  ${name.padEnd(names)}  ${version.padEnd(versions)}  ${state}`;
  });
}
