/**
 * Everything that a trial works with, opened before anything of it is written: a trial that cannot be is refused here, and leaves
 * nothing behind.
 */
import { type Close, closeAll, openedOrClosed } from '../../../../src/core/index.ts';
import type { Training } from '../../../../src/learner/index.ts';
import { type Actor, openActor, openTrialTraining, type TrialSpec } from '../../../../src/offline/index.ts';
import type { Demonstrator, Overseer } from '../environments/demonstrator.ts';
import { createStudyEnvironment, type StudyEnvironment } from '../environments/environments.ts';

export interface TrialParts {
  /** The environment that is learned in. */
  readonly own: StudyEnvironment;
  readonly evaluation: StudyEnvironment;
  readonly training: Training;
  readonly actor: Actor;
  /** Who shows how it is done, and who watches, where the spec asks for them. */
  readonly expert: Demonstrator | undefined;
  readonly overseer: Overseer | undefined;
  /** Closes all of them. Rejects with the first error, once all have been tried. */
  readonly close: () => Promise<void>;
}

export const TrialParts = {
  /** Rejects with `ReinError` where one of them cannot be had, or they do not fit one another; nothing is then left open. */
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
