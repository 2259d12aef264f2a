/** `rein export encoder`: what a training has learned to see, for other trainings to look through. */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ReinError } from '../../../core/index.ts';
import { openObservationEncoder } from '../../../learner/index.ts';
import { createStudyEnvironment } from '../environments/index.ts';
import { storage, writeWhole } from '../files/index.ts';
import { openTrialAgent, readTrialSpec, startFrom } from '../trial/index.ts';

/**
 * Writes the convolutions that the run of `rein train` in `folder` has trained to `out`, for `encoder.frozen.file`. Rejects with
 * `ReinError` where there is no such run, or it has trained none.
 */
export async function exportEncoder(folder: string, out: string, say: (sentence: string) => void): Promise<void> {
  const spec = readTrialSpec(folder);
  const { environment } = await createStudyEnvironment(spec.environment.name, spec.environment.options, spec.base);
  const eyes = await openObservationEncoder(spec.learner.encoder, environment.parts);
  const agent = await openTrialAgent(spec, environment, eyes);
  try {
    await startFrom(agent, folder, say);
    const model = await agent.exportEncoder();
    if (model === undefined) {
      const why = eyes === undefined ? `"${environment.name}" has no image` : 'its encoder is a frozen one';
      throw new ReinError('config', `${folder} has trained no encoder: ${why}.`, {
        remedy: 'Give a run of an environment with an image, whose encoder has channels.',
      });
    }
    storage(out, () => {
      mkdirSync(dirname(resolve(out)), { recursive: true });
      writeWhole(out, model);
    });
  } finally {
    await agent.close();
    await eyes?.close();
    environment.close();
  }
}
