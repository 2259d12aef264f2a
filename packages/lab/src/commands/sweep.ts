/** Implements `rein sweep`: the runs of a study, then its verdicts and page. */
import { join } from 'node:path';
import { complain, INTERRUPTED, interruptibly, type SweepOptions, sayer } from '../../../../src/cli/index.ts';
import { loadStudyFile } from '../../../../src/config/study-file.ts';
import { judge } from '../curves/verdict.ts';
import { studyTable, writeStudyPage } from '../page/study-page.ts';
import { checkRuns, runSweep, sweepCurves } from '../sweep/sweep.ts';

/** Resolves to the exit code: 0; 1 if a run failed; 130 after Ctrl+C, after which the same command continues. */
export async function sweepBody(options: SweepOptions): Promise<number> {
  const { jobs, only, mode } = options;
  const study = loadStudyFile(options.study);
  const folder = options.out ?? join('runs', 'studies', study.name);
  checkRuns({ study, folder });
  let failures: readonly string[] = [];
  if (mode === 'run') {
    const code = await interruptibly(say, 'runs under way keep their checkpoints', async ({ signal }) => {
      failures = await runSweep({ study, folder, jobs, only, signal, say });
      return 0;
    });
    if (code === INTERRUPTED) {
      say('Stopped. The same command goes on from here.');
      return code;
    }
  }
  const curves = sweepCurves({ study, folder });
  say(`\n${studyTable(study.study, curves)}`);
  for (const { outcome, message } of judge(study.study, curves)) say(`${outcome}: ${message}`);
  say(`page: ${writeStudyPage(folder, study, curves)}`);
  for (const failure of failures) complain(`a run failed: ${failure}`);
  return failures.length === 0 ? 0 : 1;
}

const say = sayer('live');
