/** `rein run`: one robot in real time. */
import { runOptions } from '../session/run-request.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const HELP = `
What happens:
  No real robot moves before a person starts it: it holds until you press c here, or Start at the page.
  --start now does without, for scripts; a simulated robot starts at once unless --start ask is given.
  Two processes start. The guard owns the robot and passes every command through the limits; the node observes, runs
  the policy and sends transitions to the learner. If the node dies or is late, the guard brakes and holds within its
  lease. If the learner is away, the robot goes on with its last weights and keeps the transitions on disk until they
  are acknowledged. It also starts without it: on the last weights in --out, or it holds until the learner answers.
  With --learner the file of --policy acts while --out has no weights of the learner, once that has answered.
  Without --learner nothing is sent, and the file acts whatever --out holds.
  Ctrl+C brakes, holds and ends.
  The space key stops the robot without its node, even if the node hangs.
  After a stop, or when the node has died, the robot stands until you press c here. A simulated robot goes on by itself
  after a stop that is no category 1 (docs/faults.md).

What it writes, below runs/<id>/ or --out:
  journal/        every transition; what the learner has not acknowledged is sent when --out names the folder again
  weights/        the last three versions that the learner sent, for starts while it is away
  metrics.jsonl   episodes, link and filters
  events.out.*    the same for TensorBoard
  trace.mcap      every step with the robot's frame, and what happened, for the monitor and for Foxglove
  guard.log       when the arm was moved, braked and stood, and how late ticks were; REIN_LOG=debug in the environment
                  logs more, REIN_LOG=warn less (trace, debug, info, warn, error, silent)
  config.yaml     what was run
  report.html     the page of the run, once it has ended

Examples:
  $ rein learn --task insert                                       first, in another terminal
  $ rein run --learner tcp://127.0.0.1:7350 --operator scripted    learn live; demonstrations first
  $ rein run --policy runs/a1/policy.onnx --operator keyboard      run a policy, take over with the keyboard
${EXIT_CODES}`;

export const runCommand = defineCommand({
  name: 'run',
  description: 'run one robot in real time: guard and node, and a learner elsewhere',
  help: HELP,
  options: runOptions,
  endsInOrder: true,
});
