/** Body of `rein sim`: the simulated run with its display, report and final output. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { modulesOf, type Override, type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { replaceFile } from '../../host/index.ts';
import { counted, percent, ReinError, wilsonInterval } from '../../model/index.ts';
import { LEGEND } from '../../monitor/terminal.ts';
import { perHourText, RUN_FILES, type RunSummary, restartsText } from '../../record/index.ts';
import { checkDevices, checkDriver, operatorsOf, pluggedIn } from '../../session/supervision.ts';
import type { SimulationResult } from '../../sim/index.ts';
import type { OperatorConfig } from '../../teleop/index.ts';
import type { SimOptions } from '../sim.ts';
import { INTERRUPTED, interruptible, isOwnAbort } from './interrupt.ts';
import { checkJsonFile, writeJsonFile } from './json-file.ts';
import { loadElsewhere, mapFew } from './module-check.ts';
import { openMonitorBeside, pageHere } from './monitor.ts';
import { createObserver, ownsTerminal } from './observers.ts';
import { pages, reportLine } from './report.ts';

/** Reason why training ended, for the final output. */
const ENDED_BY = {
  confirmed: 'a confirmed policy',
  steps: 'its steps, all of which were done',
  wall: 'the time that it was given; without --time-limit (training.timeLimitS) it goes on until its policy is good, or its steps are done',
} as const;

/** Throws `ReinError` if driver, devices or modules do not fit the run. */
async function checkBefore(
  options: SimOptions,
  config: ResolvedConfig,
  devices: readonly OperatorConfig[],
  hasKeys: boolean,
): Promise<void> {
  checkDevices(devices, config.task);
  checkDriver({
    command: 'sim',
    operator: options.operator,
    demonstrations: options.demonstrations,
    listed: config.operators.map(({ kind }) => kind),
    terminal: hasKeys ? 'here' : 'none',
    // A simulated robot may be operated by any user of this machine.
    page: pageHere(options) === 'none' ? 'none' : 'operates',
    pluggedIn: pluggedIn(),
    policy: 'given',
  });
  await checkModules(config);
}

/** Prints what is kept of a run that `error` ended. Returns the exit code if that was Ctrl+C; else throws `error`. */
async function tellEnd(error: unknown, signal: AbortSignal, folder: string | undefined): Promise<number> {
  const isOwn = isOwnAbort(error, signal);
  if (!isOwn && !(error instanceof ReinError)) throw error;
  if (isOwn) process.stdout.write('Ended by Ctrl+C: the arm was stopped and the files are closed.\n');
  // An abandoned folder holds nothing to keep.
  const kept = folder === undefined || !existsSync(join(folder, RUN_FILES.config)) ? undefined : folder;
  if (kept !== undefined) process.stdout.write(`${(await whatIsKept(kept)).join('\n')}\n`);
  if (!isOwn) throw error;
  return INTERRUPTED;
}

/** Resolves to the exit code: 0, 1 if the target was missed, 130 after Ctrl+C. */
export async function simBody(options: SimOptions): Promise<number> {
  await checkJsonFile(options.json);
  const config = resolveSim(options);
  const devices = devicesOf(options, config);
  const hasKeys = options.output === 'live' && ownsTerminal();
  await checkBefore(options, config, devices, hasKeys);
  // Imported only now: errors in the request are reported without loading simulator, networks and link.
  const [{ simulate }, { openOperators }] = await Promise.all([
    import('../../sim/index.ts'),
    import('../../session/index.ts'),
  ]);
  const observer = createObserver(options.output);
  const monitor = await openMonitorBeside(options, observer);
  let folder: string | undefined;
  const stop = interruptible(observer.print);
  try {
    const result = await simulate({
      config,
      out: options.out,
      observer,
      watcher: monitor,
      trace: options.trace,
      signal: stop.signal,
      judges: hasKeys || monitor !== undefined ? 'people' : 'nobody',
      demonstrations: options.demonstrations === 'scripted' ? 'scripted' : 'people',
      onFolder: (path) => {
        folder = path;
      },
      createOperators: (context) =>
        openOperators(devices, {
          ...context,
          print: observer.print,
          terminal: hasKeys ? process.stdin : undefined,
          onInterrupt: () => stop.interrupt(),
          legend: LEGEND,
        }),
    });
    observer.stop();
    return await finish(result, options);
  } catch (error) {
    observer.stop();
    return await tellEnd(error, stop.signal, folder);
  } finally {
    await monitor?.close();
    stop.release();
  }
}

/** The keyboard always, for the terminal's keys, then the requested devices. */
function devicesOf({ operator }: SimOptions, { operators }: ResolvedConfig): readonly OperatorConfig[] {
  return operatorsOf('keyboard', operatorsOf(operator, operators));
}

/** Loads third-party modules in another process first: one that never returns, or exits, would take this process with it. */
async function checkModules(config: ResolvedConfig): Promise<void> {
  const loaded = await mapFew(modulesOf(config), ({ file, kind }) => loadElsewhere(file, kind));
  const refused = loaded.find((each) => each instanceof ReinError);
  if (refused !== undefined) throw refused;
}

/** Report, policy and files kept of a run that was ended early. */
async function whatIsKept(folder: string): Promise<string[]> {
  const { hasCheckpoint } = await import('../../learner/index.ts');
  const isTrained = await hasCheckpoint(folder);
  return [
    await reportLine(folder),
    ...(isTrained ? [`  policy the newest that was trained: rein export policy ${folder} --out policy.onnx`] : []),
    `  files  ${folder}`,
  ];
}

function resolveSim(options: SimOptions): ResolvedConfig {
  const { task, seed, steps, evalEpisodes, timeLimitS, config } = options;
  const overrides: Override[] = [];
  if (steps !== undefined) overrides.push({ option: '--steps', path: ['task', 'training', 'steps'], value: steps });
  if (evalEpisodes !== undefined) {
    overrides.push({ option: '--eval-episodes', path: ['task', 'evaluation', 'episodes'], value: evalEpisodes });
  }
  if (timeLimitS !== undefined) {
    overrides.push({ option: '--time-limit', path: ['task', 'training', 'timeLimitS'], value: timeLimitS });
  }
  return resolveConfig({
    task,
    seed,
    ...(config === undefined ? {} : { overlay: config }),
    overrides,
    isSimulated: true,
    run: { command: 'sim', task, seed },
  });
}

async function finish(result: SimulationResult, options: SimOptions): Promise<number> {
  const { summary, folder, policyFile, missed } = result;
  process.stdout.write(`${lastWords(summary).join('\n')}\n  policy    ${policyFile}\n`);
  try {
    const report = await writeResults(folder, summary);
    process.stdout.write(`  report    ${report}\n  all files ${folder}\n`);
    await writeJsonFile(options.json, summary);
  } finally {
    // Also where a full disk refuses the files.
    for (const message of missed) process.stderr.write(`rein: target missed: ${message}\n`);
  }
  return missed.length === 0 ? 0 : 1;
}

async function writeResults(folder: string, summary: RunSummary): Promise<string> {
  try {
    await replaceFile(join(folder, RUN_FILES.summary), `${JSON.stringify(summary, undefined, 2)}\n`);
    const { loadReportData, writeReport } = await pages();
    return await writeReport(folder, await loadReportData(folder));
  } catch (cause) {
    throw new ReinError('storage', `Summary and report cannot be written: ${(cause as Error).message}.`, {
      remedy: `The policy, the journal and the metrics of the run are in ${folder}.`,
      cause,
    });
  }
}

/** Rates in simulated time: as on a robot, except for resets, which take almost no time in simulation. */
function workWords(summary: RunSummary): string {
  const { successes_per_hour, training_successes_per_hour, human_step_share = 0 } = summary;
  const rate = (perHour: number | undefined): string => (perHour === undefined ? 'no' : perHourText(perHour));
  return (
    `${rate(training_successes_per_hour)} successes an hour in training, ${rate(successes_per_hour)} in evaluation ` +
    `(simulated time, resets included); ${percent(human_step_share)} of the training steps by people or the script`
  );
}

/** If a classifier decides success: the success rate by the task's own rules on the same episodes. */
function ownWords({ own_success_rate: rate, eval_episodes: episodes }: RunSummary): string[] {
  if (rate === undefined) return [];
  const { low, high } = wilsonInterval(Math.round(rate * episodes), episodes);
  return [`  by rule   ${percent(rate)} (${percent(low)} to ${percent(high)}): above is the rate by the classifier`];
}

function lastWords(summary: RunSummary): string[] {
  const { success_rate, eval_episodes, safety, link, judged_by } = summary;
  const { low, high } = wilsonInterval(Math.round(success_rate * eval_episodes), eval_episodes);
  return [
    `Success ${percent(success_rate)} on ${counted(eval_episodes, 'fresh episode')} (95 % interval ${percent(low)} to ${percent(high)}).`,
    ...ownWords(summary),
    ...(judged_by === undefined ? [] : ['  judged by people: no policy was validated, and the newest is kept']),
    `  training  ${counted(summary.env_steps, 'step')}, ${counted(summary.updates, 'update')} in ${summary.training_wall_s?.toFixed(1)} s; whole run ${summary.wall_s.toFixed(1)} s`,
    `  ended by  ${ENDED_BY[summary.ended_by ?? 'steps']}`,
    `  operator  ${counted(summary.interventions, 'intervention')}, ${counted(summary.intervention_steps, 'step')}`,
    `  work      ${workWords(summary)}`,
    `  safety    ${counted(safety.violations, 'violation')}, filters changed ${percent(safety.changed_ticks / Math.max(1, safety.ticks))} of ${safety.ticks} ticks${restartsText(safety.restarts, safety.restarted_for)}`,
    `  link      ${link.sent} sent, ${link.acked} acknowledged, ${link.lost} lost, ${link.duplicated} duplicated`,
  ];
}
