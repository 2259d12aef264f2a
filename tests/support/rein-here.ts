/** The program within the test's own process: its sentences without the second that each start costs. Needs `dist/`. */
import type { Ended } from './rein.ts';

// Compiled, as the workers that it may start are.
const { main } = (await import(
  new URL('../../dist/cli/main.js', import.meta.url).href
)) as typeof import('../../src/cli/main.ts');

/** Runs one command line in folder `cwd` to its end. One at a time: the folder and the output are the whole process's. */
export async function reinHere(args: readonly string[], cwd: string): Promise<Omit<Ended, 'signal'>> {
  const home = process.cwd();
  const said = { stdout: '', stderr: '' };
  const restore = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = (text: string | Uint8Array): boolean => {
      said[name] += String(text);
      return true;
    };
    return () => {
      process[name].write = write;
    };
  });
  const output = {
    out: (text: string) => void process.stdout.write(text),
    error: (text: string) => void process.stderr.write(text),
  };
  process.chdir(cwd);
  try {
    return { code: await main(args, undefined, output), ...said };
  } finally {
    process.chdir(home);
    for (const undo of restore) undo();
  }
}
