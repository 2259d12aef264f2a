/** A robot's MJCF or URDF with all that it refers to, read into memory, and MuJoCo's complaints with file and line. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { MainModule, MjModel, MjSpec, MjVFS } from '@mujoco/mujoco';
import { ReinError } from '../../core/index.ts';

/** No model's text is larger: meshes are files of their own. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** The text and where it is from. */
export interface ModelFile {
  /** The path, or `the model` for text. */
  readonly name: string;
  readonly xml: string;
  /** Files that the text refers to, by the name it uses. */
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

/** Reads `file`: a path, or the text itself. Throws `ReinError('config')` when it, or a mesh it names, is not there. */
export function readModelFile(file: string): ModelFile {
  if (/^\s*</.test(file)) return { name: 'the model', xml: file, assets: new Map() };
  const xml = readText(file);
  const assets = new Map<string, Uint8Array>();
  collectAssets(assets, { name: file, xml, folder: dirname(file), main: xml });
  return { name: file, xml, assets };
}

/** Parses without compiling, so that the model can be changed first. Delete the result. Throws `ReinError('config')`. */
export function parseModel(module: MainModule, file: ModelFile): { spec: MjSpec; vfs: MjVFS } {
  const vfs = new module.MjVFS();
  for (const [name, bytes] of file.assets) vfs.addBuffer(name, bytes);
  try {
    return { spec: module.parseXMLString(file.xml, vfs), vfs };
  } catch (cause) {
    vfs.delete();
    throw modelError(file, cause);
  }
}

/** Compiles what `parseModel` gave. Throws `ReinError('config')`. */
export function compileModel(module: MainModule, file: ModelFile, spec: MjSpec, vfs: MjVFS): MjModel {
  try {
    return module.mj_compile(spec, vfs);
  } catch (cause) {
    throw modelError(file, cause);
  }
}

/** MuJoCo's message as `FILE:LINE: what`. */
export function modelError({ name, xml }: Pick<ModelFile, 'name' | 'xml'>, cause: unknown): ReinError {
  const text = (cause instanceof Error ? cause.message : String(cause)).trim();
  const said = Number(/line(?: number)?\s*=?\s*(\d+)/i.exec(text)?.[1] ?? 0);
  const line = said > 0 ? said : lineOf(xml, /Element name '([^']*)'/.exec(text)?.[1]);
  const what = text
    .replace(/^(MuJoCo Error:|Error:|Could not create Spec from XML string:|XML Error:|\s)+/, '')
    .replace(/,?\s*line(?: number)?\s*=?\s*\d+/i, '')
    .replace(/\s*\n\s*/g, '; ')
    .replace(/^XML parse error \d+:; Error=XML_ERROR_(\w+) .*$/, (_, kind: string) => xmlWords(kind))
    .replace('larger than mjMINVAL', 'larger than 0')
    .trim();
  return new ReinError('config', `${name}${line > 0 ? `:${line}` : ''}: MuJoCo cannot load it: ${what}`, { cause });
}

/** The line of the first element of that name; 0 where there is none. */
function lineOf(xml: string, element: string | undefined): number {
  const at = element === undefined || element === '' ? -1 : xml.indexOf(`name="${element}"`);
  return at < 0 ? 0 : xml.slice(0, at).split('\n').length;
}

/** What the XML reader's error says, in words. */
function xmlWords(kind: string): string {
  if (kind === 'EMPTY_DOCUMENT') return 'there is nothing in it';
  if (kind === 'MISMATCHED_ELEMENT') return 'this is not XML: an element is closed by another name';
  const part = /^PARSING_(\w+)$/.exec(kind)?.[1]?.toLowerCase();
  return part === undefined
    ? 'this is not XML, or it ends too early'
    : `this is not XML: something is wrong with its ${part}`;
}

function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > LARGEST_BYTES) {
      throw new ReinError('config', `${file}: the file has ${size} bytes; a model has at most ${LARGEST_BYTES}`);
    }
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof ReinError) throw cause;
    throw new ReinError('config', `${file}: cannot be read`, { cause });
  }
}

interface Part {
  readonly name: string;
  readonly xml: string;
  /** Folder of the main file: MJCF's paths, those in included files too, are relative to it. */
  readonly folder: string;
  /** The main file's text, whose compiler settings say where meshes are. */
  readonly main: string;
}

const REFERENCE =
  /<(\w+)\b[^<>]*?\b(?:file|filename|fileright|fileleft|fileup|filedown|filefront|fileback)\s*=\s*"([^"]+)"/g;

function collectAssets(assets: Map<string, Uint8Array>, part: Part): void {
  for (const match of withoutComments(part.xml).matchAll(REFERENCE)) {
    const [, element, reference] = match as unknown as [string, string, string];
    const name = assetName(part.main, element, reference);
    if (assets.has(name)) continue;
    const path = isAbsolute(name) ? name : join(part.folder, name);
    const found = [path, join(part.folder, basename(name))].find((candidate) => existsSync(candidate));
    if (found === undefined) {
      const line = part.xml.slice(0, part.xml.indexOf(reference)).split('\n').length;
      throw new ReinError(
        'config',
        `${part.name}:${line}: ${element} file ${reference} is not there (looked for ${path})`,
      );
    }
    const bytes = readFileSync(found);
    assets.set(name, bytes);
    if (element === 'include') collectAssets(assets, { ...part, name: found, xml: bytes.toString('utf8') });
  }
}

/** The name under which MuJoCo looks the file up: below `meshdir` or `texturedir`, and without folders where it strips them. */
function assetName(main: string, element: string, reference: string): string {
  if (element === 'include') return reference;
  const isUrdf = /<robot\b/.test(main);
  const strips = /\bstrippath\s*=\s*"(\w+)"/.exec(main)?.[1] ?? (isUrdf ? 'true' : 'false');
  const plain = strips === 'true' ? basename(reference) : reference.replace(/^(package|file|model):\/\//, '');
  const kind = element === 'texture' ? 'texturedir' : 'meshdir';
  const folder =
    new RegExp(`\\b${kind}\\s*=\\s*"([^"]*)"`).exec(main)?.[1] ?? /\bassetdir\s*=\s*"([^"]*)"/.exec(main)?.[1] ?? '';
  return isAbsolute(plain) || folder === '' ? plain : join(folder, plain);
}

/** The text with comments blanked, line breaks kept. */
function withoutComments(xml: string): string {
  return xml.replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ' '));
}
