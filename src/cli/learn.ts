/** `rein learn`: the learner alone. */
import {
  type Configured,
  configOption,
  monitorOptions,
  option,
  optionsOf,
  outputOption,
  path,
  pathOption,
  seedOption,
  taskOption,
  tcpAddress,
  text,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

/** Default address of a learner: this machine only. */
export const DEFAULT_LEARNER_ADDRESS = 'tcp://127.0.0.1:7350';

/** Port of a learner's page, beside that of a robot on the same machine. */
export const LEARNER_PORT = 7420;

const options = optionsOf({
  /** `undefined`: that of the resumed run, or `insert`. */
  task: taskOption(text().optional()),
  bind: option(
    tcpAddress(0).default(DEFAULT_LEARNER_ADDRESS),
    '--bind <address>',
    'loopback address to listen at, tcp://host:port; port 0 takes a free one',
  ),
  resume: option(
    path().optional(),
    '--resume <dir>',
    'run folder to continue from its last checkpoint, or from the beginning where it has none',
    { conflicts: ['task', 'config', 'seed', 'out', 'from'] },
  ),
  from: pathOption(
    '--from <dir>',
    'begin with the networks of a rein pretrain --run; mind bcInitSteps, which clones again',
  ),
  relabelled: pathOption('--relabelled <dir>', 'run folder of a robot whose rein relabel entries are applied'),
  seed: seedOption(),
  config: configOption(),
  out: pathOption('--out <dir>', 'folder for a new run (default: one below runs/)'),
  output: outputOption(),
  ...monitorOptions(LEARNER_PORT),
});

export type LearnOptions = Configured<typeof options>;

const HELP = `
What happens:
  Robots connect, send transitions and receive weights. The learner does a fixed number of updates for each
  transition it accepted (utd in config/learner/), never more, and saves a checkpoint from time to time. It can be
  stopped at any time: robots go on with their last weights, and nothing that they recorded is lost.
  It keeps no copy of the transitions: a learner that starts again gets them from the journals of its robots.
  It listens on this machine only: transitions at the port of --bind, and weights go out at the next one. Addresses
  that other machines can reach are refused; a robot elsewhere comes through a tunnel (ssh -L).

What it writes, below runs/<id>/ or --out:
  checkpoints/            to continue with --resume
  metrics-learner.jsonl   losses, values and temperature, one JSON object a line
  learner/                the same for TensorBoard
  config.yaml             task, robot, learner, seed, versions and the run's id

Examples:
  $ rein learn --task insert                                       on the workstation
  $ rein run --learner tcp://127.0.0.1:7350 --operator scripted    on the robot, here the same machine
  $ rein learn --resume runs/a1                                    continue after a stop
  $ rein learn --resume runs/a1 --relabelled runs/arm              the robot's record as rein relabel says
${EXIT_CODES}`;

export const learnCommand = defineCommand({
  name: 'learn',
  description: 'run the learner alone: takes transitions from robots, gives them weights',
  help: HELP,
  options,
  endsInOrder: true,
});
