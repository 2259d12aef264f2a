/** The command line as a whole. */
import { Command } from 'commander';
import { wrapText } from '../model/portable.ts';
import { fromPackage } from './bodies/package.ts';
import { bringUpCommand } from './bring-up.ts';
import { calibrateCommand } from './calibrate.ts';
import { type CommandSpec, commanderOf, type RunnableCommand, runnable } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { emulateCommand } from './emulate.ts';
import { evalCommand } from './eval.ts';
import { exportEncoderCommand, exportPolicyCommand } from './export.ts';
import { learnCommand } from './learn.ts';
import { pluginsCommand } from './plugins.ts';
import { pretrainCommand } from './pretrain.ts';
import { recordCommand } from './record.ts';
import { recoverCommand } from './recover.ts';
import { relabelCommand } from './relabel.ts';
import { reportCommand } from './report.ts';
import { rewardCheckCommand, rewardCollectCommand, rewardTrainCommand } from './reward.ts';
import { robotImportCommand } from './robot.ts';
import { runCommand } from './run.ts';
import { safetyCheckCommand } from './safety.ts';
import { safetyIdentifyCommand } from './safety-identify.ts';
import { simCommand } from './sim.ts';
import { sweepCommand } from './sweep.ts';
import { teleopCommand } from './teleop.ts';
import { trainCommand } from './train.ts';
import { watchCommand } from './watch.ts';
import { whyCommand } from './why.ts';

/** Width of help if the output is no terminal, columns. */
const DEFAULT_HELP_COLUMNS = 120;

/** Sinks for the program's text. */
export interface Output {
  out(text: string): void;
  error(text: string): void;
}

const HELP = `
Start here:
  $ rein doctor              does this machine have everything?
  $ rein sim                 a simulated arm learns to insert a peg, in one command
  $ rein sim --help          what that does, and what it writes
  $ rein teleop              drive a simulated arm yourself; --robot FILE drives yours
  $ rein safety check arm6   what a robot's limits are worth, tried by attackers in simulation

Robots, tasks and learners are YAML files in config/; docs/config.md lists every key.
rein is short for what started this: npm run rein -- or npx rein in its checkout.`;

/** All commands, in the order of the help. */
const COMMANDS: readonly RunnableCommand[] = [
  runnable(simCommand, async () => (await import('./bodies/sim.ts')).simBody),
  runnable(runCommand, async () => (await import('./bodies/run.ts')).runBody),
  runnable(teleopCommand, async () => (await import('./bodies/teleop.ts')).teleopBody),
  runnable(watchCommand, async () => (await import('./bodies/watch.ts')).watchBody),
  runnable(recordCommand, async () => (await import('./bodies/record.ts')).recordBody),
  runnable(learnCommand, async () => (await import('./bodies/learn.ts')).learnBody),
  runnable(evalCommand, async () => (await import('./bodies/evaluate.ts')).evaluateBody),
  runnable(reportCommand, async () => (await import('./bodies/report.ts')).reportBody),
  runnable(whyCommand, async () => (await import('./bodies/why.ts')).whyBody),
  runnable(trainCommand, async () => (await fromPackage('rein-lab', () => import('rein-lab/train'))).trainBody),
  runnable(sweepCommand, async () => (await fromPackage('rein-lab', () => import('rein-lab/sweep'))).sweepBody),
  runnable(pretrainCommand, async () => (await import('./bodies/pretrain.ts')).pretrainBody),
  runnable(exportPolicyCommand, async () => (await import('./bodies/export-policy.ts')).exportPolicyBody),
  runnable(exportEncoderCommand, async () => (await import('./bodies/export-policy.ts')).exportEncoderBody),
  runnable(rewardCollectCommand, async () => (await import('./bodies/reward.ts')).rewardCollectBody),
  runnable(rewardTrainCommand, async () => (await import('./bodies/reward.ts')).rewardTrainBody),
  runnable(rewardCheckCommand, async () => (await import('./bodies/reward.ts')).rewardCheckBody),
  runnable(relabelCommand, async () => (await import('./bodies/relabel.ts')).relabelBody),
  runnable(recoverCommand, async () => (await import('./bodies/recover.ts')).recoverBody),
  runnable(robotImportCommand, async () => (await import('./bodies/robot-import.ts')).robotImportBody),
  runnable(safetyCheckCommand, async () => (await import('./bodies/safety.ts')).safetyCheckBody),
  runnable(safetyIdentifyCommand, async () => (await import('./bodies/identify.ts')).safetyIdentifyBody),
  runnable(
    emulateCommand,
    async () => (await fromPackage('rein-emulate', () => import('rein-emulate/command'))).emulateBody,
  ),
  runnable(calibrateCommand, async () => (await import('./bodies/calibrate.ts')).calibrateBody),
  runnable(bringUpCommand, async () => (await import('./bodies/bring-up.ts')).bringUpBody),
  runnable(pluginsCommand, async () => (await import('./bodies/plugins.ts')).pluginsBody),
  runnable(doctorCommand, async () => (await import('./doctor/run-doctor.ts')).runDoctor),
];

/** Descriptions of two-word commands' groups, by first word. */
const GROUPS: Readonly<Record<string, string>> = {
  export: 'export the policy or the encoder of a training',
  reward: 'train a success classifier on labelled states',
  robot: 'write the robot file of a robot that has a model',
  safety: "check a robot's safety chain and its limits",
};

/** Builds the program. `run` receives the requested command and its options. Misuse throws `CommanderError`. */
export function createProgram(
  run: (command: RunnableCommand, options: Record<string, unknown>) => Promise<void>,
  output: Output,
  version: string,
): Command {
  const program = new Command('rein')
    .description('A control runtime for robots that learn on the job.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', HELP);
  for (const command of COMMANDS) {
    groupOf(command.spec, program).addCommand(commanderOf(command.spec, (options) => run(command, options)));
  }
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    command
      .exitOverride()
      .configureOutput({
        // Help texts have long lines.
        writeOut: (text) => output.out(wrapText(text, process.stdout.columns || DEFAULT_HELP_COLUMNS)),
        writeErr: (text) => output.error(text),
        outputError: (text, write) => write(`rein: ${ownWords(text)}`),
      })
      .showHelpAfterError(`Try: ${pathOf(command)} --help`)
      .allowExcessArguments(false);
  }
  return program;
}

/** Parent of a command: the program, or the group named by its first word. */
function groupOf({ name }: CommandSpec, program: Command): Command {
  const [first, second] = name.split(' ');
  if (second === undefined) return program;
  const known = program.commands.find((each) => each.name() === first);
  if (known !== undefined) return known;
  const group = new Command(first).description(GROUPS[first!] ?? '');
  program.addCommand(group);
  return group;
}

/** Rewrites commander's message in Rein's form: no `error:`, and its guess in the same sentence. */
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
