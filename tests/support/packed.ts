/** The package as somebody installs it: a tarball of `npm run package`, unpacked into an empty project with its dependencies linked. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface PackedProject {
  readonly folder: string;
  /** `types/…` and all other files of the package. */
  readonly files: readonly string[];
  /** Installs one of the packages that were packed with it, as npm would: unpacked beside it. */
  installBeside(name: string): void;
  /** Writes a file of the project. */
  put(path: string, text: string): void;
  /** Runs a program of the project; `rein` is the installed one. */
  run(program: 'node' | 'rein', ...args: readonly string[]): { code: number | null; stdout: string; stderr: string };
  remove(): void;
}

/** What a fresh clone has of what the package is made from: neither `dist/` nor `types/`. */
const SOURCES = ['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json']
  .concat(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE'])
  .concat(['bench', 'bin', 'config', 'docs', 'examples', 'launch', 'packages', 'scripts', 'src']);

const isNotBuilt = (path: string): boolean => !/\bpackages\/[^/]+\/dist$/.test(path);

/** A project with the packed program and the examples. */
export function packedProject(): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), 'rein-packed-'));
  const packages = join(folder, 'node_modules');
  const home = join(packages, 'rein');
  const packed = packInClone(folder);
  const unpack = (name: string): void => {
    const { filename } = packed.find((each) => each.name === name)!;
    mkdirSync(join(packages, name), { recursive: true });
    must('tar', ['xf', join(folder, filename), '--strip-components=1', '-C', join(packages, name)], root);
  };
  unpack('rein');
  linkDependencies(packages);
  cpSync(join(root, 'examples'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return {
    folder,
    files: packed.find(({ name }) => name === 'rein')!.files.map(({ path }) => path),
    installBeside: unpack,
    put: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    run: (program, ...args) => {
      const command = program === 'rein' ? [join(home, 'bin/rein.js'), ...args] : args;
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
      return { code: status, stdout, stderr };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Writes the tarballs into `destination`, by the script that people are told of and in a place where nothing is built. */
function packInClone(destination: string): readonly Packed[] {
  const clone = mkdtempSync(join(tmpdir(), 'rein-clone-'));
  try {
    for (const path of SOURCES) cpSync(join(root, path), join(clone, path), { recursive: true, filter: isNotBuilt });
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    const printed = must('npm', ['run', 'package', '--', '--json', '--pack-destination', destination], clone);
    // Build and types say what they do first.
    return JSON.parse(printed.slice(printed.indexOf('\n[\n'))) as readonly Packed[];
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

/** What an installation brings, and nothing that is there for developers only. */
function linkDependencies(packages: string): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>;
  };
  const installed = new Set(readdirSync(join(root, 'node_modules')));
  for (const [path, { dev = false, link = false }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || dev || link || !installed.has(name.split('/')[0]!)) continue;
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
}

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}
