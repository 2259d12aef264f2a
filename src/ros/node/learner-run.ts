/** Run that a session joins: the learner's or, while that is away, the one whose weights are in the run's folder. */
import type { RunSetup } from '../../config/setup.ts';
import { type LearnerWait, runToJoin, type SessionEvent } from '../../session/index.ts';

export interface LearnerRunOptions {
  readonly setup: RunSetup;
  /** Folder of the run. */
  readonly folder: string;
  /** The learner's `tcp://host:port`; `undefined`: there is none. */
  readonly learner: string | undefined;
  /** Run to join as far as known: the folder's own without a learner. */
  readonly runId: string;
  /** `runId` is that of the learner, which has answered. */
  readonly hasJoined: boolean;
  /** Called with the learner's run once it has answered. */
  readonly onJoined: (runId: string) => Promise<void>;
  readonly onEvent: (event: SessionEvent) => void;
}

export class LearnerRun {
  readonly #options: LearnerRunOptions;
  #runId: string;
  #isKnown: boolean;

  constructor(options: LearnerRunOptions) {
    this.#options = options;
    this.#runId = options.runId;
    this.#isKnown = options.learner === undefined || options.hasJoined;
  }

  /** Run whose weights are used. */
  get runId(): string {
    return this.#runId;
  }

  /**
   * To be called before a session is opened. An absent learner delays nothing if the folder has met it before;
   * otherwise it is waited for, and `onWait` called each time it does not answer. Rejects when `signal` is aborted.
   */
  async settle(signal: AbortSignal, onWait: (wait: LearnerWait) => void): Promise<void> {
    const { learner, setup, folder, onJoined, onEvent } = this.#options;
    if (learner === undefined || this.#isKnown) return;
    const { runId, isLearnerAway } = await runToJoin({ address: learner, setup, folder, signal, onWait });
    this.#runId = runId;
    if (isLearnerAway) {
      onEvent({
        level: 'warn',
        name: 'learnerAway',
        row: 0,
        message: `No learner answers at ${learner}: the last weights on disk act, and it is joined when it is there.`,
        remedy: 'Start the learner, or check the address.',
      });
      return;
    }
    this.#isKnown = true;
    await onJoined(runId);
  }
}
