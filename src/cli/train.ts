/** `rein train`: trains one learner in one simulated environment, without a robot. */
import {
  type Configured,
  keyValueOption,
  option,
  optionsOf,
  outputOption,
  path,
  pathOption,
  seconds,
  seedOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  environment: option(text().default('point'), '--env <name>', 'environment; a wrong name lists all'),
  environmentOptions: keyValueOption<number | boolean>(
    '--option <key=value>',
    'an option of the environment; may be given several times',
  ),
  learner: option(
    path().default('rlpd'),
    '--learner <name>',
    'name of a file in config/learner/, or a path ending in .yaml',
  ),
  learnerKeys: keyValueOption('--set <key=value>', "a key of the learner's file; may be given several times"),
  seed: seedOption(),
  steps: option(wholeNumber(1, 1e8).default(1000), '--steps <n>', 'environment steps'),
  randomSteps: option(
    wholeNumber(0, 1e8).optional(),
    '--random-steps <n>',
    "uniform actions at the start (default: the learner's warmupSteps)",
  ),
  evaluateEvery: option(wholeNumber(1, 1e8).default(500), '--eval-every <n>', 'steps between evaluations'),
  evaluationEpisodes: option(wholeNumber(1, 10_000).default(10), '--eval-episodes <n>', 'episodes of each evaluation'),
  demonstrations: option(
    wholeNumber(0, 10_000).default(0),
    '--demonstrations <n>',
    "episodes of the environment's expert to begin with",
  ),
  checkpointEveryS: option(
    seconds('none').default(20),
    '--checkpoint-every <s>',
    'least seconds between checkpoints, between episodes',
  ),
  from: pathOption('--from <dir>', 'begin with the networks of a finished train or pretrain'),
  resume: pathOption('--resume <dir>', 'folder to continue; then only --quiet and --checkpoint-every count beside it'),
  out: pathOption('--out <dir>', 'folder (default: a new one below runs/)'),
  output: outputOption(),
});

export type TrainOptions = Configured<typeof options>;

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

export const trainCommand = defineCommand({
  name: 'train',
  description: 'train in a simulated environment without a robot: one learner, one seed, one curve',
  help: HELP,
  options,
  endsInOrder: true,
});
