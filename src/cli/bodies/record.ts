/** Body of `rein record`: a run in which an operator demonstrates the task, without policy or learner. */
import { checkRunRequest } from '../../session/run-request.ts';
import type { RecordOptions } from '../record.ts';
import { runBody } from './run.ts';

/** Resolves to the exit code of `runBody`. */
export function recordBody({ episodes, ...request }: RecordOptions): Promise<number> {
  // Reduced speed, whatever acts in the task's other runs: here only the operator does.
  const { speedMode = 'reduced' } = request;
  return runBody(checkRunRequest({ ...request, speedMode }), { command: 'record', recording: { episodes } });
}
