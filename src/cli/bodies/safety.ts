/** What `rein safety check` does: load, attack, print, write the report. */
import { join } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { writeSafetyReport } from '../../monitor/index.ts';
import { loadCheckSubject } from '../../runtime/check-subject/index.ts';
import { runSafetyCheck, type SafetyCheckResult } from '../../runtime/safety-check/index.ts';
import type { SafetyCheckOptions } from '../safety-options.ts';
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
  const stop = interruptible((sentence) => process.stderr.write(`${sentence}\n`), 'no report is written');
  const progress = progressLine(options.output);
  try {
    const subject = await loadCheckSubject(options.subject, { limits: options.limits });
    const { ticks, seed, chain, without, command } = options;
    if (options.output === 'live') {
      process.stdout.write(`${subject.model.name}: ${ticks} ticks, seed ${seed}\n`);
      for (const sentence of subject.assumed) process.stdout.write(`assumed: ${sentence}\n`);
    }
    const result = await runSafetyCheck({
      ...{ subject, shownAs: options.subject, command, ticks, seed, chain, without },
      ...{ onTicks: progress.show, signal: stop.signal },
    });
    progress.end();
    return await report(result, options);
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

interface Progress {
  readonly show: (done: number, planned: number) => void;
  readonly end: () => void;
}

/** One line that is written over, on a terminal only. */
function progressLine(output: 'live' | 'quiet'): Progress {
  const { stderr } = process;
  if (output === 'quiet' || !stderr.isTTY) return { show: () => undefined, end: () => undefined };
  const startedMs = performance.now();
  return {
    show: (done, planned) => {
      const share = Math.min(1, done / planned);
      const leftS = ((performance.now() - startedMs) / 1e3) * (1 / Math.max(share, 1e-3) - 1);
      stderr.write(
        `\r\u001b[K${(100 * share).toFixed(0).padStart(3)} %  ${done} ticks, about ${Math.ceil(leftS)} s left`,
      );
    },
    end: () => stderr.write('\r\u001b[K'),
  };
}
