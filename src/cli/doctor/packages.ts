/** Tests loading the native and WebAssembly packages in processes of their own: a crash there is a finding, not the end of the doctor. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DoctorCheck, Finding } from './check.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIMIT_MS = 30_000;
const REINSTALL = 'run npm ci in the folder of Rein';

/** A module that prints one line of text about itself. */
interface PackageProbe {
  readonly name: string;
  /** A module's source; `cwd` is Rein's folder, so that its packages are found. */
  readonly script: string;
}

const PROBES: readonly PackageProbe[] = [
  {
    name: 'onnxruntime',
    script: `const m = await import('onnxruntime-node'); const ort = m.default ?? m;
      const names = ort.listSupportedBackends().map((b) => b.name + (b.bundled ? '' : ' (not bundled)'));
      console.log('backends: ' + names.join(', '));`,
  },
  {
    name: 'mujoco',
    script: `const m = await (await import('@mujoco/mujoco')).default(); console.log('version ' + m.mj_versionString()); process.exit(0);`,
  },
  {
    name: 'zeromq',
    script: `const z = await import('zeromq'); console.log('libzmq ' + z.version + (z.capability.curve ? ', with CURVE' : ', without CURVE'));`,
  },
];

/** One check for each package that Rein requires. */
export const packageChecks: readonly DoctorCheck[] = PROBES.map(({ name, script }) => ({
  name,
  whenBroken: 'fail',
  run: () => tryModule(script),
}));

/** Runs `script` as a module in a new process. */
export async function tryModule(script: string, limitMs: number = LIMIT_MS): Promise<Finding> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (c, s) => resolve([c, s]));
  });
  clearTimeout(timer);
  if (code === 0) return { status: 'ok', detail: out.trim().split('\n').at(-1) ?? '' };
  const reason =
    /^\w*Error.*$/m.exec(error)?.[0] ?? (signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
  return { status: 'fail', detail: `it does not load: ${reason}`, remedy: REINSTALL };
}
