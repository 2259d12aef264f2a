/** Implements `rein train`: one trial, from its spec or resumed. */

import { resolve } from 'node:path';
import { complain, INTERRUPTED, interruptibly, sayer, type TrainOptions } from '../../../../src/cli/index.ts';
import { loadLearnerFile } from '../../../../src/config/index.ts';
import { standsStill } from '../../../../src/learner/options.ts';
import { counted, mean } from '../../../../src/model/index.ts';
import type { TrialSpec } from '../../../../src/offline/index.ts';
import { EVALUATION_SEED } from '../sweep/sweep.ts';
import { freeTrialFolder } from '../trial/spec.ts';
import { runTrial, startTrial, type TrialHooks } from '../trial/trial.ts';
import type { CurvePoint, TrialResult } from '../trial/trial-files.ts';

/** Resolves to the exit code: 0, or 130 after Ctrl+C, after which `--resume` continues. */
export async function trainBody(options: TrainOptions): Promise<number> {
  const say = sayer(options.output);
  const { folder, run, warning } = trialOf(options);
  if (warning !== undefined) complain(warning);
  const code = await interruptibly(say, 'what came after the last checkpoint is done again', async ({ signal }) => {
    const result = await run({
      signal,
      checkpointEveryS: options.checkpointEveryS,
      onBegin: () => say(`trial in ${folder}`),
      onPoint: (point, { steps }, seconds) => say(progressLine(point, steps, seconds)),
      onFault: complain,
    });
    process.stdout.write(`${lastWords(result, folder)}\n`);
    return 0;
  });
  if (code === INTERRUPTED) process.stdout.write(`Stopped. Go on with: rein train --resume ${folder}\n`);
  return code;
}

/** Returns the folder of the trial, and a function that runs it there. */
function trialOf(options: TrainOptions): {
  readonly folder: string;
  readonly run: (hooks: TrialHooks) => Promise<TrialResult>;
  readonly warning?: string | undefined;
} {
  const { resume, out } = options;
  if (resume !== undefined) return { folder: resume, run: (hooks) => runTrial(resume, hooks) };
  const spec = specOf(options);
  const folder = out ?? freeTrialFolder(spec);
  const warning = standsStill(spec.learner, spec.steps);
  return { folder, run: (hooks) => startTrial(folder, spec, hooks), warning };
}

function specOf(options: TrainOptions): TrialSpec {
  const place = { file: '--set', line: 0, column: 0 };
  const learner = loadLearnerFile(options.learner, [{ place, values: options.learnerKeys }]);
  const { demonstrations, from, seed, steps } = options;
  const isFresh = demonstrations === 0 && from === undefined;
  return {
    formatVersion: 1,
    environment: { name: options.environment, options: options.environmentOptions },
    base: null,
    overseer: null,
    learner,
    seed,
    steps,
    randomSteps: options.randomSteps ?? (isFresh ? learner.warmupSteps : 0),
    evaluation: { everySteps: options.evaluateEvery, episodes: options.evaluationEpisodes, seed: EVALUATION_SEED },
    demonstrations:
      demonstrations === 0 ? null : { episodes: demonstrations, skill: {}, onlySuccesses: true, areKept: true },
    from: from === undefined ? null : resolve(from),
  };
}

const NOTHING_TRAINED =
  ": nothing was trained, for all steps were warm-up; give more --steps than the learner's warmupSteps, or --set warmupSteps=<n>";

function progressLine(point: CurvePoint, steps: number, seconds: number): string {
  const { step, returns, successes, episodes, updates } = point;
  const success = successes === null ? '' : `, ${successes} of ${episodes} solved`;
  return `step ${step} of ${steps}: return ${mean(returns).toFixed(1)}${success}, ${updates} updates, ${seconds.toFixed(0)} s`;
}

/** Summary printed at the end. */
export function lastWords({ steps, updates, seconds, last, stateDigest }: TrialResult, folder: string): string {
  const success = last.successes === null ? '' : `, ${last.successes} of ${last.episodes} episodes solved`;
  return [
    `Return ${mean(last.returns).toFixed(1)} after ${counted(steps, 'step')}${success}.`,
    `  training  ${counted(updates, 'update')}, ${seconds.toFixed(1)} s${updates === 0 ? NOTHING_TRAINED : ''}`,
    `  state     ${stateDigest.slice(0, 16)}`,
    `  all files ${folder}`,
  ].join('\n');
}
