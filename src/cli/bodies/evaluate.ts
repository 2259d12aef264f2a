/** Body of `rein eval`: episodes of a policy file in simulation, without interventions and without exploration. */
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadResolvedConfig, type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { createSetup, type RunSetup, taskActionOf } from '../../config/setup.ts';
import {
  counted,
  type PairedCounts,
  pairedDifference,
  percent,
  quantile,
  ReinError,
  wilsonInterval,
} from '../../model/index.ts';
import { loadPolicyFile } from '../../policy/index.ts';
import { RUN_FILES, restartsText, workRatesText } from '../../record/index.ts';
import { checkBase } from '../../session/index.ts';
import {
  type EpisodeOutcome,
  EvaluationPool,
  evaluationSeed,
  type TrialResult,
  trialRates,
  workersFor,
} from '../../sim/index.ts';
import { checkUnattended } from '../../tasks/index.ts';
import type { EvaluationOptions } from '../eval.ts';
import { type Interruptible, interruptibly } from './interrupt.ts';
import { checkJsonFile, writeJsonFile } from './json-file.ts';
import { warn } from './terminal.ts';

/** A policy's result on all starts. */
interface Tried {
  readonly path: string;
  readonly result: TrialResult;
  readonly outcomes: readonly EpisodeOutcome[];
  readonly cycle: CycleTimes;
}

/** Duration of a success, s of simulated time; NaN without any. */
export interface CycleTimes {
  readonly medianS: number;
  readonly p90S: number;
}

/** Cycle times of the successful episodes, on a robot of `controlHz`. */
export function cycleTimes(outcomes: readonly EpisodeOutcome[], controlHz: number): CycleTimes {
  const timesS = outcomes.filter(({ success }) => success).map(({ ticks }) => ticks / controlHz);
  return { medianS: quantile(timesS, 0.5), p90S: quantile(timesS, 0.9) };
}

/** Counts pairs of episodes with the same start by which of the two policies succeeded. */
export function pairsOf(first: readonly EpisodeOutcome[], second: readonly EpisodeOutcome[]): PairedCounts {
  const count = (a: boolean, b: boolean): number =>
    first.filter(({ success }, i) => success === a && second[i]!.success === b).length;
  return {
    both: count(true, true),
    onlyFirst: count(true, false),
    onlySecond: count(false, true),
    neither: count(false, false),
  };
}

/** States in a sentence whether the `interval` of the difference separates the two policies. */
export function verdictOf({ low, high }: { readonly low: number; readonly high: number }): string {
  if (low > 0) return 'The first is better.';
  if (high < 0) return 'The second is better.';
  return 'They cannot be told apart: the interval holds 0. More episodes narrow it (--episodes).';
}

function cycleText({ medianS, p90S }: CycleTimes): string {
  if (Number.isNaN(medianS)) return 'no cycle time without a success';
  return `a success takes ${medianS.toFixed(1)} s (median), 90 % are done in ${p90S.toFixed(1)} s`;
}

function cycleJson({ medianS, p90S }: CycleTimes): Record<string, number> {
  return Number.isNaN(medianS) ? {} : { cycle_median_s: medianS, cycle_p90_s: p90S };
}

async function compare(first: Tried, second: Tried, config: ResolvedConfig, options: EvaluationOptions): Promise<void> {
  const pairs = pairsOf(first.outcomes, second.outcomes);
  const { difference, low, high } = pairedDifference(pairs);
  const verdict = verdictOf({ low, high });
  const points = (value: number): string => `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)}`;
  const row = ({ path, result: { successes, episodes }, cycle }: Tried): string => {
    const interval = wilsonInterval(successes, episodes);
    return `  ${path}: success ${percent(successes / episodes)} (${percent(interval.low)} to ${percent(interval.high)}), ${cycleText(cycle)}`;
  };
  process.stdout.write(
    `${[
      `${config.task.name}: two policies on the same ${first.result.episodes} starts`,
      row(first),
      row(second),
      `  both ${pairs.both}, only the first ${pairs.onlyFirst}, only the second ${pairs.onlySecond}, neither ${pairs.neither}`,
      `  difference ${points(difference)} points of success (95 % interval ${points(low)} to ${points(high)})`,
      verdict,
    ].join('\n')}\n`,
  );
  const side = ({ path, result, cycle }: Tried) => ({
    policy: path,
    successes: result.successes,
    success_rate: result.successes / result.episodes,
    mean_steps: result.meanSteps,
    violations: result.violations,
    ...cycleJson(cycle),
  });
  await writeJsonFile(options.json, {
    task: config.task.name,
    seed: options.seed,
    eval_episodes: first.result.episodes,
    first: side(first),
    second: side(second),
    pairs,
    difference,
    difference_interval_95: [low, high],
    verdict,
  });
}

/** Resolves to the exit code: 0, 1 if the task's target was missed, 130 after Ctrl+C. */
export async function evaluateBody(options: EvaluationOptions): Promise<number> {
  await checkJsonFile(options.json);
  const config = await configOf(options);
  checkUnattended(config.task);
  const setup = createSetup(config);
  await checkBase(setup);
  // Check the second policy before the first one is evaluated.
  if (options.against !== undefined) await checkPolicy(options.against, setup);
  const episodes = options.episodes ?? config.task.evaluation.episodes;
  const pool = new EvaluationPool(config, workersFor(episodes));
  const body = async ({ signal }: Interruptible): Promise<number> => {
    const tried = async (path: string): Promise<Tried> => {
      const outcomes: EpisodeOutcome[] = [];
      const result = await pool.run({
        candidate: { kind: 'file', path },
        seed: evaluationSeed(options.seed),
        stream: 'evaluation',
        from: 0,
        episodes,
        signal,
        onEpisode: (outcome) => outcomes.push(outcome),
      });
      return { path, result, outcomes, cycle: cycleTimes(outcomes, config.robot.controlHz) };
    };
    const first = await tried(options.policy);
    if (options.against !== undefined) {
      await compare(first, await tried(options.against), config, options);
      return 0;
    }
    const { result } = first;
    await report(first, config, options);
    return result.successes / result.episodes >= config.task.target.successRate ? 0 : 1;
  };
  return interruptibly(warn, undefined, body).finally(() => pool.close());
}

async function configOf(options: EvaluationOptions): Promise<ResolvedConfig> {
  const { policy, against, task, seed, config: overlay } = options;
  if (against !== undefined) await checkThere(against);
  await checkThere(policy);
  if (task === undefined) {
    const beside = policy.endsWith('.onnx') ? dirname(policy) : policy;
    const file = join(beside, RUN_FILES.config);
    await access(file).catch((cause: unknown) => {
      throw new ReinError('config', `${file} is missing: it records what the policy was trained on.`, {
        remedy: 'Copy it from the run that made the policy, or name the task with --task.',
        cause,
      });
    });
    return loadResolvedConfig(file);
  }
  return resolveConfig({ task, seed, ...(overlay === undefined ? {} : { overlay }), run: { command: 'eval', task } });
}

/** Throws `ReinError('policy')` for a policy that cannot act on the task. */
async function checkPolicy(path: string, setup: RunSetup): Promise<void> {
  const { observationSize, actionSize, schemaHash } = setup;
  const expected = { observationSize, actionSize, schemaHash, taskAction: taskActionOf(setup) };
  await (await loadPolicyFile(path, expected)).close();
}

async function checkThere(policy: string): Promise<void> {
  await access(policy).catch((cause: unknown) => {
    throw new ReinError('policy', `${policy} cannot be read: there is no such file.`, {
      remedy: 'Give the path of a policy.onnx or of a run folder.',
      cause,
    });
  });
  await checkKind(policy);
}

/** A folder without a policy is an unfinished run; a file of another kind is no policy. */
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

async function report(tried: Tried, config: ResolvedConfig, options: EvaluationOptions): Promise<void> {
  const { result, cycle } = tried;
  const { successes, episodes, meanSteps, ticks, changedTicks, violations, restarts } = result;
  const { low, high } = wilsonInterval(successes, episodes);
  const { successRate } = config.task.target;
  const own = result.ownSuccesses;
  const byRule = own === undefined ? '' : ` by the classifier, ${percent(own / episodes)} by the task's own rules,`;
  const rates = trialRates(result, config.robot.controlHz);
  process.stdout.write(
    `${config.task.name}: success ${percent(successes / episodes)}${byRule} on ${counted(episodes, 'episode')} ` +
      `(95 % interval ${percent(low)} to ${percent(high)}), ${meanSteps.toFixed(1)} steps each, ${cycleText(cycle)}, ` +
      `filters changed ${percent(changedTicks / Math.max(1, ticks))} of the ticks, ${counted(violations, 'violation')}${restartsText(restarts.count, restarts.reason)}, ` +
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
    ...cycleJson(cycle),
    ...(rates.successesPerHour === undefined ? {} : { successes_per_hour: rates.successesPerHour }),
    human_step_share: rates.humanStepShare,
    safety: { violations, changed_ticks: changedTicks, ticks, restarts: restarts.count },
  };
  await writeJsonFile(options.json, summary);
}
