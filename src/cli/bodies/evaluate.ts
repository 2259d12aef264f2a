/** What `rein eval` does: episodes of a policy file in simulation, without help and without exploring. */
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadResolvedConfig, type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { createSetup } from '../../config/setup.ts';
import { percent, ReinError, wilsonInterval } from '../../core/index.ts';
import { RUN_FILES, restartsText, workRatesText } from '../../record/index.ts';
import { checkBase } from '../../session/index.ts';
import { EvaluationPool, evaluationSeed, type TrialResult, trialRates } from '../../sim/index.ts';
import { checkScripted } from '../../tasks/index.ts';
import type { EvaluationOptions } from '../eval.ts';
import { type Interruptible, interruptibly } from './interrupt.ts';
import { checkJsonFile, writeJsonFile } from './json-file.ts';
import { warn } from './terminal.ts';

const WORKERS = 2;

/** Resolves to the exit code: 0, 1 where the task's target was missed, 130 after Ctrl+C. */
export async function evaluateBody(options: EvaluationOptions): Promise<number> {
  await checkJsonFile(options.json);
  const config = await configOf(options);
  checkScripted(config.task);
  await checkBase(createSetup(config));
  const episodes = options.episodes ?? config.task.evaluation.episodes;
  const pool = new EvaluationPool(config, WORKERS);
  const body = async ({ signal }: Interruptible): Promise<number> => {
    const result = await pool.run({
      candidate: { kind: 'file', path: options.policy },
      seed: evaluationSeed(options.seed),
      stream: 'evaluation',
      from: 0,
      episodes,
      signal,
    });
    await report(result, config, options);
    return result.successes / result.episodes >= config.task.target.successRate ? 0 : 1;
  };
  return interruptibly(warn, undefined, body).finally(() => pool.close());
}

async function configOf(options: EvaluationOptions): Promise<ResolvedConfig> {
  const { policy, task, seed, config: overlay } = options;
  await access(policy).catch((cause: unknown) => {
    throw new ReinError('policy', `${policy} cannot be read: there is no such file.`, {
      remedy: 'Give the path of a policy.onnx or of a run folder.',
      cause,
    });
  });
  await checkKind(policy);
  if (task === undefined) {
    const beside = policy.endsWith('.onnx') ? dirname(policy) : policy;
    const file = join(beside, RUN_FILES.config);
    await access(file).catch((cause: unknown) => {
      throw new ReinError('config', `${file}, which says what the policy was trained on, is not there.`, {
        remedy: 'Copy it from the run that made the policy, or name the task with --task.',
        cause,
      });
    });
    return loadResolvedConfig(file);
  }
  return resolveConfig({ task, seed, ...(overlay === undefined ? {} : { overlay }), run: { command: 'eval', task } });
}

/** A folder without a policy is a run that did not come to its end; a file of another kind is none. */
async function checkKind(policy: string): Promise<void> {
  const isFolder = (await stat(policy)).isDirectory();
  if (!isFolder && !policy.endsWith('.onnx')) {
    throw new ReinError('policy', `${policy} is no ONNX file.`, {
      remedy: 'Give the path of a policy.onnx or of a run folder.',
    });
  }
  if (!isFolder) return;
  await access(join(policy, 'policy.onnx')).catch((cause: unknown) => {
    throw new ReinError('policy', `${policy} has no policy.onnx: its run was stopped before its end, or is no run.`, {
      remedy: `Write the newest policy of its checkpoints: rein export policy ${policy} --out policy.onnx`,
      cause,
    });
  });
}

async function report(result: TrialResult, config: ResolvedConfig, options: EvaluationOptions): Promise<void> {
  const { successes, episodes, meanSteps, ticks, changedTicks, violations, restarts } = result;
  const { low, high } = wilsonInterval(successes, episodes);
  const { successRate } = config.task.target;
  const own = result.ownSuccesses;
  const byRule = own === undefined ? '' : ` by the classifier, ${percent(own / episodes)} by the task's own rules,`;
  const rates = trialRates(result, config.robot.controlHz);
  process.stdout.write(
    `${config.task.name}: success ${percent(successes / episodes)}${byRule} on ${episodes} episodes ` +
      `(95 % interval ${percent(low)} to ${percent(high)}), ${meanSteps.toFixed(1)} steps each, ` +
      `filters changed ${percent(changedTicks / Math.max(1, ticks))} of the ticks, ${violations} violations${restartsText(restarts.count, restarts.reason)}, ` +
      `${workRatesText(rates)} (simulated time).\n`,
  );
  if (successes / episodes < successRate) {
    process.stderr.write(
      `rein: target missed: success was ${percent(successes / episodes)}, the target is ${percent(successRate)}\n`,
    );
  }
  const summary = {
    task: config.task.name,
    policy: options.policy,
    seed: options.seed,
    success_rate: successes / episodes,
    successes,
    eval_episodes: episodes,
    interval_95: [low, high],
    ...(own === undefined ? {} : { own_successes: own }),
    mean_steps: meanSteps,
    ...(rates.successesPerHour === undefined ? {} : { successes_per_hour: rates.successesPerHour }),
    human_step_share: rates.humanStepShare,
    safety: { violations, changed_ticks: changedTicks, ticks, restarts: restarts.count },
  };
  await writeJsonFile(options.json, summary);
}
