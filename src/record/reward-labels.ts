/**
 * Labelled states for a reward classifier: one append-only file of JSON lines. The first line describes the numbers;
 * each further line is one state:
 *
 *     {"format":"rein-reward-labels/1","task":"insert","robot":"arm6","schemaHash":"…","observation":{…},"action":{…}}
 *     {"success":true,"by":"task","run":"…","epoch":1,"episode":12,"step":31,"observation":[…]}
 *
 * `observation` of a state is the full observation of the policy after the step, [O], so that other fields can be
 * chosen later. Camera images would be a further key, with files beside this one; readers skip unknown keys.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { storage } from '../host/index.ts';
import {
  type ActionSpec,
  asObject,
  isCount,
  type ObservationSpec,
  observationSize,
  parseObject,
  ReinError,
  sha256Hex,
} from '../model/index.ts';

const FORMAT = 'rein-reward-labels/1';

/** Origin of a label: the task's own verdict, an operator's mark, or a detected false positive of a classifier. */
export const LABEL_SOURCES = ['task', 'mark', 'mined'] as const;
export type LabelSource = (typeof LABEL_SOURCES)[number];

/** Description of a file's states. */
export interface LabelHeader {
  readonly task: string;
  readonly robot: string;
  readonly schemaHash: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
}

/** Origin of a state: run, start of its robot, episode of that start, and the step that led to it. */
export interface LabelPlace {
  readonly run: string;
  readonly epoch: number;
  readonly episode: number;
  readonly step: number;
}

export interface LabelledState extends LabelPlace {
  readonly success: boolean;
  readonly by: LabelSource;
  /** [O] */
  readonly observation: ArrayLike<number>;
}

export interface LabelFile {
  readonly header: LabelHeader;
  readonly states: readonly LabelledState[];
  /** SHA-256 of the bytes read. */
  readonly digest: string;
  /** Skipped lines: truncated by a crash, or no state. */
  readonly skipped: number;
}

/** Reads the file at `path`. Throws `ReinError('config')` if it is no label file. A repeated state counts once, with its last label. */
export function readLabels(path: string): LabelFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw refused(`${path} cannot be read: ${(cause as Error).message}`, cause);
  }
  const [first = '', ...lines] = text.split('\n');
  const header = headerOf(path, first);
  const size = observationSize(header.observation);
  const states = new Map<string, LabelledState>();
  let skipped = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const state = stateOf(parseObject(line), size);
    if (state === undefined) skipped++;
    else states.set(`${episodeText(state)} ${state.step}`, state);
  }
  return { header, states: [...states.values()], digest: sha256Hex(text), skipped };
}

/** Key of the episode of a state. */
export function episodeText({ run, epoch, episode }: Omit<LabelPlace, 'step'>): string {
  return `${run} ${epoch} ${episode}`;
}

/**
 * Opens the file at `path`, created with `header` if missing, and returns a function that appends states to it. Throws
 * `ReinError`: 'config' if it holds states of another task, robot or observation, 'storage' if it cannot be written,
 * now or later.
 */
export function openLabels(path: string, header: LabelHeader): (states: readonly LabelledState[]) => void {
  const isThere = existsSync(path);
  if (isThere) checkSameLabels(path, readLabels(path).header, header);
  const begin = isThere ? lineEnd(path) : `${JSON.stringify({ format: FORMAT, ...header })}\n`;
  storage(path, () => appendFileSync(path, begin));
  return (states) => {
    const lines = states.map((state) => `${JSON.stringify({ ...state, observation: shortened(state.observation) })}\n`);
    storage(path, () => appendFileSync(path, lines.join('')));
  };
}

/** Appends `states` to the file at `path`, as `openLabels` does. */
export function appendLabels(path: string, header: LabelHeader, states: readonly LabelledState[]): void {
  openLabels(path, header)(states);
}

/** Throws `ReinError('config')` if the numbers of `found`, in the file at `path`, are not those of `wanted`. */
export function checkSameLabels(
  path: string,
  found: LabelHeader,
  wanted: Omit<LabelHeader, 'observation' | 'action'>,
): void {
  if (found.schemaHash === wanted.schemaHash && found.task === wanted.task) return;
  throw new ReinError(
    'config',
    `${path} is of ${found.robot}/${found.task} (schema ${found.schemaHash}), this is ${wanted.robot}/${wanted.task} (${wanted.schemaHash}).`,
    { remedy: 'Take another label file: states of different observations cannot be learned from together.' },
  );
}

/** Line end for a line truncated by a crash, so that the next one is not lost with it. */
function lineEnd(path: string): string {
  return readFileSync(path, 'utf8').endsWith('\n') ? '' : '\n';
}

/** Nine digits restore each float32. */
function shortened(values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(9)));
}

function headerOf(path: string, line: string): LabelHeader {
  const fields = parseObject(line);
  const { format, task, robot, schemaHash, observation, action } = fields ?? {};
  const isNamed = [task, robot, schemaHash].every((text) => typeof text === 'string');
  const { fields: parts, frames } = asObject(observation) ?? {};
  if (format !== FORMAT || !isNamed || !Array.isArray(parts) || !isCount(frames) || asObject(action) === undefined) {
    throw refused(`${path} is no file of labelled states (${FORMAT})`);
  }
  return fields as unknown as LabelHeader;
}

function stateOf(fields: Record<string, unknown> | undefined, size: number): LabelledState | undefined {
  const { success, by, run, epoch, episode, step, observation } = fields ?? {};
  const isPlaced = typeof run === 'string' && [epoch, episode, step].every(isCount);
  const isLabelled = typeof success === 'boolean' && LABEL_SOURCES.includes(by as LabelSource);
  if (!isPlaced || !isLabelled || !Array.isArray(observation) || observation.length !== size) return undefined;
  return observation.every(Number.isFinite) ? (fields as unknown as LabelledState) : undefined;
}

function refused(message: string, cause?: unknown): ReinError {
  const remedy = 'Make one with rein reward collect RUN --by task --out labels.jsonl.';
  return new ReinError('config', `${message}.`, cause === undefined ? { remedy } : { remedy, cause });
}
