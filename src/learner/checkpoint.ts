/** Checkpoints in a folder: written so that a process killed at any moment leaves a good one behind. */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ReinError, type Result, replaceFile } from '../core/index.ts';
import { type Checkpoint, type CheckpointDamage, decodeCheckpoint, encodeCheckpoint } from './checkpoint-format.ts';

/** How many checkpoints a folder keeps. */
const KEPT = 3;
const NAME = /^update-\d{12}\.ckpt$/;

const DAMAGE: Readonly<Record<CheckpointDamage, string>> = {
  truncated: 'it is cut short',
  notACheckpoint: 'it is not a checkpoint of ours',
  newerFormat: 'another version of Rein wrote it',
  digestMismatch: 'its contents do not match their digest',
  badHeader: 'its header is not complete',
};

/** What a checkpoint must fit. */
export interface CheckpointExpectation {
  readonly schemaHash: string;
  readonly observationSize: number;
  readonly actionSize: number;
  /** Numbers in the learner's state: differs where the networks differ. */
  readonly stateSize: number;
  /** Of the frozen encoder; absent: there is none. */
  readonly encoderDigest?: string;
}

/**
 * Writes `checkpoint` into `directory` (made if need be) and removes all but the newest three. Those of more updates are
 * damaged, or training would have gone on from them: they are set aside as `*.damaged`. The file has its name only once all
 * of it is on the disk. Throws `ReinError` ('storage') when it cannot be written; older ones then stay.
 */
export async function writeCheckpoint(directory: string, checkpoint: Checkpoint): Promise<string> {
  const name = `update-${String(checkpoint.agent.updates).padStart(12, '0')}.ckpt`;
  const path = join(directory, name);
  try {
    await mkdir(directory, { recursive: true });
    await replaceFile(path, encodeCheckpoint(checkpoint));
    await syncFolder(directory);
    await setAside(directory, name);
    await removeOld(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ReinError('storage', `The checkpoint ${path} could not be written: ${reason}.`, {
      remedy: 'Free some space or choose another run folder; training can continue from the checkpoint before.',
      cause,
    });
  }
  return path;
}

/**
 * The newest good checkpoint of `directory`, or `undefined` where there is none at all. A damaged one is passed over
 * for the one before it, with a sentence to `onDamage`. Changes nothing in `directory`. Throws `ReinError` ('checkpoint')
 * when all are damaged, also where they were set aside earlier, or when one is whole but belongs to another task or other
 * networks.
 */
export async function readCheckpoint(
  directory: string,
  expected: CheckpointExpectation,
  onDamage: (message: string) => void,
): Promise<Checkpoint | undefined> {
  const all = await checkpointNames(directory);
  const names = all.filter((each) => NAME.test(each));
  for (const name of names.toReversed()) {
    const path = join(directory, name);
    const decoded = await decodeFile(path);
    if (decoded.ok) {
      checkFit(path, decoded.value, expected);
      return decoded.value;
    }
    const next = name === names[0] ? '' : ' Trying the one before it.';
    onDamage(`The checkpoint ${path} is not used: ${decoded.error}.${next}`);
  }
  if (all.length === 0) return undefined;
  const what = all.length === 1 ? 'The only checkpoint' : `All ${all.length} checkpoints`;
  const are = all.length === 1 ? 'is' : 'are';
  throw new ReinError('checkpoint', `${what} in ${directory} ${are} damaged: ${all.join(', ')}.`, {
    remedy:
      'Restore one from a backup, or start a new run in another folder, without --resume; the journal still holds every transition.',
  });
}

/** The checkpoint in the file `path`, or in words why there is none. */
async function decodeFile(path: string): Promise<Result<Checkpoint, string>> {
  try {
    const decoded = decodeCheckpoint(await readFile(path));
    return decoded.ok ? decoded : err(DAMAGE[decoded.error]);
  } catch (cause) {
    return err(`it cannot be read (${(cause as NodeJS.ErrnoException).code})`);
  }
}

function checkFit(path: string, checkpoint: Checkpoint, expected: CheckpointExpectation): void {
  const { agent, schemaHash } = checkpoint;
  const differences = [
    schemaHash === expected.schemaHash ? '' : 'another robot or task',
    agent.observationSize === expected.observationSize
      ? ''
      : `${agent.observationSize} observation numbers instead of ${expected.observationSize}`,
    agent.actionSize === expected.actionSize
      ? ''
      : `${agent.actionSize} action numbers instead of ${expected.actionSize}`,
    checkpoint.encoderDigest === expected.encoderDigest ? '' : 'another frozen encoder',
    agent.state.length === expected.stateSize
      ? ''
      : `other networks (${agent.state.length} numbers instead of ${expected.stateSize})`,
  ].filter((difference) => difference !== '');
  if (differences.length === 0) {
    if (agent.state.every(Number.isFinite)) return;
    differences.push('a state that is not finite');
  }
  throw new ReinError('checkpoint', `The checkpoint ${path} has ${differences.join(' and ')}.`, {
    remedy: 'Continue with the configuration and task that it was written with, or start a new run.',
  });
}

/** Sorted, those that were set aside as well. */
async function checkpointNames(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => NAME.test(name.replace(/\.damaged$/, ''))).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ReinError('checkpoint', `The folder ${directory} cannot be read.`, {
      remedy: 'Check that it is a folder and that you may read it.',
      cause,
    });
  }
}

/** By their numbers they would be kept in place of good ones. */
async function setAside(directory: string, newest: string): Promise<void> {
  const newer = (await readdir(directory)).filter((name) => NAME.test(name) && name > newest);
  for (const name of newer) await rename(join(directory, name), join(directory, `${name}.damaged`));
}

async function removeOld(directory: string): Promise<void> {
  const all = await readdir(directory);
  const old = all
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -KEPT);
  // What a killed process left half-written.
  const halves = all.filter((name) => name.endsWith('.ckpt.new'));
  for (const name of [...old, ...halves]) await rm(join(directory, name));
}

async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
