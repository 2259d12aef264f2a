/** `rein safety identify`: measures the robot's servos and links, and compares them with its file. */
import {
  type Configured,
  forceOption,
  oneOf,
  option,
  optionsOf,
  outputOption,
  path,
  pathOption,
  seconds,
  seedOption,
} from '../schema/index.ts';
import { defineCommand } from './command.ts';

const DEFAULT_DURATION_S = 60;
/** Time constant of the residuals, as is common for the filters of force sensors. */
const DEFAULT_FILTER_S = 0.028;

const options = optionsOf({
  robot: option(path(), '<robot>', "a robot's name or its YAML file"),
  out: option(path().default('torque-observer.yaml'), '--out <file>', 'where the torqueObserver piece is written'),
  force: forceOption(),
  durationS: option(seconds().default(DEFAULT_DURATION_S), '--duration <s>', 'how long it moves'),
  filterS: option(
    seconds().default(DEFAULT_FILTER_S),
    '--filter <s>',
    "time constant of the residuals; the force sensor's own, where there is one",
  ),
  /** `asFastAsItGoes`: a simulated arm in lock-step; any other keeps real time anyway. */
  pace: option(
    oneOf('asFastAsItGoes', 'realTime').default('asFastAsItGoes'),
    '--real-time',
    'a simulated arm in real time as well, behind the guard process that a real one has',
    { given: 'realTime' },
  ),
  seed: seedOption(1),
  json: pathOption('--json <file>', 'write the result as JSON'),
  output: outputOption('the verdict'),
});

export type SafetyIdentifyOptions = Configured<typeof options>;

const HELP = `
What happens:
  1  The arm stands for 3 s: the noise of its encoders.
  2  It goes home slowly, where it is elsewhere, and moves about its home pose for --duration, in sines on every joint,
     through the guard: limits, walls, distances and following stay guarded. The energy tank is left out, for its
     books are what is judged.
  3  Stiffness, damping, delay and feed-forward of each servo are fitted to the torques that its driver measures, and
     masses, inertia and friction of the links; what remains of the minute gives the limits of the torque observer.
  4  A table has the value of the file, the measured one, and whether the tank's margins cover the difference; below it,
     the least push on each link and the least load that the observer detects.

A simulated arm (driver: mujoco) is identified in seconds, in lock-step; --real-time rehearses with it what follows.

A real arm moves in real time, behind the guard process that rein run has. First the range of joints and tool and
the duration are printed; motion into a wall, a box or a link is made smaller or refused before. Nothing moves
until you have read that and press c at this terminal; space stops the arm, Ctrl+C brings it to rest and ends, and then
the guard leaves it as its driver's exit policy says. Contact with a link stops it where its file has a torqueObserver,
at twice those limits: after a change of tool, load or gains, take that out of the file first. Any fault of the guard
ends it, with its row and a remedy, and so do lost frames, more than 1 in 100. Without a result of the whole motion
nothing is written but what the guard logged. Keep a hand on the emergency stop, and people away from where the tool
will go.

What it writes: --out, the piece "torqueObserver:" for the robot's file, over a file that is there with --force only.
With it the guard stops the arm (row 54) when something touches a link, weighs on it, or when a servo is not the one of
the file. In real time also the guard's log, beside --out (my-arm-observer.guard.log): when the arm was moved, braked
and stood, and what was wrong.

Examples:
  $ rein safety identify arm6
  $ rein safety identify arm6 --real-time --duration 10
  $ rein safety identify my-arm.yaml --duration 120 --out my-arm-observer.yaml

Exit codes:
  0  the file is right within the margins, and --out is written
  1  it is not, or the arm could not be identified; the reason is the last line, with what to write instead
  2  the command line or a file was not understood
  130  Ctrl+C`;

export const safetyIdentifyCommand = defineCommand({
  name: 'safety identify',
  description: "measure servos, encoders and links in a minute's motion, and judge the robot's file by them",
  help: HELP,
  options,
  endsInOrder: true,
});
