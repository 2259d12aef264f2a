/** The command line as a whole. */
import { Command } from 'commander';
import type { CommandBodies } from './bodies.ts';
import { createDoctorCommand } from './doctor.ts';
import { createEvalCommand } from './eval.ts';
import { createExportCommand } from './export.ts';
import { createLearnCommand } from './learn.ts';
import { createPluginsCommand } from './plugins.ts';
import { createPretrainCommand } from './pretrain.ts';
import { createRecoverCommand } from './recover.ts';
import { createReportCommand } from './report.ts';
import { createRunCommand } from './run.ts';
import { createSafetyCommand } from './safety.ts';
import { createSimCommand } from './sim.ts';
import { createSweepCommand } from './sweep.ts';
import { createTrainCommand } from './train.ts';
import { DEFAULT_HELP_COLUMNS, wrapText } from './wrap.ts';

/** Where text goes. */
export interface Output {
  out(text: string): void;
  error(text: string): void;
}

const HELP = `
Start here:
  $ rein doctor              does this machine have everything?
  $ rein sim                 a simulated arm learns to insert a peg, in one command
  $ rein sim --help          what that does, and what it writes
  $ rein safety check arm6   what a robot's limits are worth, tried by attackers in simulation

Robots, tasks and learners are YAML files in config/; docs/config.md lists every key.`;

/** Builds the program. `finish` is told the exit code of the command that ran. Misuse throws `CommanderError`. */
export function createProgram(
  bodies: CommandBodies,
  output: Output,
  finish: (code: number) => void,
  version: string,
): Command {
  const program = new Command('rein')
    .description('A control runtime for robots that learn on the job.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', HELP);
  for (const create of [
    createSimCommand,
    createRunCommand,
    createLearnCommand,
    createEvalCommand,
    createReportCommand,
    createTrainCommand,
    createSweepCommand,
    createPretrainCommand,
    createExportCommand,
    createRecoverCommand,
    createSafetyCommand,
    createPluginsCommand,
    createDoctorCommand,
  ]) {
    program.addCommand(create(bodies, finish));
  }
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    command
      .exitOverride()
      .configureOutput({
        // Help texts come in long lines.
        writeOut: (text) => output.out(wrapText(text, process.stdout.columns || DEFAULT_HELP_COLUMNS)),
        writeErr: (text) => output.error(text),
        outputError: (text, write) => write(`rein: ${ownWords(text)}`),
      })
      .showHelpAfterError(`Try: ${pathOf(command)} --help`)
      .allowExcessArguments(false);
  }
  return program;
}

/** Commander's message in the form of ours: no `error:`, and its guess in the same sentence. */
function ownWords(text: string): string {
  return text.replace(/^error: /, '').replace(/\n\(Did you mean (?:one of )?(.+?)\?\)/, (_, words: string) => {
    const guesses = words.split(', ').map((word) => `"${word}"`);
    return `, did you mean ${guesses.join(' or ')}?`;
  });
}

/** `rein`, `rein sim`, `rein safety check`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
