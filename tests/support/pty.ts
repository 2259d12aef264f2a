/** Programs at a pseudo-terminal, with keys typed at them. Python's standard library has one; Node has none. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** One thing to do at the terminal; see `tests/python/pty_run.py`. */
export type TerminalStep =
  | { readonly expect: string }
  | { readonly send: string }
  | { readonly whenFile: string }
  | { readonly more: number; readonly of: string; readonly in: string }
  | { readonly hold: string; readonly until: string; readonly delayS?: number; readonly periodS?: number }
  | { readonly hold: string; readonly whenFile: string; readonly delayS: number; readonly periodS: number }
  | { readonly hold: string; readonly times: number; readonly delayS: number; readonly periodS: number }
  | { readonly sleepS: number };

export interface TerminalResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The expected text, or the file, that never came. */
  readonly missing: string | null;
  readonly output: string;
  /** Whether the terminal echoed: false in raw mode. */
  readonly echo: { readonly before: boolean; readonly during: boolean; readonly after: boolean };
}

/** Why terminal tests cannot run here, or undefined where they can. */
export function whyNoTerminal(): string | undefined {
  if (process.platform === 'win32') return 'there are no pseudo-terminals on Windows';
  return spawnSync('python3', ['-c', 'import pty']).status === 0 ? undefined : 'python3 is not installed';
}

/** Runs `command` at a terminal, does `steps`, and waits for it to end; after `timeoutS` it is killed. */
export async function runInTerminal(
  command: readonly string[],
  steps: readonly TerminalStep[],
  timeoutS = 20,
): Promise<TerminalResult> {
  const helper = fileURLToPath(new URL('../python/pty_run.py', import.meta.url));
  const child = spawn('python3', [helper, String(timeoutS), JSON.stringify(steps), ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()));
  return JSON.parse(text) as TerminalResult;
}
