/**
 * Every transition of a trial, in order, from which a resumed trial fills its replay buffer. One file of a journal in the robots'
 * format (`src/link/journal`), but written synchronously, and truncated to its length at a checkpoint.
 */
import { dirname, join } from 'node:path';
import { makeFolder, storage } from '../../../../src/host/index.ts';
import {
  encodeSegmentHeader,
  readJournal,
  recordSlot,
  type SegmentHeader,
  segmentPath,
} from '../../../../src/link/index.ts';
import { ReinError, sha256Hex } from '../../../../src/model/index.ts';
import { TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import type { Source, Transition } from '../../../../src/rows/index.ts';
import { AppendFile } from './append-file.ts';

export interface TransitionSizes {
  readonly observationSize: number;
  readonly actionSize: number;
}

/** Length of a log at a checkpoint. */
export interface LogPosition {
  readonly transitions: number;
  readonly bytes: number;
}

export class TransitionLog {
  readonly #file: AppendFile;
  readonly #sizes: TransitionSizes;
  #transitions: number;

  /** Opens the log of the trial in `folder` and truncates it to `position`. Throws `ReinError` as `AppendFile` does. */
  constructor(folder: string, spec: TrialSpec, sizes: TransitionSizes, position: LogPosition) {
    const path = segmentPath(join(folder, TRIAL_FILES.transitions), 1, 0);
    storage(path, () => makeFolder(dirname(path)));
    this.#file = new AppendFile(path, position.bytes);
    this.#sizes = sizes;
    this.#transitions = position.transitions;
    if (position.bytes === 0) this.#file.append(encodeSegmentHeader(headerOf(spec, sizes)));
  }

  get position(): LogPosition {
    return { transitions: this.#transitions, bytes: this.#file.length };
  }

  /** Appends a copy of `transition`. */
  append(transition: Transition): void {
    this.#file.append(recordSlot(transition, this.#sizes));
    this.#transitions++;
  }

  sync(): void {
    this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }
}

/** Equal trials have equal logs: ids are derived from the spec alone. */
function headerOf(spec: TrialSpec, { observationSize, actionSize }: TransitionSizes): SegmentHeader {
  const id = (value: unknown): string => sha256Hex(JSON.stringify(value)).slice(0, 16);
  const sizes = { observationSize, actionSize };
  const schemaHash = id([spec.environment, spec.base, sizes]);
  return { ...sizes, schemaHash, journalId: id(spec), runId: 'trial', epoch: 1, index: 0 };
}

/**
 * Yields the `count` transitions of the trial in `folder`, each a new object. Throws `ReinError('checkpoint')` if any are damaged
 * or of other sizes; those that are not finite, from which nothing was learned, are skipped.
 */
export function* readTransitionLog(folder: string, sizes: TransitionSizes, count: number): Generator<Transition> {
  const journal = join(folder, TRIAL_FILES.transitions);
  const broken = (what: string): ReinError =>
    new ReinError('checkpoint', `${journal} ${what}.`, {
      remedy: 'Restore its files, or begin again in another folder.',
    });
  let read = 0;
  const transitions = readJournal(journal, {
    onFault: ({ reason, message }, { record }) => {
      if (reason !== 'not-finite') throw broken(`is damaged in record ${record}: ${message}`);
      read++;
    },
  });
  for (const transition of transitions) {
    const [O, A] = [transition.observation.length, transition.executed.length];
    if (O !== sizes.observationSize || A !== sizes.actionSize) {
      const wanted = `${sizes.observationSize} and ${sizes.actionSize} are needed`;
      throw broken(`holds observations of ${O} and actions of ${A} numbers, where ${wanted}`);
    }
    read++;
    yield transition;
  }
  if (read !== count) throw broken(`holds ${read} transitions, the checkpoint was written after ${count} of them`);
}

/** Numbers the transitions of a trial in order. */
export class Numbering {
  #seq = 0;
  #episode = -1;
  #segment = -1;
  #source: Source | undefined;

  /** Sets `epoch`, `seq`, `episode` and `segment`; an episode begins at step 0, a segment where the decider changes. */
  stamp(transition: Transition): void {
    const isFirst = transition.step === 0;
    if (isFirst) this.#episode++;
    if (isFirst || transition.source !== this.#source) this.#segment++;
    this.#source = transition.source;
    transition.epoch = 1;
    transition.seq = this.#seq++;
    transition.episode = this.#episode;
    transition.segment = this.#segment;
  }

  /** Continues after `transition`, which was numbered before. */
  follow({ seq, episode, segment, source }: Transition): void {
    this.#seq = seq + 1;
    this.#episode = episode;
    this.#segment = segment;
    this.#source = source;
  }
}
