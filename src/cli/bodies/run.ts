/** Body of `rein run`: guard and node of one robot in real time, and a display of them. */
import { counted } from '../../model/index.ts';
import { workRatesText } from '../../record/index.ts';
import type { RunRequest } from '../../session/run-request.ts';
import { type RecordingPlan, type RobotRun, runRobot } from '../../session/supervision.ts';
import { INTERRUPTED, interruptibly } from './interrupt.ts';
import { openMonitorBeside, pageHere } from './monitor.ts';
import { createObserver, ownsTerminal } from './observers.ts';
import { reportLine } from './report.ts';

export interface RunBodyOptions {
  /** The command as typed. */
  readonly command?: 'run' | 'teleop' | 'record' | 'reward collect';
  /** Only demonstrations by an operator are recorded. Default: a normal run. */
  readonly recording?: RecordingPlan;
}

/** Resolves to the exit code: 0 when the time was over, 1 if no learner had let the robot move by then, 130 after Ctrl+C. */
export async function runBody(
  request: RunRequest,
  { command = 'run', recording }: RunBodyOptions = {},
): Promise<number> {
  const asked = { command, terminal: ownsTerminal() ? 'here' : 'none', page: pageHere(request) } as const;
  const observer = createObserver(request.output);
  const monitor = await openMonitorBeside({ ...request, guests: 'watch' }, observer);
  return interruptibly(observer.print, undefined, async ({ signal, interrupt }) => {
    const run = await runRobot({
      request,
      asked,
      recording,
      observer,
      watcher: monitor,
      signal,
      onInterrupt: interrupt,
    });
    observer.stop();
    process.stdout.write(
      `${[...(recording === undefined ? lastWords(run) : recordWords(run)), await reportLine(run.folder)].join('\n')}\n`,
    );
    if (signal.aborted) return INTERRUPTED;
    return request.learner !== undefined && run.status === undefined ? 1 : 0;
  })
    .finally(() => monitor?.close())
    .finally(observer.stop);
}

/** Final output of `rein record`. */
function recordWords({ folder, status }: RobotRun): string[] {
  const recording = status?.recording;
  if (recording === undefined) return [`Ended before anything was recorded; files in ${folder}`];
  const { kept, failed, redone, deleted, meanSteps, journalBytes } = recording;
  return [
    `${counted(kept, 'demonstration')} kept, ${counted(Math.round(meanSteps), 'step')} each; ${failed} failed, ${redone} done again, ${deleted} deleted.`,
    `  disk   ${(journalBytes / 1e6).toFixed(1)} MB`,
    `  files  ${folder}`,
    `  go on  rein pretrain --run ${folder} --out DIR, or rein run --demonstrations ${folder} beside rein learn`,
  ];
}

/** Final output of a run; with success rates if a policy acted. */
export function lastWords({ folder, status }: Pick<RobotRun, 'folder' | 'status'>): string[] {
  if (status === undefined) return [`Ended before the robot moved; files in ${folder}`];
  const { success, envSteps, policy, link, filter } = status;
  const { successes, episodes, helped = 0, rates } = success;
  const rate = rates === undefined ? '' : ` (${workRatesText(rates)})`;
  const alone =
    episodes === 0
      ? 'no episode ran to its end without help'
      : `without help ${successes} of the last ${counted(episodes, 'episode')} succeeded`;
  const outcome = `, ${alone}${helped === 0 ? '' : `, ${helped} had help`}${rate}, policy ${policy.version}`;
  return [
    `${counted(envSteps, 'step')}${policy.isAbsent === true ? '' : outcome}.`,
    `  link   ${link.sent} sent, ${link.acked} acknowledged, ${link.pending} waiting, ${link.lost} lost, ${link.duplicated} duplicated`,
    ...(link.notRecorded === 0 ? [] : [`  disk   not recorded: ${counted(link.notRecorded, 'step')}`]),
    `  safety ${counted(filter.violations, 'violation')}`,
    `  files  ${folder}`,
  ];
}
