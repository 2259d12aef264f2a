/** A trial with the networks that it has come to, for what is written of them. */
import type { Environment } from '../../core/index.ts';
import { type Agent, type ObservationEncoder, openObservationEncoder } from '../../learner/index.ts';
import { createStudyEnvironment } from '../environments/environments.ts';
import type { Close } from '../trial/closing.ts';
import { readTrialSpec } from '../trial/spec.ts';
import { openTrialAgent, startFrom } from '../trial/trial-agent.ts';

interface Trained {
  readonly environment: Environment;
  /** Where the trial names a frozen encoder. */
  readonly eyes: ObservationEncoder | undefined;
  readonly agent: Agent;
}

/**
 * Opens what the run of `rein train` in `folder` was trained with and adds what closes it to `closes`, also where it fails. A
 * checkpoint that is damaged is passed over with a sentence to `say`. Rejects with `ReinError` where there is no such run, or it
 * holds no networks that fit.
 */
export async function openTrained(folder: string, closes: Close[], say: (sentence: string) => void): Promise<Trained> {
  const spec = readTrialSpec(folder);
  const { environment } = await createStudyEnvironment(spec.environment.name, spec.environment.options, spec.base);
  closes.push(() => environment.close());
  const eyes = await openObservationEncoder(spec.learner.encoder, environment.parts);
  if (eyes !== undefined) closes.push(() => eyes.close());
  const agent = await openTrialAgent(spec, environment, eyes);
  closes.push(() => agent.close());
  await startFrom(agent, folder, say, eyes);
  return { environment, eyes, agent };
}
