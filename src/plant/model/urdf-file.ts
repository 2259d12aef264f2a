/** Conversion of a URDF for MuJoCo, and search of the ROS packages with its meshes. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { ReinError } from '../../model/index.ts';
import {
  blanked,
  foldersOf,
  lineAt,
  type ModelAsset,
  PACKAGE_URL,
  type PackageFolders,
  withoutComments,
} from './model-assets.ts';
import { elementsNamed, xmlElements } from './xml-elements.ts';

export function isUrdf(xml: string): boolean {
  return /<robot\b/.test(withoutComments(xml));
}

const URDF_MESH = /(<mesh\b[^<>]*?\bfilename\s*=\s*)(?:"([^"]+)"|'([^']+)')/g;

/**
 * Returns the URDF for MuJoCo: `<visual>` is blanked if any link has a `<collision>`, and each mesh gets a name without
 * folders, since MuJoCo strips them and would take two files of one name for one. Line numbers are unchanged.
 */
export function urdfForMujoco(
  assets: Map<string, ModelAsset>,
  file: string,
  text: string,
  packages: PackageFolders,
): string {
  const plain = withoutComments(text);
  const solid = /<collision\b/.test(plain)
    ? plain.replace(/<visual\b[^>]*?(?:\/>|>[\s\S]*?<\/visual\s*>)/g, blanked)
    : plain;
  const folder = dirname(file);
  const below = foldersOf(plain).mesh;
  const limited = withWholeLimits(solid);
  return limited.replace(URDF_MESH, (whole, head: string, double?: string, single?: string, offset = 0) => {
    const reference = double ?? single ?? '';
    const looked = urdfCandidates(reference, folder, below, packages);
    const found = looked.find((candidate) => existsSync(candidate));
    const path = found === undefined ? undefined : readable(found);
    const name = (path === found ? reference : reference.replace(COLLADA, '.stl'))
      .replace(/^\w+:\/\//, '')
      .replace(/[\\/]+/g, '__');
    const place = `${file}:${lineAt(limited, offset)}`;
    assets.set(below === '' ? name : join(below, name), { element: 'mesh', reference, path, place, looked });
    return `${head}"${name}"${whole.endsWith('/') ? '/' : ''}`;
  });
}

const SIZES: Readonly<Record<string, readonly string[]>> = {
  box: ['size'],
  sphere: ['radius'],
  cylinder: ['radius', 'length'],
  capsule: ['radius', 'length'],
};

/** Throws `ReinError('config')` for a `<collision>` without a size, which would silently protect nothing. */
export function refuseUnsized(name: string, urdf: string): void {
  for (const link of elementsNamed(xmlElements(urdf), 'link')) {
    const geometries = elementsNamed(elementsNamed(link.children, 'collision'), 'geometry');
    for (const shape of geometries.flatMap(({ children }) => children)) {
      for (const key of SIZES[shape.name] ?? []) {
        const value = shape.attributes.get(key);
        const sizes = (value ?? '').trim().split(/\s+/);
        if (value === undefined || sizes.every((size) => Number(size) > 0 && Number.isFinite(Number(size)))) continue;
        throw new ReinError(
          'config',
          `${name}:${shape.line}:${shape.column}: a ${shape.name} in a <collision> of link "${link.attributes.get('name')}" has ${key}="${value}", it must be above 0`,
          {
            remedy:
              'write its size there (m), or take that <collision> out: nothing is kept from a shape without a size',
          },
        );
      }
    }
  }
}

const URDF_LIMITED = /<joint\b[^>]*\btype\s*=\s*["'](?:revolute|prismatic)["'][^>]*(?<!\/)>[\s\S]*?<\/joint\s*>/g;

/**
 * Returns the URDF with 0 for a `lower` or `upper` that a `<limit>` lacks, as specified; MuJoCo would take the joint as
 * one without stops.
 */
export function withWholeLimits(urdf: string): string {
  const whole = (limit: string): string =>
    ['lower', 'upper']
      .filter((side) => !new RegExp(`\\b${side}\\s*=`).test(limit))
      .reduce((text, side) => text.replace(/\s*\/?>$/, (end) => ` ${side}="0"${end}`), limit);
  return urdf.replace(URDF_LIMITED, (joint) => joint.replace(/<limit\b[^<>]*>/g, whole));
}

const COLLADA = /\.dae$/i;

/** Returns the STL that manufacturers ship beside a COLLADA mesh, which MuJoCo cannot read; else the file itself. */
function readable(path: string): string {
  const stl = path.replace(COLLADA, '.stl');
  return stl !== path && existsSync(stl) ? stl : path;
}

function plainPath(reference: string): string {
  return reference.replace(/^(?:file|model):\/\//, '');
}

/** Returns package and path within it, for `package://` and for an absolute path of another computer below one of `packages`. */
function packagePlace(
  reference: string,
  packages: PackageFolders,
): readonly [name: string, within: string] | undefined {
  const [, name, within] = PACKAGE_URL.exec(reference) ?? [];
  if (name !== undefined && within !== undefined) return [name, within];
  const parts = plainPath(reference).split('/');
  const at = parts[0] === '' ? parts.findIndex((part) => Object.hasOwn(packages, part)) : -1;
  return at < 0 ? undefined : [parts[at]!, parts.slice(at + 1).join('/')];
}

/** Returns possible paths of a URDF's mesh, the likeliest first. */
function urdfCandidates(reference: string, folder: string, meshdir: string, packages: PackageFolders): string[] {
  const place = packagePlace(reference, packages);
  const plain = plainPath(reference);
  if (place === undefined) {
    if (isAbsolute(plain)) return [plain, join(folder, meshdir, basename(plain))];
    return [...new Set([join(folder, plain), join(folder, meshdir, plain), join(folder, meshdir, basename(plain))])];
  }
  const [packageName, within] = place;
  const given = packages[packageName];
  if (given !== undefined) return [...(isAbsolute(plain) ? [plain] : []), join(given, within)];
  const found: string[] = [];
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (packageNameAt(at) === packageName) found.push(join(at, within));
    found.push(join(at, packageName, within));
    if (dirname(at) === at) break;
  }
  const sourced = (process.env['ROS_PACKAGE_PATH'] ?? '').split(':').filter((path) => path !== '');
  const installed = (process.env['AMENT_PREFIX_PATH'] ?? '').split(':').filter((path) => path !== '');
  found.push(...sourced.map((path) => join(path, packageName, within)));
  found.push(...installed.map((path) => join(path, 'share', packageName, within)));
  const near = [join(folder, within), join(folder, meshdir, basename(within))];
  return [...found.filter((path) => existsSync(path)), ...near];
}

/** Returns the package name in `package.xml` of `folder`; `undefined` without one. */
function packageNameAt(folder: string): string | undefined {
  const file = join(folder, 'package.xml');
  if (!existsSync(file)) return undefined;
  return /<name>\s*([^<\s]+)\s*<\/name>/.exec(readFileSync(file, 'utf8'))?.[1];
}

/**
 * Returns the absolute folders of the ROS packages, by name, in which `assets` of a model were found, if one folder has
 * all that the model needs of its package.
 */
export function packagesFound(assets: ReadonlyMap<string, ModelAsset>, packages: PackageFolders): PackageFolders {
  const found = new Map<string, Set<string>>();
  for (const { reference, path } of assets.values()) {
    const place = packagePlace(reference, packages);
    if (place === undefined || path === undefined || path === plainPath(reference)) continue;
    const [name, within] = place;
    const whole = resolve(path);
    const home = whole.slice(0, -join('/', within).length);
    // A file beside the model under another name is in no package.
    found.set(name, (found.get(name) ?? new Set()).add(join(home, within) === whole ? home : ''));
  }
  const single = [...found].filter(([, homes]) => homes.size === 1 && !homes.has(''));
  return Object.fromEntries(single.map(([name, [home]]) => [name, home!]));
}
