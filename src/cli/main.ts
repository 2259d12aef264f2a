/** Entry point of the command line: `bin/rein.js` calls `main` once it has checked the version of Node. */
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { describeError, ReinError } from '../model/index.ts';
import type { CommandBody, CommandSpec, RunnableCommand } from './command.ts';
import { createProgram, type Output } from './program.ts';

/** Exit code of an invalid command line. */
const MISUSE = 2;

const processOutput: Output = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

/** Runs a command with its options. Resolves to the exit code. */
export type RunCommand = (command: RunnableCommand, options: Record<string, unknown>) => Promise<number>;

/**
 * Runs the command of `args` (without node and script), and resolves to the process's exit code: 0 done, 1 it could not be done or the
 * target was missed, 2 misuse. Never rejects. `run`: replaced by tests, to check how a command line is parsed.
 */
export async function main(
  args: readonly string[],
  run: RunCommand = async ({ load }, options) => wholly((await load()) as CommandBody<typeof options>, options),
  output: Output = processOutput,
): Promise<number> {
  let running: CommandSpec | undefined;
  if (output === processOutput) watchReader(process.stdout, () => running?.endsInOrder === true);
  let exitCode = 0;
  const runAsked = async (command: RunnableCommand, options: Record<string, unknown>): Promise<void> => {
    running = command.spec;
    exitCode = await run(command, options);
  };
  const program = createProgram(runAsked, output, ownVersion());
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return MISUSE;
    }
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    output.error(describeError(error, 'rein'));
    return isMisuse(error, args) ? MISUSE : 1;
  }
}

/**
 * Runs `body` to its end. If a loaded module exits the process midway with code 0, as if all were done, an error is printed and the exit
 * code is 1.
 */
async function wholly<T>(body: CommandBody<T>, options: T): Promise<number> {
  const onExit = (code: number): void => {
    if (code !== 0 || isReaderGone) return;
    process.exitCode = 1;
    const remedy = 'Look for process.exit in the modules that its configuration names.';
    process.stderr.write(`rein: The process was ended while it was at work.\n  → ${remedy}\n`);
  };
  process.on('exit', onExit);
  try {
    return await body(options);
  } finally {
    process.off('exit', onExit);
  }
}

/** True once the reader of standard output has gone away. */
let isReaderGone = false;

/** A file that a safety check cannot load is an error of the command line, not a finding of the check. */
function isMisuse(error: unknown, args: readonly string[]): boolean {
  return args[0] === 'safety' && error instanceof ReinError && error.kind === 'config';
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/**
 * Handles the loss of `stdout`'s reader. `rein doctor | head` just exits, without error; a run ends in order, as on SIGTERM, with exit code
 * 130: `endsInOrder` is true if the running command does so. A command that is over and prints its final output goes on.
 */
export function watchReader(stdout: Pick<NodeJS.WriteStream, 'on'>, endsInOrder: () => boolean): void {
  isReaderGone = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The same error is emitted again for each further line.
    if (isReaderGone) return;
    if (error.code !== 'EPIPE') throw error;
    isReaderGone = true;
    if (endsInOrder()) process.emit('SIGTERM', 'SIGTERM');
    else process.exit(0);
  });
}
