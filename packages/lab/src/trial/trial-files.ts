/** Growing files of a trial, and its result: the content of each line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync, storage } from '../../../../src/host/index.ts';
import { parseJson, ReinError } from '../../../../src/model/index.ts';
import { TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import { AppendFile } from '../files/append-file.ts';
import { type LogPosition, TransitionLog, type TransitionSizes } from '../files/transition-log.ts';

/** One evaluation: a line of `curve.jsonl`. The same for the same spec, however often the trial was interrupted. */
export interface CurvePoint {
  /** Environment steps before it. */
  readonly step: number;
  /** Critic updates before it. */
  readonly updates: number;
  readonly episodes: number;
  /** Undiscounted, one per episode. */
  readonly returns: readonly number[];
  /** Sum of costs, mean over episodes, in the environment's unit. */
  readonly cost: number;
  /** Mean length, steps. */
  readonly length: number;
  /** Number of solved episodes; `null` if the task reports only returns. */
  readonly successes: number | null;
  /** Means of the learner's metrics since the previous evaluation; empty before the first update. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Result of a finished trial: `result.json`. */
export interface TrialResult {
  readonly steps: number;
  readonly episodes: number;
  readonly updates: number;
  /** Training calls of this trial that were not finite and were discarded. */
  readonly refusedCalls: number;
  readonly droppedTransitions: number;
  /** SHA-256 of the learner's whole state, hexadecimal. */
  readonly stateDigest: string;
  /** Wall time of all parts of the trial that count, s. */
  readonly seconds: number;
  readonly environment: string;
  readonly seed: number;
  readonly last: CurvePoint;
}

/** Lengths of the files at a checkpoint. */
export interface FilePositions {
  readonly curveBytes: number;
  readonly eventBytes: number;
  readonly log: LogPosition;
}

export const AT_THE_START: FilePositions = { curveBytes: 0, eventBytes: 0, log: { transitions: 0, bytes: 0 } };

/** The growing files, opened at a checkpoint's positions: later content is cut off, and will be written again. */
export class TrialFiles {
  readonly log: TransitionLog;
  readonly #curve: AppendFile;
  readonly #events: AppendFile;

  constructor(folder: string, spec: TrialSpec, sizes: TransitionSizes, positions: FilePositions) {
    this.#curve = new AppendFile(join(folder, TRIAL_FILES.curve), positions.curveBytes);
    this.#events = new AppendFile(join(folder, TRIAL_FILES.events), positions.eventBytes);
    this.log = new TransitionLog(folder, spec, sizes, positions.log);
  }

  point(point: CurvePoint): void {
    this.#curve.appendLine(point);
  }

  event(kind: string, fields: object): void {
    this.#events.appendLine({ kind, ...fields });
  }

  /** Makes everything so far durable, and returns its positions. */
  sync(): FilePositions {
    this.log.sync();
    this.#curve.sync();
    this.#events.sync();
    return { curveBytes: this.#curve.length, eventBytes: this.#events.length, log: this.log.position };
  }

  close(): void {
    this.log.close();
    this.#curve.close();
    this.#events.close();
  }
}

/** Returns the points of the curve in `folder` so far. An incomplete last line is left out. */
export function readCurve(folder: string): CurvePoint[] {
  const path = join(folder, TRIAL_FILES.curve);
  const text = textOf(path) ?? '';
  return text.split('\n').flatMap((line, i, lines) => {
    if (line === '') return [];
    try {
      return [JSON.parse(line) as CurvePoint];
    } catch (cause) {
      if (i === lines.length - 1) return [];
      throw new ReinError('storage', `${path} is damaged in line ${i + 1}.`, {
        remedy: 'Delete the folder: its trial is done again.',
        cause,
      });
    }
  });
}

/**
 * Returns the result in `folder`, or `undefined` if the trial is not finished. Throws `ReinError('storage')` if it
 * cannot be read.
 */
export function readResult(folder: string): TrialResult | undefined {
  const path = join(folder, TRIAL_FILES.result);
  const text = textOf(path);
  if (text === undefined) return undefined;
  const result = parseJson(text) as TrialResult | undefined;
  if (typeof result?.steps === 'number' && Array.isArray(result.last?.returns)) return result;
  throw new ReinError('storage', `${path} is damaged: it does not hold the result of a trial.`, {
    remedy: 'Delete this file: the same command then makes it again, from the last checkpoint where there is one.',
  });
}

export function writeResult(folder: string, result: TrialResult): void {
  const path = join(folder, TRIAL_FILES.result);
  storage(path, () => replaceFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`));
}

/** Returns `undefined` if there is no such file yet. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new ReinError('storage', `${path} cannot be read: ${(cause as Error).message}.`, {
      remedy: 'Make the file readable, or begin again in another folder.',
      cause,
    });
  }
}
