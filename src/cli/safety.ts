/** `rein safety check`: what a robot's limits are worth, tried before anything moves. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { STAGES, type StageName } from '../safety/index.ts';
import type { CommandBodies } from './bodies.ts';
import { path, seedOption, wholeNumber } from './options.ts';

/** Ticks of a check unless told otherwise: 0 violations in them bound the rate to 3·10⁻⁵ per tick. */
const DEFAULT_TICKS = 100_000;
const MOST_TICKS = 100_000_000;

interface Parsed {
  limits?: string;
  ticks: number;
  seed: number;
  chain: 'on' | 'off';
  without: readonly StageName[];
  out: string;
  json?: string;
  quiet?: boolean;
}

const HELP = `
What CONFIG can be:
  arm6                      the name of a robot in config/robots/
  my-robot.yaml             a robot's file, or a limits file that names an MJCF or URDF under "model"
  arm.urdf, arm.xml         a model that MuJoCo loads, with --limits: a limits file, or a ROS joint_limits.yaml as it is

What happens:
  1  The limits are checked for sense. What contradicts itself is refused with file, line and column.
  2  Attackers command the robot in simulation: random, bang-bang, alternating, pushing one way, pumping at resonance,
     searching for the worst, NaN and infinities, late and replayed commands, changing deciders, and velocities of any
     size behind the action map. Ticks last from 0 to 5 periods; loads, friction, delay and a wall vary.
  3  Witnesses that share no code with the chain count what goes wrong: position, speed, acceleration, workspace, fence,
     distances, energy, obedience, stops. MuJoCo's own distances and energies are among them.
  4  Commands end at random moments: how soon it brakes, how long and how far it takes, against the printed bound.

How to see that the check bites:
  $ rein safety check arm6 --chain off            what these attacks do to a robot without the chain
  $ rein safety check arm6 --without shield       what one stage is there for; repeat it to leave out several

What it writes: safety-report.html in --out, one file that needs nothing else; and --json, if given.

Examples:
  $ rein safety check arm6
  $ rein safety check my-arm.yaml                 names my-arm.urdf and joint_limits.yaml, and stiffness
  $ rein safety check my-arm.xml --limits joint_limits.yaml
  $ rein safety check arm6 --ticks 1000000 --seed 7 --json check.json

Nothing here says anything about hardware. A hardware emergency stop is required in any case.

Exit codes:
  0  no limit was broken, and no energy came from nowhere
  1  something was found, or it could not be run; the reason is the last line
  2  the command line or a file was not understood, or what --out or --json names cannot be written`;

export function createSafetyCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  const check = new Command('check')
    .description("attack a robot's limits in simulation and report what held")
    .argument('<config>', "a robot's name, its YAML file, a limits file, or an MJCF or URDF with --limits", path)
    .option('--limits <file>', 'limits for an MJCF or URDF: our YAML, or a ROS joint_limits.yaml', path)
    .option('--ticks <n>', 'adversarial control ticks', wholeNumber(1, MOST_TICKS), DEFAULT_TICKS)
    .addOption(seedOption().default(1))
    .addOption(new Option('--chain <state>', 'off: without the safety chain').choices(['on', 'off']).default('on'))
    .option('--without <stage>', `leave out a stage: ${STAGES.join(', ')}; may be repeated`, stage, [])
    .option('--out <folder>', 'where safety-report.html is written', path, '.')
    .option('--json <file>', 'write the result as JSON', path)
    .option('--quiet', 'print the verdict and errors only')
    .addHelpText('after', HELP)
    .action(async (subject: string, parsed: Parsed) => {
      const { limits, ticks, seed, chain, without, out, json } = parsed;
      const command = commandLine(subject, parsed);
      const output = parsed.quiet ? 'quiet' : 'live';
      finish(await bodies.safetyCheck({ subject, limits, ticks, seed, chain, without, out, json, output, command }));
    });
  return new Command('safety').description("prove what a robot's safety chain holds").addCommand(check);
}

/** The command that repeats this check, defaults written out. */
function commandLine(subject: string, { limits, ticks, seed, chain, without }: Parsed): string {
  const parts = ['rein safety check', subject];
  if (limits !== undefined) parts.push('--limits', limits);
  parts.push('--ticks', String(ticks), '--seed', String(seed));
  if (chain === 'off') parts.push('--chain off');
  for (const name of without) parts.push('--without', name);
  return parts.join(' ');
}

function stage(text: string, before: readonly StageName[]): readonly StageName[] {
  const found = STAGES.find((name) => name === text);
  if (found === undefined)
    throw new InvalidArgumentError(`There is no stage "${text}"; there are ${STAGES.join(', ')}.`);
  return [...before, found];
}
