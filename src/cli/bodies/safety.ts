/** Body of `rein safety check`: load, attack, print, write the report. */
import { join } from 'node:path';
import { counted, ReinError } from '../../model/index.ts';
import { writeSafetyReport } from '../../monitor/index.ts';
import { LIMIT_FLAGS, loadCheckSubject } from '../../robot-import/index.ts';
import { type CheckProgress, runSafetyCheck, type SafetyCheckResult } from '../../safety-check/index.ts';
import type { SafetyCheckOptions } from '../safety.ts';
import { INTERRUPTED, type Interruptible, interruptibly } from './interrupt.ts';
import { checkFile, checkJsonFile, writeJsonFile } from './json-file.ts';
import { makeOutFolder } from './out-folder.ts';
import { checkTable } from './safety-table.ts';
import { progressLine, warn } from './terminal.ts';

const FOUND = 1;
/** File name inside `--out`. */
const PAGE = 'safety-report.html';
/** Interval of progress lines after the first, if they cannot be overwritten, ms. */
const LINE_MS = 15_000;

/** Resolves to the exit code: 0, 1 if something was found, 130 after Ctrl+C. Rejects with `ReinError`. */
export async function safetyCheckBody(options: SafetyCheckOptions): Promise<number> {
  makeOutFolder(options.out);
  await checkJsonFile(options.json).catch(asMisuse);
  await checkFile(join(options.out, PAGE), '--out').catch(asMisuse);
  const startedMs = performance.now();
  const progress = progressLine(options.output, LINE_MS);
  const body = async ({ signal }: Interruptible): Promise<number> => {
    const { limits, velocityMaxRadPerS, accelMaxRadPerS2, torqueMaxNm, payloadMaxKg, fixed, packages } = options;
    const defaults = { velocityMaxRadPerS, accelMaxRadPerS2, torqueMaxNm };
    const about = { limits, defaults, payloadMaxKg, fixed, packages };
    const subject = await loadCheckSubject(options.subject, { ...about, onPhase: progress.phase });
    progress.end();
    const { ticks, seed, chain, without } = options;
    const spentS = (performance.now() - startedMs) / 1e3;
    const timeLimitS = options.timeLimitS === undefined ? undefined : Math.max(1, options.timeLimitS - spentS);
    if (options.output === 'live') {
      process.stdout.write(`${subject.model.name}: ${counted(ticks, 'tick')}, seed ${seed}\n`);
      for (const message of subject.assumed) process.stdout.write(`assumed: ${message}\n`);
    }
    const result = await runSafetyCheck({
      subject,
      shownAs: options.subject,
      command: commandLine(options),
      ticks,
      seed,
      chain,
      without,
      onProgress: (made) => progress.show(shareOf(made), progressText(made)),
      signal,
      timeLimitS,
    });
    progress.end();
    const code = await report(result, options);
    return result.ended === 'interrupted' ? INTERRUPTED : code;
  };
  return interruptibly(warn, 'the report is of what was tried until now', body).finally(progress.end);
}

function shareOf({ ticks, plannedTicks }: CheckProgress): number {
  return Math.min(1, ticks / plannedTicks);
}

function progressText({ ticks, trials, plannedTrials }: CheckProgress): string {
  return `${trials} of ${plannedTrials} trials, ${ticks} ticks`;
}

async function report(result: SafetyCheckResult, { out, json, output }: SafetyCheckOptions): Promise<number> {
  const page = join(out, PAGE);
  // Print first: a full disk cannot prevent that.
  if (output === 'live') process.stdout.write(checkTable(result));
  process.stdout.write(`${result.verdict}\n`);
  await writeJsonFile(json, result);
  await writeSafetyReport(page, result).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ReinError('storage', `${page} cannot be written: ${why}`, { remedy: 'give --out another folder', cause });
  });
  if (output === 'live') process.stdout.write(`report: ${page}\n`);
  return result.ok ? 0 : FOUND;
}

/** Before the work begins, a file that cannot be written is an error of the command line. */
function asMisuse(error: unknown): never {
  if (!(error instanceof ReinError)) throw error;
  throw new ReinError('config', error.message, { remedy: error.remedy ?? 'give --json another file', cause: error });
}

/** The command that repeats this check, with defaults written out. */
export function commandLine(options: SafetyCheckOptions): string {
  const { subject, limits, payloadMaxKg, fixed, packages, ticks, seed, chain, without } = options;
  const parts = ['rein safety check', subject];
  if (limits !== undefined) parts.push('--limits', limits);
  for (const [key, flag] of LIMIT_FLAGS) {
    if (options[key] !== undefined) parts.push(flag, String(options[key]));
  }
  if (payloadMaxKg !== undefined) parts.push('--payload', String(payloadMaxKg));
  for (const name of fixed) parts.push('--fixed', name);
  for (const [name, folder] of Object.entries(packages)) parts.push('--package', `${name}=${folder}`);
  parts.push('--ticks', String(ticks), '--seed', String(seed));
  if (chain === 'off') parts.push('--chain off');
  for (const name of without) parts.push('--without', name);
  return parts.join(' ');
}
