/** Test-loads third-party modules in a separate process: for `rein plugins`, and for commands that load them themselves. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { answerOfChild, remedyForLate } from '../../host/index.ts';
import { asObject, ReinError } from '../../model/index.ts';
import type { LoadedMessage } from './plugin-check-process.ts';

/** Time limit for loading a module, ms. */
const LOAD_LIMIT_MS = 10_000;
/** Number of modules checked at once. */
const AT_ONCE = 2;

/** Runs `work` on each item, a few at a time, results in order: each gets its whole time limit on two cores. */
export async function mapFew<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [i, item] of left) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

/** Loads `file` in a process of its own, which the module may crash; its output goes to standard error. Returns the reason if it fails. */
export async function loadElsewhere(file: string, kind?: string): Promise<LoadedMessage | ReinError> {
  const entry = fileURLToPath(new URL('./plugin-check-process.js', import.meta.url));
  const child = fork(entry, kind === undefined ? [file] : [file, kind], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
  });
  const { answer, how, isLate } = await answerOfChild(child, LOAD_LIMIT_MS);
  if (answer instanceof ReinError || isLoaded(answer)) return answer;
  const trouble = isLate ? `does not end within ${LOAD_LIMIT_MS / 1e3} s` : `ended its process instead (${how})`;
  const onlyDefine = 'Let the module only define the plugin: move all else into the functions of the plugin.';
  return new ReinError('config', `The loading of ${file} ${trouble}.`, {
    remedy: isLate ? remedyForLate(onlyDefine) : onlyDefine,
  });
}

function isLoaded(value: unknown): value is LoadedMessage {
  const { kind, name, plugin } = asObject(value) ?? {};
  return kind === 'loaded' && typeof name === 'string' && typeof plugin === 'string';
}
