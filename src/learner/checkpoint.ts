/**
 * Checkpoints in a folder, written so that a process killed at any moment leaves a valid one behind.
 *
 * File format: `REINCKP2`, header length (u32), header (JSON, UTF-8), state (float32), SHA-256 of all preceding bytes.
 * Little-endian. Contains nothing executable.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, replaceFile, writeErrorOf } from '../host/index.ts';
import { err, isCount, ok, parseObject, ReinError, type Result, type RngState } from '../model/index.ts';
import type { AgentSnapshot } from './agent/agent.ts';

/** State from which any training continues. */
export interface TrainingState {
  readonly agent: AgentSnapshot;
  /** SHA-256 of the frozen encoder that observations passed through, hexadecimal; absent: none. */
  readonly encoderDigest?: string;
}

/** Checkpoints of one kind of training: their content beyond the training state, and the unit of their numbers. */
export interface CheckpointKind<T extends TrainingState> {
  /** Files are named `<unit>-<count>.ckpt`. */
  readonly unit: 'update' | 'step';
  /** True if all fields of `T` beyond the training state are present. */
  readonly isComplete: (found: Partial<T>) => boolean;
}

/** A checkpoint and its file. */
export interface FoundCheckpoint<T extends TrainingState> {
  readonly path: string;
  readonly checkpoint: T;
}

/** Reasons why bytes are not a valid checkpoint, as text. */
const DAMAGE = {
  truncated: 'it is cut short',
  notACheckpoint: 'it is not a checkpoint of ours',
  newerFormat: 'another version of Rein wrote it',
  digestMismatch: 'its contents do not match their digest',
  badHeader: 'its header is not complete',
} as const;
/** Reason why bytes are not a valid checkpoint. */
export type CheckpointDamage = keyof typeof DAMAGE;

const MAGIC = Buffer.from('REINCKP2', 'latin1');
const MAGIC_FAMILY = Buffer.from('REINCKP', 'latin1');
const PREFIX_BYTES = 12;
const DIGEST_BYTES = 32;
/** Number of checkpoints kept in a folder. */
const KEPT = 3;

/** Serialises `checkpoint`; its content beyond the agent's state is plain data. */
export function encodeCheckpoint(checkpoint: TrainingState): Uint8Array {
  const { state, ...agent } = checkpoint.agent;
  const header = Buffer.from(JSON.stringify({ ...checkpoint, agent, numbers: state.length }), 'utf8');
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(header.length, 8);
  const payload = Buffer.from(state.buffer, state.byteOffset, state.byteLength);
  const body = Buffer.concat([prefix, header, payload]);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

/** Decodes the output of `encodeCheckpoint`; `isComplete` checks its fields. Everything is checked before anything is used. */
export function decodeCheckpoint<T extends TrainingState>(
  bytes: Uint8Array,
  isComplete: CheckpointKind<T>['isComplete'],
): Result<T, CheckpointDamage> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length >= 7 && !file.subarray(0, 7).equals(MAGIC_FAMILY)) return err('notACheckpoint');
  if (file.length < PREFIX_BYTES + DIGEST_BYTES) return err('truncated');
  if (!file.subarray(0, 8).equals(MAGIC)) return err('newerFormat');
  const body = file.subarray(0, -DIGEST_BYTES);
  const headerEnd = PREFIX_BYTES + file.readUInt32LE(8);
  if (headerEnd > body.length) return err('truncated');
  const isWhole = createHash('sha256').update(body).digest().equals(file.subarray(-DIGEST_BYTES));
  if (!isWhole) return err('digestMismatch');
  const header = parseHeader<T>(body.toString('utf8', PREFIX_BYTES, headerEnd));
  const payload = body.subarray(headerEnd);
  if (header === undefined || !isComplete(header) || payload.length !== header.numbers * 4) return err('badHeader');
  // Copied, since the payload need not be aligned to four bytes.
  const state = new Float32Array(payload.buffer.slice(payload.byteOffset, payload.byteOffset + payload.length));
  const { numbers: _, ...checkpoint } = header;
  return ok({ ...checkpoint, agent: { ...header.agent, state } } as unknown as T);
}

type Header<T> = T & { readonly numbers: number };

/** Returns the header, or `undefined` if a field of the training state is missing or has the wrong type. */
function parseHeader<T extends TrainingState>(text: string): Header<T> | undefined {
  const value = parseObject(text) as Partial<Header<T>> | undefined;
  const agent: Partial<AgentSnapshot> | undefined = value?.agent;
  const counts = [value?.numbers, agent?.observationSize, agent?.actionSize, agent?.updates, agent?.refusedCalls];
  const rngs = agent?.rng as Readonly<Record<string, RngState | undefined>> | undefined;
  const isComplete =
    typeof agent?.algorithm === 'string' &&
    counts.every(isCount) &&
    ['batch', 'noise', 'subset', 'cloning'].every((purpose) => isRngState(rngs?.[purpose]));
  return isComplete ? (value as Header<T>) : undefined;
}

function isRngState(state: unknown): boolean {
  return Array.isArray(state) && state.length === 4 && state.every(Number.isInteger);
}

/**
 * Writes `checkpoint` into `directory` (created if needed), numbered `count`, and removes all but the newest three. Files with
 * higher counts are damaged, or training would have continued from them: they are renamed to `*.damaged`. The file gets its
 * name only once it is completely on disk. Rejects with `WriteError` if it cannot be written; older ones then stay.
 */
export async function writeCheckpoint<T extends TrainingState>(
  directory: string,
  { unit }: CheckpointKind<T>,
  count: number,
  checkpoint: T,
): Promise<void> {
  const name = `${unit}-${String(count).padStart(12, '0')}.ckpt`;
  const path = join(directory, name);
  try {
    makeFolder(directory);
    await replaceFile(path, encodeCheckpoint(checkpoint));
    await syncFolder(directory);
    await setAside(directory, unit, name);
    await removeOld(directory, unit);
  } catch (cause) {
    throw writeErrorOf(path, cause);
  }
}

/**
 * Returns the newest valid checkpoint of `directory`, or `undefined` if there is none at all. A damaged one is skipped for the
 * one before it, with a message to `onDamage`. Changes nothing in `directory`. Throws `ReinError` ('checkpoint') if all are
 * damaged, even if they were renamed earlier.
 */
export async function readCheckpoint<T extends TrainingState>(
  directory: string,
  { unit, isComplete }: CheckpointKind<T>,
  onDamage: (message: string) => void,
): Promise<FoundCheckpoint<T> | undefined> {
  const all = await checkpointNames(directory, unit);
  const names = all.filter((each) => isCheckpoint(each, unit));
  for (const name of names.toReversed()) {
    const path = join(directory, name);
    const decoded = await decodeFile(path, isComplete);
    if (decoded.ok) return { path, checkpoint: decoded.value };
    const next = name === names[0] ? '' : ' Trying the one before it.';
    onDamage(`The checkpoint ${path} is not used: ${decoded.error}.${next}`);
  }
  if (all.length === 0) return undefined;
  const what = all.length === 1 ? 'The only checkpoint' : `All ${all.length} checkpoints`;
  const are = all.length === 1 ? 'is' : 'are';
  throw new ReinError('checkpoint', `${what} in ${directory} ${are} damaged: ${all.join(', ')}.`, {
    remedy:
      'Restore one from a backup, or start anew in another folder, without --resume; every recorded transition is still there.',
  });
}

/** Reads the checkpoint in the file `path`; the error is a text. */
async function decodeFile<T extends TrainingState>(
  path: string,
  isComplete: CheckpointKind<T>['isComplete'],
): Promise<Result<T, string>> {
  try {
    const decoded = decodeCheckpoint(await readFile(path), isComplete);
    return decoded.ok ? decoded : err(DAMAGE[decoded.error]);
  } catch (cause) {
    return err(`it cannot be read (${(cause as NodeJS.ErrnoException).code})`);
  }
}

function isCheckpoint(name: string, unit: string): boolean {
  return name.startsWith(`${unit}-`) && /-\d{12}\.ckpt$/.test(name);
}

/** Sorted; includes those renamed to `*.damaged`. */
async function checkpointNames(directory: string, unit: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => isCheckpoint(name.replace(/\.damaged$/, ''), unit)).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ReinError('checkpoint', `The folder ${directory} cannot be read.`, {
      remedy: 'Check that it is a folder and that you may read it.',
      cause,
    });
  }
}

/** Renames newer, damaged checkpoints: by their numbers they would be kept in place of valid ones. */
async function setAside(directory: string, unit: string, newest: string): Promise<void> {
  const newer = (await readdir(directory)).filter((name) => isCheckpoint(name, unit) && name > newest);
  for (const name of newer) await rename(join(directory, name), join(directory, `${name}.damaged`));
}

async function removeOld(directory: string, unit: string): Promise<void> {
  const all = await readdir(directory);
  const old = all
    .filter((name) => isCheckpoint(name, unit))
    .sort()
    .slice(0, -KEPT);
  // Partial files left by a killed process.
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
