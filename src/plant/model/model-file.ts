/** MJCF or URDF of a robot with all that it refers to, in memory; and MuJoCo's errors with file and line. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, posix } from 'node:path';
import type { MainModule, MjModel, MjSpec, MjsBody, MjsElement, MjsGeom, MjVFS, mjtObj } from '@mujoco/mujoco';
import { readTrouble } from '../../host/index.ts';
import { messageOf, ReinError } from '../../model/index.ts';
import {
  type AssetFolders,
  assetName,
  bytesOf,
  foldersOf,
  HERE,
  lineAt,
  type ModelAsset,
  type PackageFolders,
  withoutComments,
} from './model-assets.ts';
import { isUrdf, refuseUnsized, urdfForMujoco, withWholeLimits } from './urdf-file.ts';

/** Largest text of a model: meshes are separate files. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** Text of a model, and its origin. */
export interface ModelFile {
  /** Path, or `the model` for text. */
  readonly name: string;
  /** Text for MuJoCo: a URDF without its visual shapes, and with mesh names that MuJoCo finds. */
  readonly xml: string;
  /** By the name under which MuJoCo looks up each. */
  readonly assets: ReadonlyMap<string, ModelAsset>;
  /** Folders of files in an MJCF, as set by it or its includes. */
  readonly folders: AssetFolders;
}

/**
 * Reads `file`: a path, or the text itself. Throws `ReinError('config')` if it, or a part it includes, is missing, and
 * for a xacro file.
 */
export function readModelFile(file: string, packages: PackageFolders = {}): ModelFile {
  if (/^\s*</.test(file)) {
    if (isUrdf(file)) refuseUnsized('the model', file);
    const xml = isUrdf(file) ? withWholeLimits(file) : file;
    return { name: 'the model', xml, assets: new Map(), folders: HERE };
  }
  const text = readText(file);
  refuseXacro(file, text);
  refuseStl(file, text);
  const assets = new Map<string, ModelAsset>();
  if (isUrdf(text)) {
    refuseUnsized(file, text);
    return { name: file, xml: urdfForMujoco(assets, file, text, packages), assets, folders: HERE };
  }
  const parts = collectIncludes(assets, { name: file, xml: text, folder: dirname(file) });
  const folders = foldersOf(included(text, assets, []));
  for (const part of parts) collectAssets(assets, part, folders);
  return { name: file, xml: text, assets, folders };
}

/** Throws for a mesh, and for anything that is no text. */
function refuseStl(file: string, text: string): void {
  const isBinary = text.slice(0, 4096).includes('\0');
  if (!isBinary && !/^\s*solid\b[^<]*\bfacet\b/.test(text.slice(0, 4096))) return;
  const what = isBinary && !isBinaryStl(file) ? 'is no text' : 'is an STL, the shape of one part';
  throw new ReinError('config', `${file} ${what}, and a robot is described by an MJCF or URDF`, {
    remedy: 'give the .xml or .urdf that names it as the mesh of a link',
  });
}

/** Returns true if the file size matches its number of triangles. */
function isBinaryStl(file: string): boolean {
  const bytes = readFileSync(file);
  return bytes.length >= 84 && bytes.length === 84 + 50 * bytes.readUInt32LE(80);
}

/** Throws for a xacro file, which MuJoCo would load without the contents of its macros. */
function refuseXacro(file: string, text: string): void {
  const plain = withoutComments(text);
  // Expanded files often keep the namespace, and nothing in it.
  const isXacro = /<xacro:/.test(plain) || (/\bxmlns:xacro\b/.test(plain) && /\$[{(]/.test(plain));
  if (!isXacro && !/\.xacro$/i.test(file)) return;
  const expanded = basename(file) === 'robot.urdf' ? 'expanded.urdf' : 'robot.urdf';
  throw new ReinError('config', `${file} is a xacro file, from which a URDF is yet to be made`, {
    remedy: `expand it first: xacro ${file} > ${expanded}`,
  });
}

/** Returns the MJCF with its includes inserted, to be read and changed as one text. Throws `ReinError('config')`. */
export function withIncludes(file: ModelFile): ModelFile {
  const rest = [...file.assets].filter(([, { element }]) => element !== 'include');
  return { ...file, xml: included(file.xml, file.assets, []), assets: new Map(rest) };
}

const INCLUDE = /<include\b[^<>]*?\bfile\s*=\s*(?:"([^"]+)"|'([^']+)')[^<>]*?(?:\/>|>\s*<\/include\s*>)/g;

function included(xml: string, assets: ModelFile['assets'], within: readonly string[]): string {
  return withoutComments(xml).replace(INCLUDE, (whole, double?: string, single?: string) => {
    const reference = double ?? single ?? '';
    const asset = assets.get(reference);
    if (asset === undefined) return whole;
    if (within.includes(reference)) throw new ReinError('config', `${asset.place}: ${reference} includes itself`);
    const text = withoutComments(new TextDecoder().decode(bytesOf(asset)));
    const inner = /<(mujoco|mujocoinclude)\b[^>]*[^/]?>([\s\S]*)<\/\1\s*>/.exec(text)?.[2] ?? '';
    return included(inner, assets, [...within, reference]);
  });
}

/** Selects the parts of a model that `parseModel` keeps. */
export interface ParseOptions {
  /**
   * `solid` (default): without visual shapes, which neither collide nor have mass, and without the files that only they
   * need. `skeleton`: without any mesh, for joints, frames and keyframes; its masses are meaningless.
   */
  readonly shapes?: 'solid' | 'skeleton' | undefined;
}

/** Model that can be changed before it is compiled. */
export interface ParsedModel {
  readonly spec: MjSpec;
  readonly vfs: MjVFS;
  /** Number of meshes to compile, which takes most of the time. */
  readonly meshes: number;
  /** Frees the memory. */
  close(): void;
}

/** Parses without compiling, so that the model can be changed first. Throws `ReinError('config')`. */
export function parseModel(module: MainModule, file: ModelFile, { shapes = 'solid' }: ParseOptions = {}): ParsedModel {
  const vfs = new module.MjVFS();
  const memory = new MemoryFolder(module);
  let spec: MjSpec | undefined;
  const close = (): void => {
    spec?.delete();
    vfs.delete();
    memory.clear();
  };
  try {
    for (const [name, asset] of file.assets) if (asset.element === 'include') vfs.addBuffer(name, bytesOf(asset));
    spec = module.parseXMLString(file.xml, vfs);
    if (shapes === 'skeleton') leaveOutMeshes(module, spec);
    else leaveOutVisuals(module, spec);
    spec.modelfiledir = memory.path;
    for (const [name, asset] of neededAssets(module, spec, file)) memory.write(name, bytesOf(asset));
    return { spec, vfs, meshes: elementsOf(module, spec, module.mjtObj.mjOBJ_MESH).length, close };
  } catch (cause) {
    close();
    throw cause instanceof ReinError ? cause : modelError(file, cause);
  }
}

/**
 * Folder in the memory of MuJoCo's module, where it looks up files. Its own MjVFS copies them byte by byte: seconds for
 * the meshes of one robot. Each folder has a path of its own, since MuJoCo caches files by path.
 */
export class MemoryFolder {
  static #made = 0;
  /** Deep enough for names that begin with `../`. */
  readonly path: string = `/rein/${MemoryFolder.#made++}/a/b/c/d/e/f`;
  readonly #module: MainModule;
  readonly #written: string[] = [];

  constructor(module: MainModule) {
    this.#module = module;
  }

  /** Writes a file, and returns its path. */
  write(name: string, bytes: Uint8Array): string {
    const path = posix.resolve(this.path, name);
    this.#module.FS.mkdirTree(this.path, 0o777);
    this.#module.FS.mkdirTree(posix.dirname(path), 0o777);
    this.#module.FS.writeFile(path, bytes);
    this.#written.push(path);
    return path;
  }

  /** Frees the memory of all files written. */
  clear(): void {
    for (const path of this.#written.splice(0)) this.#module.FS.unlink(path);
  }
}

/** Compiles the result of `parseModel`. Throws `ReinError('config')`. */
export function compileModel(module: MainModule, file: ModelFile, spec: MjSpec, vfs: MjVFS): MjModel {
  try {
    return module.mj_compile(spec, vfs);
  } catch (cause) {
    throw modelError(file, cause);
  }
}

/** Returns MuJoCo's error as `FILE:LINE: what`, in its own words only if there are no better ones. */
export function modelError(file: Pick<ModelFile, 'name' | 'xml' | 'assets'>, cause: unknown): ReinError {
  const { name, xml } = file;
  const text = messageOf(cause).trim();
  const said = Number(/line(?: number)?\s*=?\s*(\d+)/i.exec(text)?.[1] ?? 0);
  const element = /Element name '([^']*)'/.exec(text)?.[1];
  const line = said > 0 ? said : lineOf(xml, element);
  const place = `${name}${line > 0 ? `:${line}` : ''}`;
  const known = KNOWN.find(({ words }) => words.test(text));
  if (known !== undefined) {
    const remedy = known.remedy(/<robot\b/.test(xml));
    return new ReinError('config', `${place}: ${known.what(element ?? '')}`, { remedy, cause });
  }
  // A link may have the name of its mesh.
  const isOfMesh = said === 0 && (line === 0 || /\bmesh|vertices|\/rein\/\d/.test(text));
  const mesh = isOfMesh ? meshOf(file, text, element) : undefined;
  const what = (mesh === undefined ? text : text.replace(MEMORY_PATH, mesh.path ?? mesh.reference))
    .replace(/^(MuJoCo Error:|Error:|Could not create Spec from XML string:|XML Error:|\s)+/, '')
    .replace(/,?\s*line(?: number)?\s*=?\s*\d+/i, '')
    .replace(/\s*\n\s*/g, '; ')
    .replace(/; Element name '([^']*)', id \d+/, ' (of "$1")')
    .replace(/^XML parse error \d+:; Error=XML_ERROR_(\w+) .*$/, (_, kind: string) => xmlWords(kind))
    .replace('larger than mjMINVAL', 'larger than 0')
    .trim();
  if (mesh === undefined) return new ReinError('config', `${place}: MuJoCo cannot load it: ${what}`, { cause });
  const remedy = 'convert it to a binary STL or an OBJ of closed surfaces, or give its link another shape';
  return new ReinError('config', `${mesh.place}: MuJoCo cannot load mesh ${mesh.path ?? mesh.reference}: ${what}`, {
    remedy,
    cause,
  });
}

/** Path of a file in a `MemoryFolder`, in an error of MuJoCo. */
const MEMORY_PATH = /\/rein\/\d+\/[^'"\n]*/g;

/** Returns the mesh that an error of MuJoCo is about: by its path, or by the name that MuJoCo derives from its file. */
function meshOf(
  { assets }: Pick<ModelFile, 'assets'>,
  text: string,
  element: string | undefined,
): ModelAsset | undefined {
  const path = text.match(MEMORY_PATH)?.[0];
  const meshes = [...assets].filter(([, asset]) => asset.element === 'mesh');
  const found = meshes.filter(([name]) =>
    path === undefined
      ? basename(name).replace(/\.\w+$/, '') === element
      : path === posix.resolve(path.split('/').slice(0, 9).join('/'), name),
  );
  return found.length === 1 ? found[0]![1] : undefined;
}

/** Most common errors in real files. */
const KNOWN: readonly {
  readonly words: RegExp;
  readonly what: (element: string) => string;
  readonly remedy: (isUrdf: boolean) => string;
}[] = [
  {
    words: /inertia must satisfy A \+ B >= C/,
    what: (link) =>
      `the inertia of "${link}" is physically impossible: its largest principal moment exceeds the sum of the other two`,
    remedy: (isUrdf) =>
      isUrdf
        ? 'write its true inertia there; or have this and all others like it evened out, by <mujoco><compiler balanceinertia="true"/></mujoco> below <robot>'
        : 'write its true inertia there; or have this and all others like it evened out, by balanceinertia="true" in <compiler>',
  },
  {
    words: /inertia must have positive eigenvalues/,
    what: (link) => `the inertia of "${link}" is physically impossible: its principal moments are not all above 0`,
    remedy: () => 'write its true inertia there: ixx, iyy and izz above 0, and the other three smaller',
  },
  {
    words: /mass and inertia of moving bodies must be larger/,
    what: (link) => `"${link}" is moved by a joint, and its mass or inertia is 0`,
    remedy: (isUrdf) =>
      `write its mass and inertia there: ${isUrdf ? 'mass, ixx, iyy and izz' : 'mass and diaginertia'} above 0`,
  },
  {
    words: /axis too small/,
    what: (joint) => `the axis of joint "${joint}" has no length`,
    remedy: (isUrdf) =>
      `write the direction that it turns about or slides along, such as ${isUrdf ? '<axis xyz="0 0 1"/>' : 'axis="0 0 1"'}`,
  },
];

/** Returns the line of the first element with that name; 0 if there is none. */
function lineOf(xml: string, element: string | undefined): number {
  const at = element === undefined || element === '' ? -1 : xml.indexOf(`name="${element}"`);
  return at < 0 ? 0 : xml.slice(0, at).split('\n').length;
}

/** Returns an error of the XML reader in plain words. */
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
    const remedy = "check its path, which in a robot's or task's file is relative to that file, and its rights";
    throw new ReinError('config', `${file}: ${readTrouble(cause)}`, { remedy, cause });
  }
}

/** Main file, or one that it includes. */
interface Part {
  readonly name: string;
  readonly xml: string;
  /** Folder of the main file: paths in MJCF, also in included files, are relative to it. */
  readonly folder: string;
}

const REFERENCE =
  /<(\w+)\b[^<>]*?\b(?:file|filename|fileright|fileleft|fileup|filedown|filefront|fileback)\s*=\s*(?:"([^"]+)"|'([^']+)')/g;

/** Adds the includes of `part` to `assets`, recursively; returns all parts. */
function collectIncludes(assets: Map<string, ModelAsset>, part: Part): Part[] {
  const added = addReferences(assets, part, (element, reference) => (element === 'include' ? reference : undefined));
  const below = added.flatMap((asset) => {
    const xml = new TextDecoder().decode(bytesOf(asset));
    return collectIncludes(assets, { ...part, name: asset.path ?? asset.reference, xml });
  });
  return [part, ...below];
}

/** Adds the other files that `part` names. */
function collectAssets(assets: Map<string, ModelAsset>, part: Part, folders: AssetFolders): void {
  addReferences(assets, part, (element, reference) =>
    element === 'include' ? undefined : assetName(folders, element, reference),
  );
}

/** Adds references that `nameOf` names and `assets` lacks; returns those added. */
function addReferences(
  assets: Map<string, ModelAsset>,
  part: Part,
  nameOf: (element: string, reference: string) => string | undefined,
): ModelAsset[] {
  const added: ModelAsset[] = [];
  for (const match of withoutComments(part.xml).matchAll(REFERENCE)) {
    const [, element = '', double, single] = match;
    const reference = double ?? single ?? '';
    const name = nameOf(element, reference);
    if (name === undefined || assets.has(name)) continue;
    const looked = [isAbsolute(name) ? name : join(part.folder, name), join(part.folder, basename(name))];
    const path = looked.find((candidate) => existsSync(candidate));
    const place = `${part.name}:${lineAt(part.xml, match.index + match[0].lastIndexOf(reference))}`;
    const asset: ModelAsset = { element, reference, path, place, looked: looked.slice(0, 1) };
    assets.set(name, asset);
    added.push(asset);
  }
  return added;
}

/** Returns the files that the remaining shapes need. Does not throw: a missing file is reported when it is read. */
function neededAssets(module: MainModule, spec: MjSpec, file: ModelFile): [string, ModelAsset][] {
  const kept = new Set(
    elementsOf(module, spec, module.mjtObj.mjOBJ_MESH).map((mesh) =>
      assetName(file.folders, 'mesh', module.mjs_asMesh(mesh)!.file),
    ),
  );
  return [...file.assets].filter(([name, { element }]) => {
    if (element === 'include' || element === 'texture' || element === 'skin') return false;
    return element !== 'mesh' || kept.has(name) || kept.has(basename(name));
  });
}

/** Returns all elements of one type, in file order. */
export function elementsOf(module: MainModule, spec: MjSpec, type: mjtObj): MjsElement[] {
  return listed(module.mjs_firstElement(spec, type), (element) => module.mjs_nextElement(spec, element));
}

/** Returns the elements of one type directly below `body`. */
export function childrenOf(module: MainModule, body: MjsBody, type: mjtObj): MjsElement[] {
  return listed(module.mjs_firstChild(body, type, 0), (element) => module.mjs_nextChild(body, element, 0));
}

type Found = MjsElement | null | undefined;

function listed(first: Found, next: (element: MjsElement) => Found): MjsElement[] {
  const found: MjsElement[] = [];
  for (let element = first; element !== undefined && element !== null; element = next(element)) found.push(element);
  return found;
}

/** Deletes all elements of `types` from the model, one type after the other. */
export function deleteAll(module: MainModule, spec: MjSpec, ...types: readonly mjtObj[]): void {
  for (const type of types) {
    for (const element of elementsOf(module, spec, type)) module.mjs_delete(spec, element);
  }
}

/** Returns the number of a MuJoCo enumeration value, which its type declarations give the type of the enumeration. */
export function codeOf(value: unknown): number {
  return (value as { readonly value: number }).value;
}

/**
 * Removes what is only visual: meshes on geoms that neither collide nor have mass, skins and textures. A robot with
 * visual shapes only keeps them: there is nothing else to use.
 */
function leaveOutVisuals(module: MainModule, spec: MjSpec): void {
  const { mjtObj: types } = module;
  leaveOutLooks(module, spec);
  const bodies = elementsOf(module, spec, types.mjOBJ_BODY);
  const all = bodies.flatMap((element) => {
    const body = module.mjs_asBody(element)!;
    return childrenOf(module, body, types.mjOBJ_GEOM).map((geom) => ({ body, geom: module.mjs_asGeom(geom)! }));
  });
  const isVisual = (geom: MjsGeom): boolean => geom.contype === 0 && geom.conaffinity === 0;
  if (all.every(({ geom }) => isVisual(geom) || isPlane(module, geom))) return;
  // Sensors, tendons and pairs refer to geoms by name.
  const mayBeNamed = [types.mjOBJ_PAIR, types.mjOBJ_SENSOR, types.mjOBJ_TENDON].some(
    (type) => elementsOf(module, spec, type).length > 0,
  );
  const world = bodies[0]!;
  for (const { body, geom } of all) {
    const isNamed = mayBeNamed && module.mjs_getName(geom.element) !== '';
    const isStill = module.mjs_getId(body.element) === module.mjs_getId(world);
    if (geom.meshname === '' || !isVisual(geom) || isNamed) continue;
    if (isStill || weighsNothing(module, spec, body, geom)) module.mjs_delete(spec, geom.element);
  }
  leaveOutUnused(module, spec);
}

/** Returns true if the body's mass is the same without `geom`. */
function weighsNothing(module: MainModule, spec: MjSpec, body: MjsBody, geom: MjsGeom): boolean {
  if (geom.mass === 0 || (Number.isNaN(geom.mass) && geom.density === 0)) return true;
  const { inertiafromgeom, inertiagrouprange } = spec.compiler;
  const groups = inertiagrouprange as ArrayLike<number>;
  if (geom.group < groups[0]! || geom.group > groups[1]!) return true;
  return body.explicitinertial && codeOf(inertiafromgeom) !== module.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE.value;
}

function isPlane(module: MainModule, geom: MjsGeom): boolean {
  return codeOf(geom.type) === module.mjtGeom.mjGEOM_PLANE.value;
}

/** Removes skins and textures. */
function leaveOutLooks(module: MainModule, spec: MjSpec): void {
  deleteAll(module, spec, module.mjtObj.mjOBJ_SKIN);
  for (const element of elementsOf(module, spec, module.mjtObj.mjOBJ_MATERIAL)) {
    const { textures } = module.mjs_asMaterial(element)!;
    for (let i = 0; i < textures.size(); i++) textures.set(i, '');
  }
  deleteAll(module, spec, module.mjtObj.mjOBJ_TEXTURE);
}

/** Removes meshes that no geom uses. */
function leaveOutUnused(module: MainModule, spec: MjSpec): void {
  const used = new Set(
    elementsOf(module, spec, module.mjtObj.mjOBJ_GEOM).map((geom) => module.mjs_asGeom(geom)!.meshname),
  );
  for (const element of elementsOf(module, spec, module.mjtObj.mjOBJ_MESH)) {
    const { file } = module.mjs_asMesh(element)!;
    const name = module.mjs_getName(element) || basename(file).replace(/\.\w+$/, '');
    if (!used.has(name)) module.mjs_delete(spec, element);
  }
}

/** Replaces every mesh by a small ball, and gives every body a mass: compiles in no time and moves as the model does. */
function leaveOutMeshes(module: MainModule, spec: MjSpec): void {
  const { mjtObj: types, mjtGeom } = module;
  leaveOutLooks(module, spec);
  for (const element of elementsOf(module, spec, types.mjOBJ_GEOM)) {
    const geom = module.mjs_asGeom(element)!;
    if (geom.meshname === '') continue;
    geom.meshname = '';
    geom.type = mjtGeom.mjGEOM_SPHERE;
    geom.size[0] = 0.01;
  }
  for (const element of elementsOf(module, spec, types.mjOBJ_BODY).slice(1)) {
    const body = module.mjs_asBody(element)!;
    if (body.explicitinertial) continue;
    body.explicitinertial = true;
    body.mass = 1;
    for (let k = 0; k < 3; k++) body.inertia[k] = 1;
  }
  deleteAll(module, spec, types.mjOBJ_MESH);
}
