/** Body of `rein plugins`. */
import { resolve } from 'node:path';
import { type InstalledPlugin, installedPlugins } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';
import type { PluginsOptions } from '../plugins.ts';
import { loadElsewhere, mapFew } from './module-check.ts';

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly version: string;
  readonly contract: unknown;
  /** File of its module; null if none is usable. */
  readonly module: string | null;
  /** Reason why it cannot be used; null if no problem is known. */
  readonly trouble: string | null;
  /** Remedy for `trouble`; null if none is known. */
  readonly remedy: string | null;
}

/** Resolves to 1 if a plugin cannot be used, else to 0. */
export async function pluginsBody({ modules, check, json }: PluginsOptions): Promise<number> {
  const rows =
    modules.length > 0
      ? await mapFew(modules, moduleRow)
      : await mapFew(installedPlugins(process.cwd()), (each) => packageRow(each, check));
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

/** A module given by its path declares its kind itself. */
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

function tableOf(rows: readonly Row[], check: boolean): string[] {
  if (rows.length === 0) return [`No plugin is installed in ${process.cwd()} or above it; see rein plugins --help.`];
  const width = (of: (row: Row) => string): number => Math.max(...rows.map((row) => of(row).length));
  const [kinds, names, versions] = [width((row) => row.kind), width((row) => row.name), width((row) => row.version)];
  return rows.flatMap(({ kind, name, version, module, trouble, remedy }) => {
    const state = trouble === null ? `${check ? 'loads   ' : ''}${module}` : `refused: ${trouble}`;
    const line = `${kind.padEnd(kinds)}  ${name.padEnd(names)}  ${version.padEnd(versions)}  ${state}`;
    return remedy === null ? [line] : [line, `  → ${remedy}`];
  });
}
