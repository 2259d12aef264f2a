/** Bodies of `rein export policy` and `rein export encoder`. */

import { exportEncoder, exportedFiles, exportPolicy } from '../../offline/index.ts';
import type { ExportOptions } from '../export.ts';
import { checkFree } from './json-file.ts';
import { loadLab } from './package.ts';
import { complain } from './terminal.ts';

/** Resolves to the exit code. */
export async function exportPolicyBody({ run, out, force }: ExportOptions): Promise<number> {
  checkFree(exportedFiles(run, out), force);
  const exported = await exportPolicy(run, out, complain, loadLab);
  const { path, algorithm, observationSize, actionSize, observations, maxDifference, maxCommandDifference } = exported;
  process.stdout.write(
    [
      `Written: ${path}`,
      `  policy    ${algorithm}, ${observationSize} observation numbers, ${actionSize} action numbers`,
      `  verified  largest difference from the learner ${maxDifference.toExponential(1)} on ${observations} observations`,
      `            commands: ${maxCommandDifference.toExponential(1)} of half their range`,
      '',
    ].join('\n'),
  );
  return 0;
}

/** Resolves to the exit code. */
export async function exportEncoderBody({ run, out, force }: ExportOptions): Promise<number> {
  checkFree([out], force);
  await exportEncoder(run, out, complain, loadLab);
  process.stdout.write(`Written: ${out}\n  use it    --set encoder.frozen.file=${out}\n`);
  return 0;
}
