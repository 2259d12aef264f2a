/** `rein record`: an operator records demonstrations, without learning yet. */
import {
  type Configured,
  configOption,
  monitorOptions,
  oneOf,
  option,
  optionsOf,
  outputOption,
  pathOption,
  seedOption,
  speedModeOption,
  startOption,
  taskOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  task: taskOption(text().default('insert')),
  operator: option(
    oneOf('keyboard', 'gamepad', 'spacemouse', 'none').default('keyboard'),
    '--operator <device>',
    'what you drive with; none: only the operators in --config and the page',
  ),
  episodes: option(
    wholeNumber(1, 100_000).optional(),
    '--episodes <n>',
    'end with so many kept, those of earlier starts included (default: at Ctrl+C)',
  ),
  speedMode: speedModeOption(),
  start: startOption(),
  seed: seedOption(),
  config: configOption(),
  out: pathOption(
    '--out <dir>',
    'folder; one of an earlier recording is gone on with (default: a new one below runs/)',
  ),
  output: outputOption(),
  ...monitorOptions(),
});

export type RecordOptions = Configured<typeof options>;

const HELP = `
What happens:
  A person drives the robot by any device, or from the page, and shows the task as often as they like. There is no
  policy and no learner. A real robot holds until you press c, or Start at the page. Between demonstrations you may
  drive it anywhere; none of that is recorded.
  Enter         records a demonstration, from where the robot is; once more: stops it
  m / n         it was a success / a failure, where people judge; a task with rules ends by itself when it is done
  Backspace     does the present one again, from the same start in simulation; between two: deletes the last one
  t, then keys  move the robot (? lists them); space stops it, c goes on
  At reduced speed: no point of an arm is moved faster than 0.25 m/s (reducedSpeedMPerS of its file), unless you start
  with --speed-mode full.
  Only successes are kept. The last one can be deleted until the next begins or the recording ends: then it is in the
  journal. With --out of an earlier recording it goes on there.

What it writes, below runs/<id>/ or --out:
  journal/          the demonstrations, as any run records them
  operator-*.jsonl  what your devices sent
  metrics.jsonl     episodes; config.yaml: what was run; guard.log: when the robot was moved

Examples:
  $ rein record --task reach --out runs/shown               a simulated arm, by keyboard
  $ rein record --task my-task.yaml --operator gamepad --episodes 20 --out runs/shown
  $ rein pretrain --run runs/shown --out runs/pre           clone them
  $ rein run --learner tcp://127.0.0.1:7350 --demonstrations runs/shown    begin a training with them
${EXIT_CODES}`;

export const recordCommand = defineCommand({
  name: 'record',
  description: 'record demonstrations by a person: start, stop, redo, delete, success or failure',
  help: HELP,
  options,
  endsInOrder: true,
});
