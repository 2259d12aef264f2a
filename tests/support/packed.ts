/** The package as somebody installs it: a tarball of `npm pack`, unpacked into an empty project with its dependencies linked. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface PackedProject {
  readonly folder: string;
  /** `types/…` and all other files of the package. */
  readonly files: readonly string[];
  /** Writes a file of the project. */
  put(path: string, text: string): void;
  /** Runs a program of the project; `rein` is the installed one. */
  run(program: 'node' | 'rein', ...args: readonly string[]): { code: number | null; stdout: string; stderr: string };
  remove(): void;
}

/** A project with the packed program and the examples. Needs `dist/`. */
export function packedProject(): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), 'rein-packed-'));
  const packages = join(folder, 'node_modules');
  const home = join(packages, 'rein');
  mkdirSync(home, { recursive: true });
  must('node', ['scripts/types.js'], root);
  // The tests have built dist already.
  const listed = must('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [{ filename, files }] = JSON.parse(listed) as [{ filename: string; files: { path: string }[] }];
  must('tar', ['xf', join(folder, filename), '--strip-components=1', '-C', home], root);
  linkDependencies(packages);
  cpSync(join(root, 'examples'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return {
    folder,
    files: files.map(({ path }) => path),
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

/** What an installation brings, and nothing that is there for developers only. */
function linkDependencies(packages: string): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const installed = new Set(readdirSync(join(root, 'node_modules')));
  for (const [path, { dev = false }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || dev || !installed.has(name.split('/')[0]!)) continue;
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
}

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}
