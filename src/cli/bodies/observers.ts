/** Observers of a run: a terminal display, or none. */
import { TerminalDisplay } from '../../monitor/terminal.ts';
import { isInForeground, type RunObserver, SILENT_OBSERVER } from '../../session/supervision.ts';

/** Observer for `output`, on standard output; `stop` releases the terminal. */
export function createObserver(output: 'live' | 'quiet'): RunObserver & { stop(): void } {
  if (output === 'quiet') return { ...SILENT_OBSERVER, stop: () => undefined };
  const nowS = (): number => performance.now() / 1e3;
  const display = new TerminalDisplay({ stream: process.stdout, env: process.env, nowS });
  return {
    status: (status) => display.update(status),
    print: (line) => display.print(line),
    stop: () => display.stop(),
  };
}

/** True if standard input and output are a terminal with this process in its foreground: keys arrive, and their effect is visible. */
export function ownsTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && isInForeground();
}
