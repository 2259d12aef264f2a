/** `rein pretrain`: learning from stored transitions, before anything moves. */
import {
  type Configured,
  keyValueOption,
  option,
  optionsOf,
  path,
  seedOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  run: option(path().optional(), '--run <dir>', 'learn from the transitions of this run', {
    conflicts: ['environment', 'environmentOptions'],
  }),
  environment: option(text().default('point'), '--env <name>', "or from demonstrations of this environment's expert"),
  environmentOptions: keyValueOption<number | boolean>(
    '--option <key=value>',
    'an option of the environment; may be given several times',
  ),
  demonstrations: option(wholeNumber(1, 100_000).default(10), '--demonstrations <n>', 'episodes that the expert shows'),
  skill: keyValueOption<number | boolean>('--skill <key=value>', 'an option of the expert; may be given several times'),
  learner: option(
    path().default('rlpd'),
    '--learner <name>',
    'name of a file in config/learner/, or a path ending in .yaml',
  ),
  learnerKeys: keyValueOption('--set <key=value>', "a key of the learner's file; may be given several times"),
  seed: seedOption(),
  out: option(path(), '--out <dir>', 'new folder for the networks'),
});

export type PretrainOptions = Configured<typeof options>;

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

export const pretrainCommand = defineCommand({
  name: 'pretrain',
  description: 'learn from stored transitions or demonstrations, for a training to begin with',
  help: HELP,
  options,
});
