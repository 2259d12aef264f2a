/** What a session is made of; `open-session.ts` puts it together, and each part of a session names what it takes of it. */

import type { RunSetup } from '../config/setup.ts';
import type { Clock, Close } from '../core/index.ts';
import type { GuardLink } from '../guard/index.ts';
import type { ActingPolicy } from '../policy/index.ts';
import type { ObservationSource } from '../tasks/index.ts';
import type { OperatorArbiter, Rewind } from '../teleop/index.ts';
import type { EpisodeRunner } from './episode-runner.ts';
import type { MarkLabels } from './mark-labels.ts';
import type { Draws } from './pace.ts';
import type { LiveLog } from './run/live-log.ts';
import type { TransitionRecorder } from './run/recorder.ts';
import type { RecordingPlan, SessionEvent, SessionListener } from './session-types.ts';
import type { KeptWeights } from './weights/kept-weights.ts';

export interface SessionParts {
  readonly setup: RunSetup;
  readonly clock: Clock;
  readonly link: GuardLink;
  readonly policy: ActingPolicy;
  readonly kept: KeptWeights;
  readonly recorder: TransitionRecorder;
  readonly runner: EpisodeRunner;
  readonly live: LiveLog;
  readonly listeners: SessionListeners;
  /** The run's folder, and the run that weights are taken of. */
  readonly folder: string;
  readonly runId: string;
  /** Everybody who may take over; absent: nobody. */
  readonly operators: OperatorArbiter | undefined;
  /** The people among them: a script has no part in an evaluation. */
  readonly people: OperatorArbiter | undefined;
  /** Goes back the way the robot came, once somebody asks for it. */
  readonly rewind: Rewind;
  /** Observations that come by topic. */
  readonly observations: readonly ObservationSource[];
  /** Who gives demonstrations where the learner waits for them: a script, the people at `people`, or nobody here. */
  readonly demonstrator: 'script' | 'people' | 'nobody';
  /**
   * What is done after the guard has stopped an episode: wait until the guard gives leave to go on, which a person does, or
   * end what goes on and wait for a reset.
   */
  readonly afterStop: 'askLeave' | 'wait';
  /** How long the learner may take at the end to get what it has not acknowledged, ms. */
  readonly drainMs: number;
  readonly draws: Draws;
  /** Brings the robot back between episodes, where a policy does. */
  readonly resetPolicy?: ActingPolicy | undefined;
  /** People record demonstrations, and nothing else is done; absent: they do not. */
  readonly recording?: RecordingPlan | undefined;
  /** Folder of a recording whose demonstrations the learner is given; absent: somebody here shows them. */
  readonly shownIn?: string | undefined;
  /** Marks label states too; absent: they do not. */
  readonly labels?: MarkLabels | undefined;
  /** What is undone at the end, the last first. */
  readonly closers: Close[];
}

type Kind = keyof SessionListener;
type Argument<K extends Kind> = Parameters<NonNullable<SessionListener[K]>>[0];

/** Everybody who watches a session, called one after the other. */
export class SessionListeners {
  #all: readonly SessionListener[];

  constructor(first: SessionListener | undefined) {
    this.#all = first === undefined ? [] : [first];
  }

  /** The result takes it off again. */
  add(listener: SessionListener): () => void {
    this.#all = [...this.#all, listener];
    return () => {
      this.#all = this.#all.filter((other) => other !== listener);
    };
  }

  /** Tells of an event; of no row of the fault table and without a remedy unless it has them. */
  report(event: Pick<SessionEvent, 'level' | 'name' | 'message'> & Partial<SessionEvent>): void {
    this.emit('event', { row: 0, remedy: '', ...event });
  }

  emit<K extends Kind>(kind: K, argument: Argument<K>): void {
    for (const listener of this.#all) (listener[kind] as ((argument: Argument<K>) => void) | undefined)?.(argument);
  }
}
