/** `rein bring-up`: brings a new arm or car to its full speed, one rung after the other. */
import {
  type Configured,
  oneOf,
  option,
  optionsOf,
  pathOption,
  positiveNumber,
  seedOption,
  switchOption,
  text,
} from '../schema/index.ts';
import { defineCommand } from './command.ts';

const options = optionsOf({
  robot: option(text(), '--robot <file>', 'name of a file in config/robots/, or a path ending in .yaml'),
  port: pathOption('--port <path>', "serial port (default: that of the robot's file, else the only one)"),
  mode: option(oneOf('climb', 'status').default('climb'), '--status', 'print the ladder and do nothing', {
    given: 'status',
  }),
  stops: switchOption(
    '--stops',
    'measure how long the arm takes to stop and how far it goes, from three speeds, with what its tool carries now',
  ),
  loadKg: option(
    positiveNumber(1000).optional(),
    '--load <kg>',
    '--stops: what the tool carries beyond what the file describes (default: nothing)',
  ),
  minutes: option(
    positiveNumber(1440).default(5),
    '--minutes <n>',
    'how long the burn-in takes; --stops: each of its three speeds',
  ),
  out: pathOption('--out <dir>', 'folder of the run, on rungs that drive (default: a new one below runs/)'),
  seed: seedOption(),
});

export type BringUpOptions = Configured<typeof options>;

const HELP = `
What happens:
  Each call does the next rung, and writes down what it has shown:
    doctor   servos, file and calibration agree                             5 % of its speed from then on
    mirror   torque off: each joint held at zero, then moved, by hand      10 %
    slow     the arm moves joint after joint, at 10 %                      25 %
    burn-in  --minutes of random motion in a small box, at 25 %            50 %
    full     a person allows full speed                                   100 %
  Until then rein run, teleop and record drive it at the speed of the rung that it has passed, and say so. A new
  calibration takes back all above doctor, a change of the robot's file all above mirror.
  A car with a VESC has the same rungs, its wheels off the ground until the last: mirror is a hand that turns them, slow
  asks which way they turned and pointed, as a VESC does not know where its steering servo stands. Its calibration is
  what its file says under driver.motor and driver.steering: a change of these takes back all above doctor.
  On rungs that drive nothing moves before you have said yes; space stops the arm, Ctrl+C brings it to rest and ends.
  They are passed with 0 faults, 0 violations of limits, and every joint seen to move. Behind them the torque goes off:
  hold the arm, or it falls.
  --stops measures stops once slow is passed, again and again in the same small box: repeat it after each rung, and with
  the loads that the tool will carry. The worst time and distance of each speed is kept beside the ladder, shown by
  --status and rein doctor, and used by separation of the robot's file (docs/safety-case.md).
  Answers are lines of standard input, so a script can give them.

What it writes: a line a rung, and a summary, in REIN_STATE, else ~/.local/state/rein, below bring-up/: when, who, which file
(hash), calibration (checksum), adapter and version, and what was shown. Rungs that drive write a run folder.

Examples:
  $ rein bring-up --robot my-arm.yaml
  $ rein bring-up --robot my-arm.yaml --status
  $ rein bring-up --robot my-arm.yaml --stops --load 0.2 --minutes 1

Exit codes:
  0  the rung is passed, or there is none left
  1  it is not; the line that begins with "rein:" says why
  2  the command line was not understood
  130  Ctrl+C ended it`;

export const bringUpCommand = defineCommand({
  name: 'bring-up',
  description: 'bring a new arm or car to its full speed, one rung after the other, each recorded',
  help: HELP,
  options,
  endsInOrder: true,
});
