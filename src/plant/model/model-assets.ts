/** Files that a model refers to: what they are called, and where its text says that they are. */
import { readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { elementsNamed, xmlElements } from './xml-elements.ts';

/** A file that the text refers to: read once it is known to be needed. */
export interface ModelAsset {
  /** `mesh`, `include`, `texture`, …: the element that names it. */
  readonly element: string;
  /** As the text names it. */
  readonly reference: string;
  /** Where it was found; absent where it is not there. */
  readonly path: string | undefined;
  /** The file and line that name it. */
  readonly place: string;
  /** Where it was looked for. */
  readonly looked: readonly string[];
}

/** What `<compiler>` says of files: folders ('' for that of the model), and whether their names lose theirs. */
export interface AssetFolders {
  readonly mesh: string;
  readonly texture: string;
  readonly stripsPath: boolean;
}

/** Of a model that says nothing of them. */
export const HERE: AssetFolders = { mesh: '', texture: '', stripsPath: false };

/** Folders of ROS packages by name, for `package://`. */
export type PackageFolders = Readonly<Record<string, string>>;

/** A URDF's name of a file in a ROS package. */
export const PACKAGE_URL: RegExp = /^package:\/\/([^/]+)\/(.*)$/;

/** The package in an absolute path, as its folder is called most often; `undefined` of a relative one. */
function packageIn(reference: string): string | undefined {
  const parts = reference.replace(/^file:\/\//, '').split('/');
  if (parts.shift() !== '') return undefined;
  const named = parts.find((part) => /_(?:description|support|model|bringup)$/.test(part));
  return named ?? parts[Math.max(0, parts.indexOf('meshes') - 1)];
}

/** Throws `ReinError('config')` with its place where it is not there. */
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

/** The name under which MuJoCo looks the file up: below its folder, and without folders of its own where it strips them. */
export function assetName({ mesh, texture, stripsPath }: AssetFolders, element: string, reference: string): string {
  const plain = stripsPath ? basename(reference) : reference.replace(/^(package|file|model):\/\//, '');
  const folder = element === 'texture' ? texture : mesh;
  return isAbsolute(plain) || folder === '' ? plain : join(folder, plain);
}

/** What the `<compiler>`s of a whole text say: as MuJoCo has it, the last word counts, and `assetdir` is both folders. */
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

/** The text with comments blanked, line breaks kept. */
export function withoutComments(xml: string): string {
  return xml.replace(/<!--[\s\S]*?-->/g, blanked);
}

export function blanked(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
