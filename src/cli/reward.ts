/** `rein reward`: a learned classifier of success, from labelled states to a checked file. */
import {
  BY_WHO_DECIDES,
  type Configured,
  collect,
  configOption,
  forceOption,
  listOf,
  oneOf,
  option,
  optionsOf,
  path,
  pathOption,
  positiveNumber,
  seedOption,
  share,
  speedModeOption,
  taskOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { LABEL_STEPS } from '../session/run-request.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const guardOption = option(
  wholeNumber(0, 1000).optional(),
  '--guard <steps>',
  'steps before a success that are left out (default: 0 by the task, 3 by marks: a hand is late)',
);

const collectOptions = optionsOf({
  runs: option(listOf(path()).default([]), '[run...]', 'folders of finished runs', { read: collect }),
  by: option(
    oneOf('task', 'mark').optional(),
    '--by <who>',
    "source of the labels: the task's own rules, or people's marks (m, n)",
  ),
  out: option(path().default('labels.jsonl'), '--out <file>', 'label file, which is appended to'),
  task: taskOption(text().optional(), 'none: states of finished runs'),
  operator: option(
    oneOf('scripted', 'keyboard', 'none').default('keyboard'),
    '--operator <who>',
    'with --task: who may take over',
  ),
  policy: pathOption('--policy <file>', 'with --task: policy that acts'),
  speedMode: speedModeOption(BY_WHO_DECIDES),
  labelSteps: option(
    wholeNumber(1, 1000).default(LABEL_STEPS),
    '--label-steps <n>',
    'with --task: steps that one mark labels',
  ),
  config: configOption(),
  count: option(wholeNumber(2, 1_000_000).optional(), '--count <n>', 'states at most (default: all successes)'),
  negatives: option(positiveNumber(1000).default(3), '--negatives <n>', 'other states for each success'),
  guardSteps: guardOption,
  seed: seedOption(),
});

export type RewardCollectOptions = Configured<typeof collectOptions>;

const COLLECT_HELP = `
What happens:
  States of finished runs are labelled and appended to a file: the state at a success is a success, states before it, and
  those of episodes without one, are not. You choose the source: --by task takes the rules of the task, --by mark the
  marks that people gave. All of what the policy saw is kept, so that fields can be chosen later.

With --task:
  The robot runs as with rein run, without a learner. Each m labels the states of the last steps as successes, each n as
  others: drive it there, and mark what you see. rein run --labels does the same beside a learner.

What it writes: --out, JSON lines; the first says what task and observation the states are of.

Examples:
  $ rein reward collect runs/a1 --by task                       all its successes, and three other states for each
  $ rein reward collect runs/a1 runs/a2 --by mark --count 200   200 states by people's marks
  $ rein reward collect --task insert --operator keyboard       label what you see: m a success, n none
${EXIT_CODES}`;

export const rewardCollectCommand = defineCommand({
  name: 'reward collect',
  description: 'label states of runs as success or not',
  help: COLLECT_HELP,
  options: collectOptions,
  misuse: ({ runs, by, task }) => {
    if (task !== undefined) return runs.length === 0 ? undefined : 'give folders of runs or --task, not both.';
    if (runs.length === 0) return 'name the folder of a run at least, or --task to label a robot at work.';
    return by === undefined ? "--by is missing: task for the task's own rules, mark for people's marks." : undefined;
  },
});

const trainOptions = optionsOf({
  labels: option(path(), '<labels>', 'file of labelled states'),
  out: option(path().default('reward.onnx'), '--out <file>', 'the classifier; its manifest goes beside it'),
  precision: option(share().default(0.95), '--precision <share>', 'least share of its successes that are true'),
  folds: option(wholeNumber(2, 20).default(5), '--folds <n>', 'parts of the cross-validation'),
  fields: option(
    text().optional(),
    '--fields <names>',
    'observation fields that it uses, with commas (default: those that predict success best, no actions)',
  ),
  force: forceOption(),
  seed: seedOption(),
});

export type RewardTrainOptions = Configured<typeof trainOptions>;

const TRAIN_HELP = `
What happens:
  A small network learns which states are successes. It is trained once for each fold on the episodes of the others, so
  that every state is judged by a network that has not seen its episode. On these held-out states the probabilities are
  calibrated, and the threshold is chosen that finds most successes at --precision. Then one network is trained on all.
  It sees the newest frame alone, and no actions: what was wanted is no evidence of what came of it. Of the other fields
  those are taken that lower the held-out loss, one after another: a few labels are soon learned by heart over numbers
  without information. If you know which fields indicate success, give them with --fields.

What it writes:
  --out            the network, with normalisation and calibration inside
  <out>.json       what it is for, its threshold, counts, held-out precision and recall with 95 % intervals, digests
  Both over files that are there with --force only.

Examples:
  $ rein reward train labels.jsonl
  $ rein reward train labels.jsonl --fields hole_offset,force --precision 0.98
${EXIT_CODES}`;

export const rewardTrainCommand = defineCommand({
  name: 'reward train',
  description: 'train a classifier of success on labelled states',
  help: TRAIN_HELP,
  options: trainOptions,
});

const checkOptions = optionsOf({
  classifier: option(path(), '<classifier>', 'reward.onnx, with its manifest beside it'),
  runs: option(listOf(path()), '<run...>', 'folders of runs that it was not trained on', { read: collect }),
  threshold: option(share().optional(), '--threshold <share>', "probability of a success (default: the manifest's)"),
  guardSteps: guardOption,
  mine: pathOption('--mine <labels>', 'append what it got wrong to this label file, to train again'),
  show: option(wholeNumber(0, 100_000).default(10), '--show <n>', 'false positives that are listed'),
  page: pathOption('--page <file>', 'write a page with the false positives, one HTML file'),
  json: pathOption('--json <file>', 'write the result as JSON'),
});

export type RewardCheckOptions = Configured<typeof checkOptions>;

const CHECK_HELP = `
What happens:
  The classifier judges every state of the runs, and is compared with the verdicts of the task or the people: precision
  and recall of states, and how many episodes it would have ended falsely, by how many steps one after another have to
  count (rewardClassifier.forSteps of a task). False positives are listed, the most certain first. For a run whose
  successes a classifier decided, the task's own rules are taken, which were recorded beside it.

What it writes: nothing, unless --mine, --page or --json names a file.

Examples:
  $ rein reward check reward.onnx runs/a2
  $ rein reward check reward.onnx runs/a2 --mine labels.jsonl && rein reward train labels.jsonl --force
${EXIT_CODES}`;

export const rewardCheckCommand = defineCommand({
  name: 'reward check',
  description: 'test a classifier on runs it has not seen, and mine its false positives',
  help: CHECK_HELP,
  options: checkOptions,
});
