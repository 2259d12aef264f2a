/** The program itself as a child: one run of a sweep. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The sources and `dist/` are equally deep. */
const PROGRAM = fileURLToPath(new URL('../../../bin/rein.js', import.meta.url));
/** Characters of a child's complaints that are kept. */
const MAX_COMPLAINT = 600;

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote to standard error. */
  readonly complaint: string;
}

/** What the one who runs a child is told. */
export interface ChildHooks {
  /** Its process id, as soon as it has one. */
  readonly onStart?: (pid: number) => void;
  /** Each line that it prints. */
  readonly onLine: (line: string) => void;
}

/**
 * Runs `rein ARGS` to its end, or until `signal`. It has a channel to this process, and ends when that closes: should this
 * process be killed, nobody goes on alone. Rejects where it cannot be started.
 */
export function runChild(args: readonly string[], signal: AbortSignal, hooks: ChildHooks): Promise<ChildEnd> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  if (child.pid !== undefined) hooks.onStart?.(child.pid);
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  createInterface({ input: child.stdout! }).on('line', hooks.onLine);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', end);
      resolve({ code, signal: killedBy, complaint: complaint.trim() });
    });
  });
}
