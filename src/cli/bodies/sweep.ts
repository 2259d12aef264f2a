/** What `rein sweep` does: the runs of a study, then what they came to. */
import { join } from 'node:path';
import { loadStudyFile, type StudyFile } from '../../config/index.ts';
import { studyTable, writeStudyPage } from '../../monitor/index.ts';
import { checkRuns, judge, runSweep, sweepCurves } from '../../study/index.ts';
import type { SweepOptions } from '../sweep.ts';
import { INTERRUPTED, interruptible } from './interrupt.ts';
import { isOwnAbort } from './own-abort.ts';

/** Resolves to the exit code: 0, 1 where a run failed, 130 after Ctrl+C, from which the same command goes on. */
export async function sweepBody(options: SweepOptions): Promise<number> {
  const study = loadStudyFile(options.study);
  const folder = options.out ?? join('runs', 'studies', study.name);
  checkRuns({ study, folder });
  const failures = options.mode === 'page' ? [] : await train(study, folder, options);
  if (failures === 'interrupted') return INTERRUPTED;
  const curves = sweepCurves({ study, folder });
  process.stdout.write(`\n${studyTable(study.study, curves)}\n`);
  for (const { outcome, sentence } of judge(study.study, curves)) process.stdout.write(`${outcome}: ${sentence}\n`);
  process.stdout.write(`page: ${writeStudyPage(folder, study, curves)}\n`);
  for (const failure of failures) process.stderr.write(`rein: a run failed: ${failure}\n`);
  return failures.length === 0 ? 0 : 1;
}

async function train(
  study: StudyFile,
  folder: string,
  { jobs, only }: SweepOptions,
): Promise<readonly string[] | 'interrupted'> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const stop = interruptible(say, 'runs under way keep their checkpoints');
  try {
    return await runSweep({ study, folder, jobs, only, signal: stop.signal, say });
  } catch (error) {
    if (!isOwnAbort(error, stop.signal)) throw error;
    say('Stopped. The same command goes on from here.');
    return 'interrupted';
  } finally {
    stop.release();
  }
}
