/**
 * Everything that a trial works with, opened before any of its files are written: an impossible trial is refused here, and leaves
 * nothing behind.
 */
import { type Close, closeAll, openedOrClosed } from '../../../../src/host/index.ts';
import type { Training } from '../../../../src/learner/index.ts';
import { type Actor, openActor, openTrialTraining, type TrialSpec } from '../../../../src/offline/index.ts';
import type { Demonstrator, Overseer } from '../environments/demonstrator.ts';
import { createStudyEnvironment, type StudyEnvironment } from '../environments/environments.ts';

export interface TrialParts {
  /** Environment of the training. */
  readonly own: StudyEnvironment;
  readonly evaluation: StudyEnvironment;
  readonly training: Training;
  readonly actor: Actor;
  /** Demonstrator and overseer, if the spec requests them. */
  readonly expert: Demonstrator | undefined;
  readonly overseer: Overseer | undefined;
  /** Closes all parts. Rejects with the first error, once all have been tried. */
  readonly close: () => Promise<void>;
}

export const TrialParts = {
  /** Rejects with `ReinError` if a part is unavailable or the parts do not match; nothing is then left open. */
  async open(spec: TrialSpec): Promise<TrialParts> {
    const closes: Close[] = [];
    const opened = await openedOrClosed(closes, () => openAll(spec, closes));
    return { ...opened, close: () => closeAll(closes) };
  },
};

async function openAll(spec: TrialSpec, closes: Close[]): Promise<Omit<TrialParts, 'close'>> {
  const { demonstrations, overseer } = spec;
  const [own, evaluation] = [await openEnvironment(spec, closes), await openEnvironment(spec, closes)];
  const people = {
    expert: demonstrations === null ? undefined : own.expert(demonstrations.skill),
    overseer: overseer === null ? undefined : own.overseer(overseer.options),
  };
  const training = await openTrialTraining(spec, own.environment, closes);
  const actor = await openActor(training);
  closes.push(() => actor.close());
  return { own, evaluation, ...people, training, actor };
}

async function openEnvironment({ environment, base }: TrialSpec, closes: Close[]): Promise<StudyEnvironment> {
  const made = await createStudyEnvironment(environment.name, environment.options, base);
  closes.push(() => made.environment.close());
  return made;
}
