/** `rein teleop`: an operator drives a robot, without a policy. */
import {
  type Configured,
  configOption,
  monitorOptions,
  oneOf,
  option,
  optionsOf,
  outputOption,
  pathOption,
  positiveNumber,
  seconds,
  speedModeOption,
  startOption,
  text,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  robot: option(
    text().default('arm7'),
    '--robot <file>',
    'name of a file in config/robots/, or a path ending in .yaml',
  ),
  moves: option(
    oneOf('tool', 'joints').optional(),
    '--moves <what>',
    'what sticks and keys move (default: the tool of an arm, the axes of a base)',
  ),
  operator: option(
    oneOf('keyboard', 'gamepad', 'spacemouse', 'none').default('keyboard'),
    '--operator <device>',
    'what you drive with; none: only the operators in --config and the page',
  ),
  speedRatio: option(
    positiveNumber(1).default(0.25),
    '--speed <ratio>',
    "share of the robot's own speed, above 0 and at most 1",
  ),
  speedMode: speedModeOption(),
  rateHz: option(
    positiveNumber(100).default(10),
    '--rate <Hz>',
    'actions a second, or the next fewer that fit the ticks of the robot; a leader arm lags less at 25',
  ),
  start: startOption(),
  durationS: option(seconds().optional(), '--duration <seconds>', 'stop after this time (default: at Ctrl+C)'),
  config: configOption(),
  out: pathOption('--out <dir>', 'run folder (default: a new one below runs/)'),
  output: outputOption(),
  ...monitorOptions(),
});

export type TeleopOptions = Configured<typeof options>;

const HELP = `
What happens:
  The first thing that a new robot does. There is no policy, no learner and no task: a real robot holds until you
  press c (--start now does without), is held where it stands until you take over, and moves only while you enable.
  Everything goes through the same guard and limits as in rein run, and at reduced speed: no point of an arm is moved
  faster than 0.25 m/s (reducedSpeedMPerS of its file). You leave it by starting with --speed-mode full.
  keyboard    t takes over, then the motion keys; ? lists them, space stops, c goes on
  gamepad     hold LB (Xbox) or L1 (PlayStation), then the sticks
  spacemouse  the left button takes over, then push the cap; the right one stops
  A device that is unplugged while you drive stops the robot, and it stays: look at it, then press c.
  More devices (pedal, leader arm), dead zones, speeds and frames are operators in --config; see docs/teleoperation.md.
  rein doctor lists the input devices of this machine.
  The page for browsers drives too: keys, a gamepad at the laptop, or touch on a phone, for anyone who has its
  token.

What it writes, below runs/<id>/ or --out:
  operator-*.jsonl  what your devices sent, report by report
  metrics.jsonl     episodes and filters
  guard.log         when the robot was moved, braked and stood

Examples:
  $ rein teleop                                      a simulated arm, by keyboard
  $ rein teleop --robot my-arm.yaml --moves joints   one joint after the other, by keyboard
  $ rein teleop --robot my-arm.yaml --operator gamepad --speed 0.1
${EXIT_CODES}`;

export const teleopCommand = defineCommand({
  name: 'teleop',
  description: 'drive a robot by hand, with no policy at all',
  help: HELP,
  options,
  endsInOrder: true,
});
