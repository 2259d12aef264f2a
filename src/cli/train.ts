/** `rein train`: one learner in one simulated environment, without a robot. */
import { Command, Option } from 'commander';
import type { CommandBodies } from './bodies.ts';
import type { SetValue } from './commands.ts';
import { EXIT_CODES, keyValue, path, quietOption, secondsOrNone, seedOption, wholeNumber } from './options.ts';

interface Parsed {
  env: string;
  option?: Record<string, number | boolean>;
  learner: string;
  set?: Record<string, SetValue | readonly SetValue[]>;
  seed: number;
  steps: number;
  randomSteps?: number;
  evalEvery: number;
  evalEpisodes: number;
  demonstrations: number;
  from?: string;
  checkpointEvery: number;
  resume?: string;
  out?: string;
  quiet?: boolean;
}

const HELP = `
What happens:
  A policy acts in a simulated environment, as fast as the machine goes, and is trained after every step by exactly
  the updates that the step pays for (utd). Now and then it is evaluated without noise, on the same episodes for
  every seed. The result depends on environment, learner and seed alone. It can be killed at any moment: --resume
  goes on from the last checkpoint to the same curve and the same weights, bit for bit.

What it writes, below runs/<id>/ or --out:
  trial.json              everything that the result depends on
  curve.jsonl             one line an evaluation: steps, updates, returns, successes, means of the learner's metrics
  events.jsonl            what happened when
  policy.onnx, result.json   at the end
  checkpoints/, journal/     to continue with --resume

Examples:
  $ rein train --env point --steps 300                                   a few seconds, to try it
  $ rein train --env pendulum --learner sac --set utd=20 --steps 1500    swing a pendulum up
  $ rein train --resume runs/a1                                          continue after a stop
${EXIT_CODES}`;

export function createTrainCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('train')
    .description('train in a simulated environment without a robot: one learner, one seed, one curve')
    .option('--env <name>', 'environment; a wrong name lists all', 'point')
    .addOption(
      new Option('--option <key=value>', 'what the environment is told; may be given several times').argParser(
        keyValue,
      ),
    )
    .option('--learner <name>', 'name of a file in config/learner/, or a path ending in .yaml', path, 'rlpd')
    .addOption(
      new Option('--set <key=value>', "a key of the learner's file; may be given several times").argParser(keyValue),
    )
    .addOption(seedOption())
    .option('--steps <n>', 'environment steps', wholeNumber(1, 1e8), 1000)
    .option(
      '--random-steps <n>',
      "uniform actions at the start (default: the learner's warmupSteps)",
      wholeNumber(0, 1e8),
    )
    .option('--eval-every <n>', 'steps between evaluations', wholeNumber(1, 1e8), 500)
    .option('--eval-episodes <n>', 'episodes of each evaluation', wholeNumber(1, 10_000), 10)
    .option('--demonstrations <n>', "episodes of the environment's expert to begin with", wholeNumber(0, 10_000), 0)
    .option('--checkpoint-every <s>', 'least seconds between checkpoints, between episodes', secondsOrNone, 20)
    .option('--from <dir>', 'begin with the networks of a finished train or pretrain', path)
    .option('--resume <dir>', 'folder to continue; then only --quiet and --checkpoint-every count beside it', path)
    .option('--out <dir>', 'folder (default: a new one below runs/)', path)
    .addOption(quietOption())
    .addHelpText('after', HELP)
    .action(async (parsed: Parsed) => {
      const { resume, learner, seed, steps, randomSteps, demonstrations, from, out } = parsed;
      finish(
        await bodies.train({
          resume,
          environment: parsed.env,
          environmentOptions: parsed.option ?? {},
          learner,
          learnerKeys: parsed.set ?? {},
          seed,
          steps,
          randomSteps,
          evaluateEvery: parsed.evalEvery,
          evaluationEpisodes: parsed.evalEpisodes,
          demonstrations,
          from,
          checkpointEveryS: parsed.checkpointEvery,
          out,
          output: parsed.quiet ? 'quiet' : 'live',
        }),
      );
    });
}
