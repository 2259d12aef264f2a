/** `rein sim`: the complete training workflow in simulation, in one command. */
import {
  type Configured,
  configOption,
  monitorOptions,
  oneOf,
  option,
  optionsOf,
  outputOption,
  pathOption,
  seconds,
  seedOption,
  taskOption,
  text,
  traceOption,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  task: taskOption(text().default('insert')),
  seed: seedOption(),
  demonstrations: option(
    oneOf('scripted', 'keyboard', 'people').default('scripted'),
    '--demonstrations <who>',
    'who shows the task first: a script, you at the keyboard, or you by any device that may take over',
  ),
  operator: option(
    oneOf('keyboard', 'gamepad', 'spacemouse').default('keyboard'),
    '--operator <device>',
    'what may take over, besides the keyboard and the operators in --config',
  ),
  steps: option(
    wholeNumber(0, 1e8).optional(),
    '--steps <n>',
    "environment steps after the demonstrations (default: the task's)",
  ),
  evalEpisodes: option(
    wholeNumber(1, 100_000).optional(),
    '--eval-episodes <n>',
    "fresh episodes to evaluate on (default: the task's)",
  ),
  timeLimitS: option(
    seconds().optional(),
    '--time-limit <s>',
    'begin no training episode after so many seconds (default: none; the result depends on the machine with it)',
  ),
  config: configOption(),
  json: pathOption('--json <file>', 'write the summary as JSON'),
  out: pathOption('--out <dir>', 'run folder (default: a new one below runs/)'),
  trace: traceOption(),
  output: outputOption(),
  ...monitorOptions(),
});

export type SimOptions = Configured<typeof options>;

const HELP = `
What happens:
  A simulated arm shows some demonstrations, a learner process clones them and then improves on them while the arm
  acts; a scripted operator takes over when the policy is stuck, then less and less. Press t to take over yourself.
  In the end the policy that was best in validation is evaluated on fresh episodes, and compared with the task's
  target. It ends by what was learned, never by the clock: the same seed gives the same policy on a slow, busy or fast
  machine, unless you take over or set --time-limit. Ctrl+C stops the arm, closes the files and ends; a second Ctrl+C
  ends at once.

What it writes, below runs/<id>/ or --out:
  report.html               learning curve, interventions, filters, step times and the first and last episodes
  policy.onnx, policy.json  the policy that was kept, and its manifest: measure it again with rein eval
  summary.json              what --json writes
  config.yaml               task, robot, learner, seed and versions
  journal/                  every transition, in order
  metrics.jsonl             episodes, validations, filters, link and times, one JSON object a line
  metrics-learner.jsonl     losses, values and temperature, from the learner
  events.out.*              the same for TensorBoard, the learner's in learner/
  checkpoints/              the newest states of the networks and their optimisers
  trace.mcap                steps with the robot's frame, and what happened, for the monitor and for Foxglove
  recordings/               poses of the first validation episode and of one evaluation episode

Examples:
  $ rein sim                                      learn to insert a peg: under three minutes on two cores
  $ rein sim --task insert-tight --seed 3         less clearance, another seed
  $ rein sim --steps 500 --eval-episodes 20       a quick look
  $ rein sim --demonstrations keyboard            you show it: t, then the motion keys; Enter skips the rest
  $ rein sim --config mine.yaml --json out.json   your settings, and a summary for a script
${EXIT_CODES}`;

export const simCommand = defineCommand({
  name: 'sim',
  description: 'train and evaluate in simulation: learner, robot and operator in one command',
  help: HELP,
  options,
  endsInOrder: true,
});
