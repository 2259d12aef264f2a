/** Files that a model refers to: their names, and their locations according to its text. */
import { readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { ReinError } from '../../model/index.ts';
import { elementsNamed, xmlElements } from './xml-elements.ts';

/** File that the text refers to; read once it is known to be needed. */
export interface ModelAsset {
  /** Element that names it: `mesh`, `include`, `texture`, … */
  readonly element: string;
  /** Name in the text. */
  readonly reference: string;
  /** Path of the file that was found; absent if there is none. */
  readonly path: string | undefined;
  /** File and line that name it. */
  readonly place: string;
  /** Paths that were tried. */
  readonly looked: readonly string[];
}

/** File settings of `<compiler>`: folders ('' for the model's), and whether file names are stripped of theirs. */
export interface AssetFolders {
  readonly mesh: string;
  readonly texture: string;
  readonly stripsPath: boolean;
}

/** Settings of a model without any. */
export const HERE: AssetFolders = { mesh: '', texture: '', stripsPath: false };

/** Folders of ROS packages by name, for `package://`. */
export type PackageFolders = Readonly<Record<string, string>>;

/** File in a ROS package, as named in a URDF. */
export const PACKAGE_URL: RegExp = /^package:\/\/([^/]+)\/(.*)$/;

/** Returns the package in an absolute path, by the usual names of its folder; `undefined` for a relative path. */
function packageIn(reference: string): string | undefined {
  const parts = reference.replace(/^file:\/\//, '').split('/');
  if (parts.shift() !== '') return undefined;
  const named = parts.find((part) => /_(?:description|support|model|bringup)$/.test(part));
  return named ?? parts[Math.max(0, parts.indexOf('meshes') - 1)];
}

/** Returns the content. Throws `ReinError('config')` with the place if the file is missing. */
export function bytesOf({ element, reference, path, place, looked }: ModelAsset): Uint8Array {
  if (path !== undefined) {
    if (/\.dae$/i.test(path)) {
      throw new ReinError(
        'config',
        `${place}: ${element} file ${reference} is a COLLADA file, which MuJoCo does not read`,
        {
          remedy:
            'convert it to STL or OBJ, or give the link a <collision> of one; shapes that are only visual are not read',
        },
      );
    }
    return readFileSync(path);
  }
  const packageName = PACKAGE_URL.exec(reference)?.[1] ?? packageIn(reference);
  throw new ReinError(
    'config',
    `${place}: ${element} file ${reference} is not there (looked for ${looked.join(', ')})`,
    packageName === undefined ? {} : { remedy: `say where the package is: --package ${packageName}=FOLDER` },
  );
}

/** Returns the name under which MuJoCo looks up the file: below its folder, and without its own folders if these are stripped. */
export function assetName({ mesh, texture, stripsPath }: AssetFolders, element: string, reference: string): string {
  const plain = stripsPath ? basename(reference) : reference.replace(/^(package|file|model):\/\//, '');
  const folder = element === 'texture' ? texture : mesh;
  return isAbsolute(plain) || folder === '' ? plain : join(folder, plain);
}

/** Returns the settings of all `<compiler>` elements of a text: as in MuJoCo, the last one counts, and `assetdir` is both folders. */
export function foldersOf(xml: string): AssetFolders {
  let folders = HERE;
  for (const { attributes } of elementsNamed(xmlElements(xml), 'compiler')) {
    const both = attributes.get('assetdir');
    const strips = attributes.get('strippath');
    folders = {
      mesh: attributes.get('meshdir') ?? both ?? folders.mesh,
      texture: attributes.get('texturedir') ?? both ?? folders.texture,
      stripsPath: strips === undefined ? folders.stripsPath : strips === 'true',
    };
  }
  return folders;
}

/** Returns the text with comments blanked and line breaks kept. */
export function withoutComments(xml: string): string {
  return xml.replace(/<!--[\s\S]*?-->/g, blanked);
}

export function blanked(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
