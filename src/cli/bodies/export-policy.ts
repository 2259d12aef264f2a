/** What `rein export policy` does. */
import type { ExportPolicyOptions } from '../../runtime/index.ts';
import { exportPolicy } from '../../runtime/study/index.ts';

/** Resolves to the exit code. */
export async function exportPolicyBody({ run, out }: ExportPolicyOptions): Promise<number> {
  const exported = await exportPolicy(run, out, (sentence) => void process.stderr.write(`rein: ${sentence}\n`));
  const { path, algorithm, observationSize, actionSize, observations, maxDifference } = exported;
  process.stdout.write(
    [
      `Written: ${path}`,
      `  policy    ${algorithm}, ${observationSize} observation numbers, ${actionSize} action numbers`,
      `  verified  largest difference from the learner ${maxDifference.toExponential(1)} on ${observations} observations`,
      '',
    ].join('\n'),
  );
  return 0;
}
