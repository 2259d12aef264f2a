/** `rein learn`: the learner alone. */
import { Command, Option } from 'commander';
import type { CommandBodies } from './bodies.ts';
import {
  bindAddress,
  configOption,
  DEFAULT_LEARNER_ADDRESS,
  EXIT_CODES,
  path,
  quietOption,
  seedOption,
  taskOption,
} from './options.ts';

interface Parsed {
  task?: string;
  seed: number;
  bind: string;
  resume?: string;
  from?: string;
  config?: string;
  out?: string;
  quiet?: boolean;
}

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
  config.yaml             task, robot, learner, seed, versions and the run's id

Examples:
  $ rein learn --task insert                                       on the workstation
  $ rein run --learner tcp://127.0.0.1:7350 --operator scripted    on the robot, here the same machine
  $ rein learn --resume runs/a1                                    continue after a stop
${EXIT_CODES}`;

export function createLearnCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('learn')
    .description('run the learner alone: takes transitions from robots, gives them weights')
    .addOption(taskOption())
    .option(
      '--bind <address>',
      'loopback address to listen at, tcp://host:port; port 0 takes a free one',
      bindAddress,
      DEFAULT_LEARNER_ADDRESS,
    )
    .addOption(
      new Option(
        '--resume <dir>',
        'run folder to continue from its last checkpoint, or from the beginning where it has none',
      )
        .argParser(path)
        .conflicts(['task', 'config', 'seed', 'out', 'from']),
    )
    .option(
      '--from <dir>',
      'begin with the networks of a rein pretrain --run; mind bcInitSteps, which clones again',
      path,
    )
    .addOption(seedOption())
    .addOption(configOption())
    .option('--out <dir>', 'folder for a new run (default: one below runs/)', path)
    .addOption(quietOption())
    .addHelpText('after', HELP)
    .action(async (parsed: Parsed) => {
      const { seed, bind, resume, from, config, out } = parsed;
      const task = parsed.task ?? (resume === undefined ? 'insert' : undefined);
      finish(
        await bodies.learn({ task, seed, bind, resume, from, config, out, output: parsed.quiet ? 'quiet' : 'live' }),
      );
    });
}
