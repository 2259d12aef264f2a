/** Parts of a session; `open-session.ts` assembles them, and each part of a session names those that it uses. */

import type { RunSetup } from '../config/setup.ts';
import type { GuardLink } from '../guard/index.ts';
import type { Close } from '../host/index.ts';
import type { Clock } from '../model/index.ts';
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
  /** The run's folder, and the run whose weights are used. */
  readonly folder: string;
  readonly runId: string;
  /** All operators that may take over; absent: none. */
  readonly operators: OperatorArbiter | undefined;
  /** The people among them: a script has no role in an evaluation. */
  readonly people: OperatorArbiter | undefined;
  /** Rewinds the robot on request. */
  readonly rewind: Rewind;
  /** Observations received by topic. */
  readonly observations: readonly ObservationSource[];
  /** Source of demonstrations if the learner waits for them: a script, the people at `people`, or none here. */
  readonly demonstrator: 'script' | 'people' | 'nobody';
  /**
   * Reaction when the guard has stopped an episode: wait until the guard permits to go on, which takes a person, or end the activity and
   * wait for a reset.
   */
  readonly afterStop: 'askLeave' | 'wait';
  /** Time limit for delivering what the learner has not acknowledged at the end, ms. */
  readonly drainMs: number;
  readonly draws: Draws;
  /** Brings the robot back between episodes, if a policy does. */
  readonly resetPolicy?: ActingPolicy | undefined;
  /** Present if only demonstrations by people are recorded. */
  readonly recording?: RecordingPlan | undefined;
  /** Folder of a recording whose demonstrations are handed to the learner; absent: they are given here. */
  readonly shownIn?: string | undefined;
  /** Labels states by marks; absent: marks label none. */
  readonly labels?: MarkLabels | undefined;
  /** Cleanup steps, run in reverse order at the end. */
  readonly closers: Close[];
}

type Kind = keyof SessionListener;
type Argument<K extends Kind> = Parameters<NonNullable<SessionListener[K]>>[0];

/** All listeners of a session, called one after the other. */
export class SessionListeners {
  #all: readonly SessionListener[];

  constructor(first: SessionListener | undefined) {
    this.#all = first === undefined ? [] : [first];
  }

  /** Adds a listener; the returned function removes it. */
  add(listener: SessionListener): () => void {
    this.#all = [...this.#all, listener];
    return () => {
      this.#all = this.#all.filter((other) => other !== listener);
    };
  }

  /** Emits an event; by default its row of the fault table is 0 (none), and its remedy empty. */
  report(event: Pick<SessionEvent, 'level' | 'name' | 'message'> & Partial<SessionEvent>): void {
    this.emit('event', { row: 0, remedy: '', ...event });
  }

  emit<K extends Kind>(kind: K, argument: Argument<K>): void {
    for (const listener of this.#all) (listener[kind] as ((argument: Argument<K>) => void) | undefined)?.(argument);
  }
}
