/** The folder of a live run: a new one, or the one of an earlier start whose journal is carried on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadResolvedConfig, type ResolvedConfig } from '../../config/index.ts';
import { ReinError } from '../../core/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import { createRunFolder, type RunFolder, runIdOf } from '../run-folder.ts';

/** How a live run is named in `config.yaml`. */
export const LIVE_COMMAND = 'run';

/**
 * A new folder, or `out` where a robot with the same settings, task and seed ran before. Learner settings may differ: a
 * robot has no use for them. Throws `ReinError('storage')` where `out` holds another kind of run or one that was started
 * with anything else.
 */
export async function openLiveFolder(config: ResolvedConfig, out: string | undefined): Promise<RunFolder> {
  if (out === undefined || !existsSync(join(out, RUN_FILES.config))) return createRunFolder(config, out, new Date());
  const configFile = join(out, RUN_FILES.config);
  const before = loadResolvedConfig(configFile);
  const isSame =
    before.run['command'] === LIVE_COMMAND &&
    isDeepStrictEqual(before.task, config.task) &&
    isDeepStrictEqual(before.robot, config.robot);
  if (!isSame) {
    throw new ReinError('storage', `${out} holds another run, which this robot cannot carry on.`, {
      remedy: 'Choose another folder (out); nothing there was touched.',
    });
  }
  if (before.seed !== config.seed) {
    throw new ReinError('storage', `${out} holds a run with seed ${before.seed}, not ${config.seed}.`, {
      remedy: `Give the seed ${before.seed} to carry it on, or choose another folder (out).`,
    });
  }
  return { path: out, runId: runIdOf(out, before), configFile };
}
