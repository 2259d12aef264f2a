/** `rein eval`: measures how good one policy is. */
import {
  type Configured,
  configOption,
  option,
  optionsOf,
  outputOption,
  path,
  pathOption,
  seedOption,
  taskOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  /** A run folder, or an ONNX file with its manifest beside it. */
  policy: option(path(), '--policy <file>', 'ONNX file with its manifest beside it'),
  against: pathOption('--against <file>', 'a second policy, on the same starts: which is better?'),
  task: taskOption(text().optional(), 'the task in config.yaml beside the policy'),
  episodes: option(
    wholeNumber(1, 100_000).optional(),
    '--episodes <n>',
    "episodes to evaluate on (default: the task's)",
  ),
  seed: seedOption(),
  config: configOption(),
  json: pathOption('--json <file>', 'write the result as JSON'),
  output: outputOption(),
});

export type EvaluationOptions = Configured<typeof options>;

const HELP = `
What happens:
  The policy acts in simulation without noise and without an operator, on episodes drawn from --seed. The success
  rate is printed with its 95 % interval, and how long a success takes: median and 90 % quantile, of simulated time.
  --against tries a second policy on the same starts, and says how much more often the first succeeds, with the
  interval of paired cases (Newcombe 1998), and whether that tells them apart; the exit code is 0 whatever comes out.
  A policy file that is damaged, made for another robot or task, or full of NaN is refused before anything moves.

What it writes: nothing, unless --json names a file.

Examples:
  $ rein eval --policy runs/a1/policy.onnx                       200 episodes of the task it was trained on
  $ rein eval --policy runs/a1/policy.onnx --task insert-tight   how well it carries over
  $ rein eval --policy runs/b2 --against runs/a1                 which is better, on the same starts
  $ rein eval --policy p.onnx --episodes 1000 --seed 7 --json e.json
${EXIT_CODES}`;

export const evalCommand = defineCommand({
  name: 'eval',
  description: 'measure the success rate of a policy in simulation, or compare two',
  help: HELP,
  options,
  misuse: ({ config, task }) =>
    config === undefined || task !== undefined
      ? undefined
      : '--config needs --task: without it the configuration beside the policy is taken as it is.',
});
