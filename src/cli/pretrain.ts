/** `rein pretrain`: learning from what is stored, before anything moves. */
import { Command, Option } from 'commander';
import type { CommandBodies } from './bodies.ts';
import type { SetValue } from './commands.ts';
import { EXIT_CODES, keyValue, path, seedOption, wholeNumber } from './options.ts';

interface Parsed {
  run?: string;
  env: string;
  option?: Record<string, number | boolean>;
  demonstrations: number;
  skill?: Record<string, number | boolean>;
  learner: string;
  set?: Record<string, SetValue | readonly SetValue[]>;
  seed: number;
  out: string;
}

const HELP = `
What happens:
  A policy clones the actions of stored transitions (bcInitSteps), and where the algorithm can, critics and policy learn
  from them offline (wsrl: Cal-QL, wsrl.offlineUpdates). Nothing acts. Training goes on from the folder with --from.

What it writes, into --out:
  checkpoints/            networks and optimisers
  policy.onnx             the policy
  pretraining.json        how many transitions, first and last losses

Examples:
  $ rein pretrain --run runs/a1 --out runs/pre                        what a robot or a training has recorded
  $ rein pretrain --env insert-state --demonstrations 20 --out runs/pre
  $ rein train --env insert-state --from runs/pre --steps 5000        go on from there
${EXIT_CODES}`;

export function createPretrainCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('pretrain')
    .description('learn from stored transitions or demonstrations, for a training to begin with')
    .addOption(
      new Option('--run <dir>', 'learn from the transitions of this run').argParser(path).conflicts(['env', 'option']),
    )
    .option('--env <name>', "or from demonstrations of this environment's expert", 'point')
    .addOption(
      new Option('--option <key=value>', 'what the environment is told; may be given several times').argParser(
        keyValue,
      ),
    )
    .option('--demonstrations <n>', 'episodes that the expert shows', wholeNumber(1, 100_000), 10)
    .addOption(
      new Option('--skill <key=value>', 'what the expert is told; may be given several times').argParser(keyValue),
    )
    .option('--learner <name>', 'name of a file in config/learner/, or a path ending in .yaml', path, 'rlpd')
    .addOption(
      new Option('--set <key=value>', "a key of the learner's file; may be given several times").argParser(keyValue),
    )
    .addOption(seedOption())
    .requiredOption('--out <dir>', 'new folder for the networks', path)
    .addHelpText('after', HELP)
    .action(async (parsed: Parsed) => {
      const { run, demonstrations, learner, seed, out } = parsed;
      finish(
        await bodies.pretrain({
          run,
          environment: parsed.env,
          environmentOptions: parsed.option ?? {},
          demonstrations,
          skill: parsed.skill ?? {},
          learner,
          learnerKeys: parsed.set ?? {},
          seed,
          out,
        }),
      );
    });
}
