/** `rein safety check`: what a robot's limits are worth, tried before anything moves. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { STAGES, type StageName } from '../safety/index.ts';
import type { CommandBodies } from './bodies.ts';
import { path, seconds, seedOption, wholeNumber } from './options.ts';
import { createIdentifyCommand } from './safety-identify.ts';

/** Ticks of a check unless told otherwise: 0 violations in them bound the rate to 3·10⁻⁵ per tick. */
const DEFAULT_TICKS = 100_000;
const MOST_TICKS = 100_000_000;

interface Parsed {
  limits?: string;
  accel?: number;
  payload?: number;
  fixed: readonly string[];
  package: Readonly<Record<string, string>>;
  timeLimit?: number;
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
  arm.urdf, arm.xml         an MJCF or URDF as it is, with --limits: a limits file, or MoveIt's or Franka's as it is.
                            Meshes of a URDF are looked for beside it, in packages above it (package.xml), on
                            ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and where --package says. What is only visual is
                            not read. What no file says (acceleration, stiffness) is worked out and told.

What happens:
  1  The limits are checked for sense. What contradicts itself is refused with file, line and column.
  2  Attackers command the robot in simulation: random, bang-bang, alternating, pushing one way, pumping at resonance,
     searching for the worst, NaN and infinities, late and replayed commands, changing deciders, and velocities of any
     size behind the action map. Ticks last from 0 to 5 periods; loads, friction, delay and a wall vary.
  3  Witnesses that share no code with the chain count what goes wrong: position, speed, acceleration, workspace, fence,
     distances, energy, obedience, stops. MuJoCo's own distances and energies are among them. Of the simulated arm,
     which lags and carries up to payloadMaxKg, they say how far it strayed and which margin to set for that.
  4  Commands end at random moments: how soon it brakes, how long and how far it takes, against the printed bound.

How to see that the check bites:
  $ rein safety check arm6 --chain off            what these attacks do to a robot without the chain
  $ rein safety check arm6 --without shield       what one stage is there for; repeat it to leave out several

How long it takes: a minute or two for 100 000 ticks, longer where many links are watched. Ctrl+C and --time-limit
end it early, with a report of what was tried.

What it writes: safety-report.html in --out, one file that needs nothing else; and --json, if given.

Examples:
  $ rein safety check arm6
  $ rein safety check my-arm.yaml                 names my-arm.urdf and joint_limits.yaml, and stiffness
  $ rein safety check my-arm.xml --limits joint_limits.yaml
  $ rein safety check panda.xml --limits joint_limits.yaml --fixed finger_joint1 --fixed finger_joint2 --payload 3
  $ rein safety check arm.urdf --package my_robot_description=~/ws/src/my_robot_description --accel 10
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
    .option('--accel <rad/s2>', 'acceleration of joints of which no file says it; else worked out', positive)
    .option('--payload <kg>', "heaviest load of the tool; else the file's payloadMaxKg", positive)
    .option('--fixed <joint>', 'a joint that stands still, such as a finger; may be repeated', collected, [])
    .option('--package <name=folder>', 'where package://name of a URDF is; may be repeated', packageFolder, {})
    .option('--time-limit <s>', 'end the trials after so many seconds, with a report of what was tried', seconds)
    .option('--ticks <n>', 'adversarial control ticks', wholeNumber(1, MOST_TICKS), DEFAULT_TICKS)
    .addOption(seedOption().default(1))
    .addOption(new Option('--chain <state>', 'off: without the safety chain').choices(['on', 'off']).default('on'))
    .option('--without <stage>', `leave out a stage: ${STAGES.join(', ')}; may be repeated`, stage, [])
    .option('--out <folder>', 'where safety-report.html is written', path, '.')
    .option('--json <file>', 'write the result as JSON', path)
    .option('--quiet', 'print the verdict and errors only')
    .addHelpText('after', HELP)
    .action(async (subject: string, parsed: Parsed) => {
      const { limits, ticks, seed, chain, without, out, json, fixed, timeLimit: timeLimitS } = parsed;
      const { accel: accelMaxRadPerS2, payload: payloadMaxKg, package: packages } = parsed;
      const robot = { subject, limits, accelMaxRadPerS2, payloadMaxKg, fixed, packages };
      const command = commandLine(subject, parsed);
      const output = parsed.quiet ? 'quiet' : 'live';
      const run = { ticks, seed, chain, without, timeLimitS };
      finish(await bodies.safetyCheck({ ...robot, ...run, out, json, output, command }));
    });
  return new Command('safety')
    .description("prove what a robot's safety chain holds")
    .addCommand(check)
    .addCommand(createIdentifyCommand(bodies, finish));
}

/** The command that repeats this check, defaults written out. */
function commandLine(subject: string, parsed: Parsed): string {
  const { limits, accel, payload, fixed, ticks, seed, chain, without } = parsed;
  const parts = ['rein safety check', subject];
  if (limits !== undefined) parts.push('--limits', limits);
  if (accel !== undefined) parts.push('--accel', String(accel));
  if (payload !== undefined) parts.push('--payload', String(payload));
  for (const name of fixed) parts.push('--fixed', name);
  for (const [name, folder] of Object.entries(parsed.package)) parts.push('--package', `${name}=${folder}`);
  parts.push('--ticks', String(ticks), '--seed', String(seed));
  if (chain === 'off') parts.push('--chain off');
  for (const name of without) parts.push('--without', name);
  return parts.join(' ');
}

function collected(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1000) return value;
  throw new InvalidArgumentError('It must be a number above 0 and at most 1000, without a unit.');
}

function packageFolder(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, folder] = /^([\w.-]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || folder === undefined) throw new InvalidArgumentError('It must be NAME=FOLDER.');
  return { ...before, [name]: folder };
}

function stage(text: string, before: readonly StageName[]): readonly StageName[] {
  const found = STAGES.find((name) => name === text);
  if (found === undefined)
    throw new InvalidArgumentError(`There is no stage "${text}"; there are ${STAGES.join(', ')}.`);
  return [...before, found];
}
