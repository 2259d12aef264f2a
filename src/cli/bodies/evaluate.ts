/** What `rein eval` does: episodes of a policy file in simulation, without help and without exploring. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ReinError, wilsonInterval } from '../../core/index.ts';
import { type EvaluationOptions, loadResolvedConfig, type ResolvedConfig, resolveConfig } from '../../runtime/index.ts';
import { RUN_FILES } from '../../runtime/record/index.ts';
import { EvaluationPool, evaluationSeed, type TrialResult } from '../../runtime/sim/index.ts';
import { INTERRUPTED, interruptible } from './interrupt.ts';

const WORKERS = 2;

/** Resolves to the exit code: 0, 1 where the task's target was missed, 130 after Ctrl+C. */
export async function evaluateBody(options: EvaluationOptions): Promise<number> {
  const config = await configOf(options);
  const episodes = options.episodes ?? config.task.evaluation.episodes;
  const stop = interruptible((sentence) => process.stderr.write(`${sentence}\n`));
  const pool = new EvaluationPool(config, WORKERS);
  try {
    const result = await pool.run({
      candidate: { kind: 'file', path: options.policy },
      seed: evaluationSeed(options.seed),
      stream: 'evaluation',
      from: 0,
      episodes,
      onProgress: () => stop.signal.throwIfAborted(),
    });
    await report(result, config, options);
    return result.successes / result.episodes >= config.task.target.successRate ? 0 : 1;
  } catch (error) {
    if (stop.signal.aborted) return INTERRUPTED;
    throw error;
  } finally {
    await pool.close();
    stop.release();
  }
}

async function configOf(options: EvaluationOptions): Promise<ResolvedConfig> {
  const { task, seed, config: overlay } = options;
  if (task === undefined) {
    const beside = options.policy.endsWith('.onnx') ? dirname(options.policy) : options.policy;
    return loadResolvedConfig(join(beside, RUN_FILES.config));
  }
  return resolveConfig({ task, seed, ...(overlay === undefined ? {} : { overlay }), run: { command: 'eval', task } });
}

async function report(result: TrialResult, config: ResolvedConfig, options: EvaluationOptions): Promise<void> {
  const { successes, episodes, meanSteps, ticks, changedTicks, violations } = result;
  const { low, high } = wilsonInterval(successes, episodes);
  const { successRate } = config.task.target;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  process.stdout.write(
    `${config.task.name}: success ${percent(successes / episodes)} on ${episodes} episodes ` +
      `(95 % interval ${percent(low)} to ${percent(high)}), ${meanSteps.toFixed(1)} steps each, ` +
      `filters changed ${percent(changedTicks / Math.max(1, ticks))} of the ticks, ${violations} violations.\n`,
  );
  if (successes / episodes < successRate) {
    process.stderr.write(
      `rein: target missed: success was ${percent(successes / episodes)}, the target is ${percent(successRate)}\n`,
    );
  }
  if (options.json === undefined) return;
  const summary = {
    task: config.task.name,
    policy: options.policy,
    seed: options.seed,
    success_rate: successes / episodes,
    successes,
    eval_episodes: episodes,
    interval_95: [low, high],
    mean_steps: meanSteps,
    safety: { violations, changed_ticks: changedTicks, ticks },
  };
  try {
    await writeFile(options.json, `${JSON.stringify(summary, undefined, 2)}\n`);
  } catch (cause) {
    throw new ReinError('storage', `The result cannot be written to ${options.json}: ${(cause as Error).message}.`, {
      cause,
    });
  }
}
