/**
 * The check of one plugin's module, as a process that ends with it: while it loads, a module may end its process or go on for ever.
 * Arguments: the module's absolute path, and the kind that it has to be, where one is declared.
 */
import { endFailed, loadPlugin, type PluginKind, sendToParent } from '../../core/index.ts';

/** What a module that can be used says of itself. */
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
// Whatever the module has left running ends with it.
load(file, kind).then(() => process.exit(0), endFailed);
