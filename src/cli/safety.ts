/** `rein safety check`: tests a robot's limits in simulation, before anything moves. */
import { STAGES } from '../safety/chain-report.ts';
import {
  type Configured,
  collect,
  oneOf,
  option,
  optionsOf,
  outputOption,
  path,
  pathOption,
  seconds,
  seedOption,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand } from './command.ts';
import { modelOptions } from './model-options.ts';

/** Default number of ticks of a check: 0 violations in them bound the rate to 3·10⁻⁵ per tick. */
const DEFAULT_TICKS = 100_000;
const MOST_TICKS = 100_000_000;

const options = optionsOf({
  /** A robot's name, or a file. */
  subject: option(path(), '<config>', "a robot's name, its YAML file, a limits file, or an MJCF or URDF with --limits"),
  ...modelOptions,
  timeLimitS: option(
    seconds().optional(),
    '--time-limit <s>',
    'end the trials after so many seconds, with a report of what was tried',
  ),
  ticks: option(wholeNumber(1, MOST_TICKS).default(DEFAULT_TICKS), '--ticks <n>', 'adversarial control ticks'),
  seed: seedOption(1),
  chain: option(oneOf('on', 'off').default('on'), '--chain <state>', 'off: without the safety chain'),
  without: option(
    oneOf(...STAGES)
      .array()
      .default([]),
    '--without <stage>',
    `leave out a stage: ${STAGES.join(', ')}; may be repeated`,
    {
      read: (word, before) => {
        if (STAGES.some((stage) => stage === word)) return collect(word, before);
        throw new RangeError(`There is no stage "${word}"; there are ${STAGES.join(', ')}.`);
      },
    },
  ),
  out: option(path().default('.'), '--out <folder>', 'where safety-report.html is written'),
  json: pathOption('--json <file>', 'write the result as JSON'),
  output: outputOption('the verdict'),
});

export type SafetyCheckOptions = Configured<typeof options>;

const HELP = `
What CONFIG can be:
  arm6                      the name of a robot in config/robots/
  my-robot.yaml             a robot's file, or a limits file that names an MJCF or URDF under "model"
  arm.urdf, arm.xml         an MJCF or URDF as it is, with --limits: a limits file, or MoveIt's or Franka's as it is.
                            Meshes of a URDF are looked for beside it, in packages above it (package.xml), on
                            ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and where --package says. What is only visual is
                            not read. What no file says (acceleration, stiffness) is worked out and printed.

What happens:
  1  The limits are checked for sense. What contradicts itself is refused with file, line and column.
  2  Attackers command the robot in simulation: random, bang-bang, alternating, pushing one way, pumping at resonance,
     searching for the worst, NaN and infinities, late and replayed commands, changing deciders, and velocities of any
     size behind the action map. Ticks last from 0 to 5 periods; loads, friction, delay and a wall vary.
  3  Witnesses that share no code with the chain count what goes wrong: position, speed, acceleration, workspace, fence,
     distances, energy, obedience, stops. MuJoCo's own distances and energies are among them. Of the simulated arm,
     which lags and carries up to payloadMaxKg, they say how far it strayed and which margin to set for that; where it stands
     farther outside its box than its servos bend under its weight and load, the check fails.
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

Nothing here covers hardware. A hardware emergency stop is required in any case.

Exit codes:
  0  no limit was broken, and no surplus energy was found
  1  something was found, or it could not be run; the reason is the last line
  2  the command line or a file was not understood, or what --out or --json names cannot be written`;

export const safetyCheckCommand = defineCommand({
  name: 'safety check',
  description: "attack a robot's limits in simulation and report what held",
  help: HELP,
  options,
});
