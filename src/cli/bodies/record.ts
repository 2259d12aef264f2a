/** What `rein record` does: a run in which people show the task, and nothing else happens. */
import { checkRunRequest } from '../../session/run-request.ts';
import type { RecordOptions } from '../record.ts';
import { runBody } from './run.ts';

/** Resolves to the exit code of `runBody`. */
export function recordBody({ episodes, ...request }: RecordOptions): Promise<number> {
  // Whatever decides in the task's runs: here only people do.
  const { speedMode = 'reduced' } = request;
  return runBody(checkRunRequest({ ...request, speedMode }), { command: 'record', recording: { episodes } });
}
