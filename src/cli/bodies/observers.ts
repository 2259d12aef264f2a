/** Who watches a run: a person at a terminal, or nobody. */
import { TerminalDisplay } from '../../monitor/terminal.ts';
import { isInForeground, type RunObserver, SILENT_OBSERVER } from '../../session/supervision.ts';

/** What `output` asks for, on standard output; `stop` gives the terminal back. */
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

/** True where standard input and output are a terminal and this process is in its foreground: keys are heard, and seen to be. */
export function ownsTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && isInForeground();
}
