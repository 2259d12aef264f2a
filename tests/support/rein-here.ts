/** The program within the test's own process: its sentences without the second that each start costs. Needs `dist/`. */
import { heard } from './heard.ts';
import { type Ended, unmonitored } from './rein.ts';

// Compiled, as the workers that it may start are.
const { main } = (await import(
  new URL('../../dist/cli/main.js', import.meta.url).href
)) as typeof import('../../src/cli/main.ts');

/** Runs one command line in folder `cwd` to its end. One at a time: the folder and the output are the whole process's. */
export async function reinHere(args: readonly string[], cwd: string): Promise<Omit<Ended, 'signal'>> {
  const home = process.cwd();
  const output = {
    out: (text: string) => void process.stdout.write(text),
    error: (text: string) => void process.stderr.write(text),
  };
  process.chdir(cwd);
  try {
    return await heard(() => main(unmonitored(args), undefined, output));
  } finally {
    process.chdir(home);
  }
}
