/** Recorder of a live robot's transitions: always to the journal, and to the learner if there is one. */
import { join } from 'node:path';
import type { RunSetup } from '../../config/setup.ts';
import { type JournalStatus, openJournal, readJournal } from '../../link/index.ts';
import type { MetricRecord } from '../../record/index.ts';
import type { Transition } from '../../rows/index.ts';
import { JOURNAL_FOLDER, LearnerConnection } from '../learner-connection.ts';

/** Takes transitions; never waits, and never throws for lack of disk or network. */
export interface TransitionRecorder {
  /** Number of this start of the robot in its run, from 1. */
  readonly epoch: number;
  /** Absent without a learner. */
  readonly connection: LearnerConnection | undefined;
  record(transition: Transition): void;
  /** Steps of this start that were not recorded for lack of disk or memory. */
  notRecorded(): number;
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly setup: RunSetup;
  readonly folder: string;
  readonly runId: string;
  readonly robotId: string;
  readonly learner: string | undefined;
  /** Source of weights, if not `learner`. */
  readonly weightsAddress?: string | undefined;
  /** See `LearnerConnectionOptions`. */
  readonly keep: 'newest' | 'all';
  /** Only weights above this version are accepted. */
  readonly weightsAfter: number;
  readonly onFault: (message: string) => void;
  /** Called when the journal has a problem, and when that ends. */
  readonly onJournal: (status: JournalStatus) => void;
  readonly onState: (state: LearnerConnection['state']) => void;
  /** Called with the learner's metrics as they arrive, unchecked. */
  readonly onMetrics: (record: MetricRecord) => void;
}

/** Opens the journal and begins to connect. Throws `ReinError` when the journal is of another run or cannot be opened. */
export function openRecorder(options: RecorderOptions): TransitionRecorder {
  const { setup, folder, runId, robotId, learner, weightsAfter, keep, onFault, onJournal, onState, onMetrics } =
    options;
  if (learner !== undefined) {
    const connection = new LearnerConnection({
      setup,
      runId,
      robotId,
      address: learner,
      ...(options.weightsAddress === undefined ? {} : { weightsAddress: options.weightsAddress }),
      folder,
      weightsAfter,
      keep,
      onFault,
      onJournal,
      onState,
      onMetrics,
    });
    reportDamage(connection.journal(), folder, onFault);
    const record = (transition: Transition): void => connection.record(transition);
    const notRecorded = (): number => connection.journal().dropped;
    return { epoch: connection.journal().epoch, notRecorded, connection, record, close: () => connection.close() };
  }
  const { schemaHash, observationSize, actionSize } = setup;
  const journal = openJournal({
    dir: join(folder, JOURNAL_FOLDER),
    runId,
    schemaHash,
    observationSize,
    actionSize,
    onStatus: onJournal,
  });
  reportDamage(journal.status(), folder, onFault);
  return {
    epoch: journal.epoch,
    notRecorded: () => journal.status().dropped,
    connection: undefined,
    record: (transition) => void journal.append(transition),
    close: () => journal.close(),
  };
}

/** A damaged journal is continued; its losses are reported once. */
function reportDamage({ damage }: JournalStatus, folder: string, onFault: (message: string) => void): void {
  if (damage.length === 0) return;
  const more = damage.length === 1 ? '' : ` (and ${damage.length - 1} more)`;
  onFault(`The journal is damaged: ${damage[0]!.message}${more}. rein recover ${folder} shows what is left of it.`);
}

/** Demonstrations in the journal of the run in `folder`: whole episodes, and their steps. */
export function recordedDemonstrations(folder: string): { readonly episodes: number; readonly steps: number } {
  let episodes = 0;
  let steps = 0;
  for (const transition of readJournal(join(folder, JOURNAL_FOLDER))) {
    if (transition.source !== 'demo') continue;
    steps++;
    if (transition.terminated) episodes++;
  }
  return { episodes, steps };
}
