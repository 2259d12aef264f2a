/** `rein export encoder`: what a training has learned to see, for other trainings to look through. */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { closedAfter, ReinError, replaceFileSync, storage } from '../../core/index.ts';
import { openTrained } from '../trial/trial-parts.ts';

/**
 * Writes the convolutions that the run of `rein train` in `folder` has trained to `out`, for `encoder.frozen.file`. Rejects with
 * `ReinError` where there is no such run, or it has trained none.
 */
export function exportEncoder(folder: string, out: string, say: (sentence: string) => void): Promise<void> {
  return closedAfter(async (closes) => {
    const { environment, training } = await openTrained(folder, closes, say);
    const model = await training.agent.exportEncoder();
    if (model === undefined) {
      const why = training.encoder === undefined ? `"${environment.name}" has no image` : 'its encoder is a frozen one';
      throw new ReinError('config', `${folder} has trained no encoder: ${why}.`, {
        remedy: 'Give a run of an environment with an image, whose encoder has channels.',
      });
    }
    storage(out, () => {
      mkdirSync(dirname(resolve(out)), { recursive: true });
      replaceFileSync(out, model);
    });
  });
}
