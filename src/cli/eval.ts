/** `rein eval`: how good one policy is. */
import { Command } from 'commander';
import type { CommandBodies } from './bodies.ts';
import { configOption, EXIT_CODES, path, quietOption, seedOption, taskOption, wholeNumber } from './options.ts';

interface Parsed {
  policy: string;
  task?: string;
  episodes?: number;
  seed: number;
  config?: string;
  json?: string;
  quiet?: boolean;
}

const HELP = `
What happens:
  The policy acts in simulation without noise and without an operator, on episodes drawn from --seed. The success
  rate is printed with its 95 % interval. A policy file that is damaged, made for another robot or task, or full of
  NaN is refused before anything moves.

What it writes: nothing, unless --json names a file.

Examples:
  $ rein eval --policy runs/a1/policy.onnx                       200 episodes of the task it was trained on
  $ rein eval --policy runs/a1/policy.onnx --task insert-tight   how well it carries over
  $ rein eval --policy p.onnx --episodes 1000 --seed 7 --json e.json
${EXIT_CODES}`;

export function createEvalCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('eval')
    .description('measure the success rate of a policy in simulation')
    .requiredOption('--policy <file>', 'ONNX file with its manifest beside it', path)
    .addOption(taskOption().default(undefined, 'the task in config.yaml beside the policy'))
    .option('--episodes <n>', "episodes to evaluate on (default: the task's)", wholeNumber(1, 100_000))
    .addOption(seedOption())
    .addOption(configOption())
    .option('--json <file>', 'write the result as JSON', path)
    .addOption(quietOption())
    .addHelpText('after', HELP)
    .action(async (parsed: Parsed, command: Command) => {
      const { policy, task, episodes, seed, config, json } = parsed;
      if (config !== undefined && task === undefined) {
        command.error(
          'error: --config needs --task: without it the configuration beside the policy is taken as it is.',
        );
      }
      finish(
        await bodies.evaluate({ policy, task, episodes, seed, config, json, output: parsed.quiet ? 'quiet' : 'live' }),
      );
    });
}
