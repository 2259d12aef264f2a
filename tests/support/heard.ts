/** What this process prints. */
import type { Ended } from './rein.ts';

/** Does `work`, which gives an exit code, and keeps what this process prints meanwhile. */
export async function heard(work: () => Promise<number>): Promise<Omit<Ended, 'signal'>> {
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
  try {
    return { code: await work(), ...said };
  } finally {
    for (const undo of restore) undo();
  }
}
