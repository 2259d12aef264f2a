/** What `rein teleop` does: `rein run` on a task that asks for nothing, with a person alone to decide. */
import { checkRunRequest } from '../../session/run-request.ts';
import type { TeleopOptions } from '../teleop.ts';
import { runBody } from './run.ts';
import { withTeleopTask } from './teleop-task.ts';

/** Resolves to the exit code of `runBody`. */
export async function teleopBody(options: TeleopOptions): Promise<number> {
  const { robot: name, moves: _moves, speedRatio: _speedRatio, rateHz: _rateHz, ...request } = options;
  return withTeleopTask(name, options, (task) => runBody(checkRunRequest({ ...request, task }), { command: 'teleop' }));
}
