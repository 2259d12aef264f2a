/** Bodies of `rein reward`. */
import { resolve } from 'node:path';
import { counted, percent } from '../../model/index.ts';
import {
  type ClassifierCheck,
  checkClassifier,
  collectLabels,
  type FalsePositive,
  trainClassifier,
  truthOf,
} from '../../offline/index.ts';
import { checkRunRequest } from '../../session/run-request.ts';
import { rewardManifestPath, type Share } from '../../tasks/index.ts';
import type { RewardCheckOptions, RewardCollectOptions, RewardTrainOptions } from '../reward.ts';
import { checkFree, checkJsonFile, writeJsonFile } from './json-file.ts';
import { complain } from './terminal.ts';

/** Resolves to the exit code. */
export async function rewardCollectBody(options: RewardCollectOptions): Promise<number> {
  const { runs, by, out, task, count, negatives: ratio, guardSteps, seed } = options;
  if (task !== undefined) return collectLive(task, options);
  if (by === undefined) throw new TypeError('the command line was not checked');
  const { positives, negatives, episodes, seen } = collectLabels(
    { runs, by, out, count, negatives: ratio, guardSteps, seed },
    complain,
  );
  say([
    `${counted(positives + negatives, 'state')} appended to ${out}: ${positives} successes, ${negatives} others, of ${counted(episodes, 'episode')}`,
    `  runs     ${counted(seen.episodes, 'episode')}, ${seen.successes} with a success`,
    `  go on    rein reward train ${out}`,
  ]);
  return 0;
}

/** Runs a robot whose states are labelled by marks. */
async function collectLive(
  task: string,
  { operator, policy, speedMode, labelSteps, config, seed, out }: RewardCollectOptions,
): Promise<number> {
  const { runBody } = await import('./run.ts');
  const asked = { task, operator, policy, speedMode, labelSteps, config, seed, labels: resolve(out) };
  return runBody(checkRunRequest(asked), { command: 'reward collect' });
}

export async function rewardTrainBody({ labels, out, fields, force, ...rest }: RewardTrainOptions): Promise<number> {
  checkFree([out, rewardManifestPath(out)], force);
  const names = fields?.split(',').map((name) => name.trim());
  const trained = await trainClassifier({ labels, out, fields: names, ...rest, createdAt: new Date() });
  const { manifest, skipped } = trained;
  const { heldOut } = manifest;
  const { positives, negatives, mined, episodes } = manifest.labels;
  if (skipped > 0) complain(`${skipped} lines of ${labels} are no states and were left out.`);
  say([
    `${manifest.robot}/${manifest.task}: success from a probability of ${manifest.threshold.toFixed(3)} on`,
    `  labels       ${positives} successes, ${negatives} others (${mined} of them mined), of ${episodes} episodes`,
    `  looks at     ${manifest.fields.join(', ')}`,
    `  held out     ${heldOut.folds} folds, no episode in two of them`,
    `  precision    ${shareText(heldOut.precision)}, ${heldOut.falsePositives} false positives; at least ${percent(heldOut.wantedPrecision)} was wanted`,
    `  recall       ${shareText(heldOut.recall)}, ${heldOut.falseNegatives} successes missed`,
    `  calibration  Brier score ${heldOut.brier.toFixed(4)}, probabilities off by ${percent(heldOut.calibrationError)} on average`,
    `Written: ${out}`,
    `  go on        rein reward check ${out} RUN, a run that it has not seen`,
  ]);
  return 0;
}

export async function rewardCheckBody(options: RewardCheckOptions): Promise<number> {
  const { show, page, json, ...rest } = options;
  await checkJsonFile(json);
  const check = checkClassifier(rest, complain);
  const { falsePositives, mined } = check;
  say([
    ...figures(check),
    ...(falsePositives.length === 0 ? [] : ['  false positives, the most certain first:']),
    ...falsePositives.slice(0, show).map((each) => `    ${falsePositiveText(each)}`),
    ...(falsePositives.length > show ? [`    and ${falsePositives.length - show} more (--show, --json)`] : []),
    ...(options.mine === undefined
      ? []
      : [
          `  mined      ${mined.negatives} false positives and ${mined.positives} missed successes into ${options.mine}`,
        ]),
  ]);
  if (page !== undefined) {
    const { writeRewardPage } = await import('../../monitor/index.ts');
    say([`  page       ${await writeRewardPage(page, check)}`]);
  }
  await writeJsonFile(json, check);
  return 0;
}

function figures({ threshold, states, episodes, successes, byForSteps }: ClassifierCheck): string[] {
  const { truePositives, falsePositives, falseNegatives, trueNegatives, precision, recall } = states;
  return [
    `${counted(episodes, 'episode')}, ${successes} with a success; a state counts from ${threshold.toFixed(3)} on`,
    `  precision  ${shareText(precision)}: ${truePositives} true, ${falsePositives} false, of ${falsePositives + trueNegatives} states that are none`,
    `  recall     ${shareText(recall)}: ${falseNegatives} of ${truePositives + falseNegatives} successes missed`,
    ...byForSteps.map(
      ({ forSteps, falselyEnded }) =>
        `  forSteps ${forSteps} would end ${falselyEnded} of ${episodes} episodes falsely`,
    ),
  ];
}

function shareText({ rate, low, high }: Share): string {
  return `${percent(rate)} (95 % interval ${percent(low)} to ${percent(high)})`;
}

function falsePositiveText(found: FalsePositive): string {
  const { run, epoch, episode, step, probability } = found;
  const place = `${run} start ${epoch} episode ${episode} step ${step}`;
  return `${probability.toFixed(3)}  ${place}: ${truthOf(found)}`;
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
