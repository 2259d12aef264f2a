/**
 * Checks one plugin's module in a process that exits afterwards: while loading, a module may exit its process or run for ever. Arguments:
 * the module's absolute path, and its declared kind, if any.
 */
import { endFailed, loadPlugin, type PluginKind, sendToParent } from '../../host/index.ts';

/** Reply for a usable module. */
export interface LoadedMessage {
  readonly kind: 'loaded';
  readonly name: string;
  readonly plugin: PluginKind;
  readonly contract: number;
}

async function load(file: string, kind: string | undefined): Promise<void> {
  const { name, rein } = loadPlugin(kind as PluginKind | undefined, file);
  const loaded: LoadedMessage = { kind: 'loaded', name, plugin: rein.kind, contract: rein.contract };
  await sendToParent(loaded);
}

const [file = '', kind] = process.argv.slice(2);
// Anything that the module left running ends with the process.
load(file, kind).then(() => process.exit(0), endFailed);
