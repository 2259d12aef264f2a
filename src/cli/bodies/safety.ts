/** What `rein safety check` does: load, attack, print, write the report. */
import { join } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { writeSafetyReport } from '../../monitor/index.ts';
import {
  type CheckProgress,
  loadCheckSubject,
  runSafetyCheck,
  type SafetyCheckResult,
} from '../../safety-check/index.ts';
import type { SafetyCheckOptions } from '../safety.ts';
import { INTERRUPTED, interruptible } from './interrupt.ts';
import { checkJsonFile, writeJsonFile } from './json-file.ts';
import { makeOutFolder } from './out-folder.ts';
import { isOwnAbort } from './own-abort.ts';
import { checkTable } from './safety-table.ts';

const FOUND = 1;

/** Resolves to the exit code: 0, 1 where something was found, 130 after Ctrl+C. Rejects with `ReinError`. */
export async function safetyCheckBody(options: SafetyCheckOptions): Promise<number> {
  makeOutFolder(options.out);
  await checkJsonFile(options.json).catch(asMisuse);
  const stop = interruptible(
    (message) => process.stderr.write(`${message}\n`),
    'the report is of what was tried until now',
  );
  const startedMs = performance.now();
  const progress = progressLine(options.output);
  try {
    const { limits, accelMaxRadPerS2, payloadMaxKg, fixed, packages } = options;
    const about = { limits, accelMaxRadPerS2, payloadMaxKg, fixed, packages };
    const subject = await loadCheckSubject(options.subject, { ...about, onPhase: progress.phase });
    progress.end();
    const { ticks, seed, chain, without } = options;
    const spentS = (performance.now() - startedMs) / 1e3;
    const timeLimitS = options.timeLimitS === undefined ? undefined : Math.max(1, options.timeLimitS - spentS);
    if (options.output === 'live') {
      process.stdout.write(`${subject.model.name}: ${ticks} ticks, seed ${seed}\n`);
      for (const sentence of subject.assumed) process.stdout.write(`assumed: ${sentence}\n`);
    }
    const result = await runSafetyCheck({
      ...{ subject, shownAs: options.subject, command: commandLine(options), ticks, seed, chain, without },
      ...{ onProgress: progress.show, signal: stop.signal, timeLimitS },
    });
    progress.end();
    const code = await report(result, options);
    return result.ended === 'interrupted' ? INTERRUPTED : code;
  } catch (error) {
    progress.end();
    if (isOwnAbort(error, stop.signal)) return INTERRUPTED;
    throw error;
  } finally {
    stop.release();
  }
}

async function report(result: SafetyCheckResult, { out, json, output }: SafetyCheckOptions): Promise<number> {
  const page = join(out, 'safety-report.html');
  // First what a full disk cannot take away.
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

/** Before the work begins, a file that cannot be written is a mistake of the command line. */
function asMisuse(error: unknown): never {
  if (!(error instanceof ReinError)) throw error;
  throw new ReinError('config', error.message, { remedy: error.remedy ?? 'give --json another file', cause: error });
}

/** The command that repeats this check, defaults written out. */
export function commandLine(options: SafetyCheckOptions): string {
  const { subject, limits, accelMaxRadPerS2, payloadMaxKg, fixed, packages, ticks, seed, chain, without } = options;
  const parts = ['rein safety check', subject];
  if (limits !== undefined) parts.push('--limits', limits);
  if (accelMaxRadPerS2 !== undefined) parts.push('--accel', String(accelMaxRadPerS2));
  if (payloadMaxKg !== undefined) parts.push('--payload', String(payloadMaxKg));
  for (const name of fixed) parts.push('--fixed', name);
  for (const [name, folder] of Object.entries(packages)) parts.push('--package', `${name}=${folder}`);
  parts.push('--ticks', String(ticks), '--seed', String(seed));
  if (chain === 'off') parts.push('--chain off');
  for (const name of without) parts.push('--without', name);
  return parts.join(' ');
}

interface Progress {
  /** Something begins that takes time and says nothing meanwhile. */
  readonly phase: (message: string) => void;
  readonly show: (progress: CheckProgress) => void;
  readonly end: () => void;
}

/** Where nothing can be written over, the first line comes after so long, so that people see it at work, ms, */
const FIRST_LINE_MS = 1000;
/** and another so often, ms. */
const LINE_MS = 15_000;

/** One line that is written over on a terminal; elsewhere a line now and then. */
function progressLine(output: 'live' | 'quiet'): Progress {
  const { stderr } = process;
  const silent = (): void => undefined;
  if (output === 'quiet') return { phase: silent, show: silent, end: silent };
  let startedMs = 0;
  let saidMs = performance.now();
  let waitMs = FIRST_LINE_MS;
  const line = (progress: CheckProgress): string => {
    const { ticks, plannedTicks, trials, plannedTrials } = progress;
    const share = Math.min(1, ticks / plannedTicks);
    const leftS = ((performance.now() - startedMs) / 1e3) * (1 / Math.max(share, 1e-3) - 1);
    return `${(100 * share).toFixed(0).padStart(3)} %  ${trials} of ${plannedTrials} trials, ${ticks} ticks, about ${Math.ceil(leftS)} s left`;
  };
  if (!stderr.isTTY) {
    return {
      phase: silent,
      show: (progress) => {
        if (startedMs === 0) startedMs = saidMs;
        if (performance.now() - saidMs < waitMs) return;
        saidMs = performance.now();
        waitMs = LINE_MS;
        stderr.write(`${line(progress)}\n`);
      },
      end: () => {
        saidMs = performance.now();
      },
    };
  }
  return {
    phase: (sentence) => {
      stderr.write(`\r\u001b[K${sentence} …`);
    },
    show: (progress) => {
      stderr.write(`\r\u001b[K${line(progress)}`);
    },
    end: () => {
      startedMs = performance.now();
      stderr.write('\r\u001b[K');
    },
  };
}
