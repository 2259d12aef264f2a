/** Body of `rein teleop`: `rein run` on a goal-free task, with the operator as the only decider. */
import { checkRunRequest } from '../../session/run-request.ts';
import type { TeleopOptions } from '../teleop.ts';
import { runBody } from './run.ts';
import { withTeleopTask } from './teleop-task.ts';

/** Resolves to the exit code of `runBody`. */
export async function teleopBody(options: TeleopOptions): Promise<number> {
  const { robot: name, moves: _moves, speedRatio: _speedRatio, rateHz: _rateHz, ...request } = options;
  return withTeleopTask(name, options, (task) => runBody(checkRunRequest({ ...request, task }), { command: 'teleop' }));
}
