/** Body of `rein pretrain`. */
import { loadLearnerFile } from '../../config/index.ts';
import { counted } from '../../model/index.ts';
import { type PretrainingData, runPretraining } from '../../offline/index.ts';
import type { PretrainOptions } from '../pretrain.ts';
import { loadLab } from './package.ts';
import { complain } from './terminal.ts';

/** Resolves to the exit code. */
export async function pretrainBody(options: PretrainOptions): Promise<number> {
  const { learner: name, learnerKeys, seed, out } = options;
  const place = { file: '--set', line: 0, column: 0 };
  const learner = loadLearnerFile(name, [{ place, values: learnerKeys }]);
  const result = await runPretraining({ data: dataOf(options), learner, seed, out }, complain, loadLab);
  const lines = [`Learned from ${counted(result.transitions, 'transition')}.`];
  for (const [what, { steps, refused, firstLoss, lastLoss }] of [
    ['cloning', result.cloning],
    ['offline', result.offline],
  ] as const) {
    const besides = refused === 0 ? '' : `; calls that were not finite and were thrown away: ${refused}`;
    if (steps > 0)
      lines.push(
        `  ${what}   ${counted(steps, 'update')}, loss ${firstLoss.toPrecision(3)} to ${lastLoss.toPrecision(3)}${besides}`,
      );
  }
  lines.push(`  all files ${out}`, `  go on     rein train --from ${out}, rein learn --from ${out}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function dataOf(options: PretrainOptions): PretrainingData {
  if (options.run !== undefined) return { kind: 'run', folder: options.run };
  const { environment: name, environmentOptions, demonstrations: episodes, skill } = options;
  return {
    kind: 'environment',
    environment: { name, options: environmentOptions },
    base: null,
    demonstrations: { episodes, skill, onlySuccesses: true, areKept: true },
  };
}
