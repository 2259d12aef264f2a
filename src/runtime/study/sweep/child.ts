/** The program itself as a child: one run of a sweep. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The sources and `dist/` are equally deep. */
const PROGRAM = fileURLToPath(new URL('../../../../bin/rein.js', import.meta.url));
/** Characters of a child's complaints that are kept. */
const MAX_COMPLAINT = 600;

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote to standard error. */
  readonly complaint: string;
}

/** Runs `rein ARGS` to its end, or until `signal`; hands each line that it prints to `onLine`. Rejects where it cannot be started. */
export function runChild(
  args: readonly string[],
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<ChildEnd> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', end);
      resolve({ code, signal: killedBy, complaint: complaint.trim() });
    });
  });
}
