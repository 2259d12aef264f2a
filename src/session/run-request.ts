/**
 * Request of `rein run`: its options with their defaults, as defined by the command line, and as the node receives them from its parent
 * process.
 */
import { ReinError } from '../model/index.ts';
import {
  BY_WHO_DECIDES,
  type Configured,
  configOption,
  monitorOptions,
  oneOf,
  option,
  optionsOf,
  outputOption,
  pathOption,
  refusalOf,
  seconds,
  seedOption,
  speedModeOption,
  startOption,
  taskOption,
  tcpAddress,
  text,
  traceOption,
  wholeNumber,
} from '../schema/index.ts';

/** Valid names of a robot at its learner, and the default one. */
export const ROBOT_ID = {
  pattern: /^[A-Za-z0-9][\w.-]{0,63}$/,
  allowed: '1 to 64 letters, digits, ".", "_" or "-"',
  default: 'robot1',
} as const;

/** Default number of steps that a mark labels. */
export const LABEL_STEPS = 3;

export const runOptions = optionsOf({
  task: taskOption(text().default('insert')),
  robotId: option(
    text().regex(ROBOT_ID.pattern, `It must be ${ROBOT_ID.allowed}.`).default(ROBOT_ID.default),
    '--robot-id <id>',
    'name of this robot at the learner',
  ),
  learner: option(tcpAddress().optional(), '--learner <address>', 'where the learner listens, tcp://host:port'),
  policy: pathOption('--policy <file>', 'policy to start with, an ONNX file with its manifest beside it'),
  demonstrations: pathOption(
    '--demonstrations <dir>',
    'send the learner the demonstrations of this rein record, and ask for no new ones',
  ),
  operator: option(
    oneOf('scripted', 'keyboard', 'gamepad', 'spacemouse', 'none').default('none'),
    '--operator <who>',
    'who may take over; more devices, and their options, are operators in --config',
  ),
  durationS: option(seconds().optional(), '--duration <seconds>', 'stop after this time (default: at Ctrl+C)'),
  speedMode: speedModeOption(BY_WHO_DECIDES),
  start: startOption(),
  seed: seedOption(),
  config: configOption(),
  labels: pathOption(
    '--labels <file>',
    'append the states of the last steps to this file of labels at each mark: m successes, n others',
  ),
  labelSteps: option(wholeNumber(1, 1000).default(LABEL_STEPS), '--label-steps <n>', 'steps that one mark labels'),
  out: pathOption('--out <dir>', 'run folder (default: a new one below runs/)'),
  trace: traceOption(),
  output: outputOption(),
  ...monitorOptions(),
});

export type RunRequest = Configured<typeof runOptions>;

/** Returns `value` as a request. Throws `ReinError('config')` with its problem. */
export function checkRunRequest(value: unknown): RunRequest {
  const refusal = refusalOf(runOptions, value);
  if (refusal !== undefined) throw new ReinError('config', refusal);
  return runOptions.parse(value);
}
