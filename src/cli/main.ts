/** Entry of the command line: `bin/rein.js` calls `main` once it knows that this Node is new enough. */
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { describeError, ReinError } from '../core/index.ts';
import type { CommandBody, CommandSpec, RunnableCommand } from './command.ts';
import { createProgram, type Output } from './program.ts';

/** Exit code of a command line that was not understood. */
const MISUSE = 2;

const processOutput: Output = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

/** Does what a command is asked for. Resolves to the exit code. */
export type RunCommand = (command: RunnableCommand, options: Record<string, unknown>) => Promise<number>;

/**
 * Runs the command that `args` (without node and script) asks for, and resolves to the process's exit code: 0 done,
 * 1 it could not be done or the target was missed, 2 misuse. Never rejects. `run`: tests see what a command line is understood as.
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
 * Runs `body` to its end. Where a module that it loaded ends the process in the middle, and says with 0 that all is done, that is said
 * and the exit code is 1.
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

/** Nobody reads what this process writes to standard output. */
let isReaderGone = false;

/** A check is asked about a file: one that is wrong is a mistake of the question, and no finding. */
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
 * What to do when nobody reads `stdout` any more. `rein doctor | head` is no error and just ends; a run ends in order,
 * as if asked to with SIGTERM, so that it exits with 130: `endsInOrder` says whether the command that runs does that. One that is over already, and writes its last words, goes on.
 */
export function watchReader(stdout: Pick<NodeJS.WriteStream, 'on'>, endsInOrder: () => boolean): void {
  isReaderGone = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The same trouble comes again with each line that is still written.
    if (isReaderGone) return;
    if (error.code !== 'EPIPE') throw error;
    isReaderGone = true;
    if (endsInOrder()) process.emit('SIGTERM', 'SIGTERM');
    else process.exit(0);
  });
}
