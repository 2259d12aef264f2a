/**
 * Everything that a trial works with, opened before anything of it is written: a trial that cannot be is refused here, and leaves
 * nothing behind.
 */

import { type Agent, type ObservationEncoder, openObservationEncoder } from '../../learner/index.ts';
import type { Demonstrator, Overseer } from '../../sim/index.ts';
import { createStudyEnvironment, type StudyEnvironment } from '../environments/environments.ts';
import { type Actor, openActor } from './actor.ts';
import { type Close, closeAll, openedOrClosed } from './closing.ts';
import type { TrialSpec } from './spec.ts';
import { openTrialAgent } from './trial-agent.ts';

interface Opened {
  readonly training: StudyEnvironment;
  readonly evaluation: StudyEnvironment;
  /** Where the spec names a frozen encoder. */
  readonly eyes: ObservationEncoder | undefined;
  readonly agent: Agent;
  readonly actor: Actor;
  /** Who shows how it is done, and who watches, where the spec asks for them. */
  readonly expert: Demonstrator | undefined;
  readonly overseer: Overseer | undefined;
}

export class TrialParts {
  readonly training: StudyEnvironment;
  readonly evaluation: StudyEnvironment;
  readonly eyes: ObservationEncoder | undefined;
  readonly agent: Agent;
  readonly actor: Actor;
  readonly expert: Demonstrator | undefined;
  readonly overseer: Overseer | undefined;
  /** In the order in which they were opened. */
  readonly #closes: readonly Close[];

  private constructor(opened: Opened, closes: readonly Close[]) {
    ({ training: this.training, evaluation: this.evaluation, eyes: this.eyes } = opened);
    ({ agent: this.agent, actor: this.actor, expert: this.expert, overseer: this.overseer } = opened);
    this.#closes = closes;
  }

  /** Rejects with `ReinError` where one of them cannot be had, or they do not fit one another; nothing is then left open. */
  static async open(spec: TrialSpec): Promise<TrialParts> {
    const closes: Close[] = [];
    return new TrialParts(await openedOrClosed(closes, () => openAll(spec, closes)), closes);
  }

  /** Closes all of them. Rejects with the first error, once all have been tried. */
  close(): Promise<void> {
    return closeAll(this.#closes);
  }
}

async function openAll(spec: TrialSpec, closes: Close[]): Promise<Opened> {
  const { environment, base, demonstrations, overseer, learner } = spec;
  const opened = async (): Promise<StudyEnvironment> => {
    const made = await createStudyEnvironment(environment.name, environment.options, base);
    closes.push(() => made.environment.close());
    return made;
  };
  const [training, evaluation] = [await opened(), await opened()];
  const people = {
    expert: demonstrations === null ? undefined : training.expert(demonstrations.skill),
    overseer: overseer === null ? undefined : training.overseer(overseer.options),
  };
  const eyes = await openObservationEncoder(learner.encoder, training.environment.parts);
  if (eyes !== undefined) closes.push(() => eyes.close());
  const agent = await openTrialAgent(spec, training.environment, eyes);
  closes.push(() => agent.close());
  const actor = await openActor(agent, eyes);
  closes.push(() => actor.close());
  return { training, evaluation, ...people, eyes, agent, actor };
}
