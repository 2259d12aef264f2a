/**
 * State as one file that a kill at any moment leaves whole: `REINSTA1`, length of the header (u32), header (JSON), arrays of
 * numbers, SHA-256 of all before it. Little-endian; nothing in it is executable. The newest two are kept.
 */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, ReinError, type Result, replaceFileSync } from '../../core/index.ts';
import { storage } from './storage.ts';

const MAGIC = 'REINSTA1';
const PREFIX_BYTES = 12;
const DIGEST_BYTES = 32;
const KEPT = 2;
const NAME = /^step-\d{12}\.state$/;

/** Where an array was in the value, in the header. */
interface ArrayPlace {
  readonly $float32: readonly [offset: number, length: number];
}

/** `value` as bytes: plain data of JSON, in which `Float32Array`s may stand anywhere. Numbers come back bit by bit. */
export function encodeState(value: object): Uint8Array {
  const arrays: Float32Array[] = [];
  let offset = 0;
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (!(item instanceof Float32Array)) return item;
    const place: ArrayPlace = { $float32: [offset, item.length] };
    arrays.push(item);
    offset += item.length;
    return place;
  });
  const header = Buffer.from(text, 'utf8');
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.write(MAGIC, 'latin1');
  prefix.writeUInt32LE(header.length, 8);
  const numbers = arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  const body = Buffer.concat([prefix, header, ...numbers]);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

/** What `encodeState` wrote, or why it cannot be read. */
export function decodeState(bytes: Uint8Array): Result<unknown, string> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < PREFIX_BYTES + DIGEST_BYTES) return err('it is cut short');
  if (file.toString('latin1', 0, 8) !== MAGIC) return err('it is not a state of this version of Rein');
  const body = file.subarray(0, -DIGEST_BYTES);
  const isWhole = createHash('sha256').update(body).digest().equals(file.subarray(-DIGEST_BYTES));
  if (!isWhole) return err('its contents do not match their digest');
  const end = PREFIX_BYTES + body.readUInt32LE(8);
  const numbers = body.subarray(end);
  // The digest has vouched for the text: it is what `encodeState` made.
  const value: unknown = JSON.parse(body.toString('utf8', PREFIX_BYTES, end), (_, item: unknown) => {
    if (!isPlace(item)) return item;
    const from = numbers.byteOffset + 4 * item.$float32[0];
    return new Float32Array(numbers.buffer.slice(from, from + 4 * item.$float32[1]));
  });
  return ok(value);
}

function isPlace(item: unknown): item is ArrayPlace {
  return typeof item === 'object' && item !== null && '$float32' in item;
}

/** Writes `value` into `folder` as the state after `step` steps, and removes all but the newest two. Throws `ReinError('storage')`. */
export function writeState(folder: string, step: number, value: object): void {
  const path = join(folder, `step-${String(step).padStart(12, '0')}.state`);
  storage(path, () => {
    mkdirSync(folder, { recursive: true });
    replaceFileSync(path, encodeState(value));
    syncFolder(folder);
    for (const old of stateNames(folder).slice(0, -KEPT)) rmSync(join(folder, old));
  });
}

/**
 * The newest state in `folder` that can be read, or `undefined` where there is none at all. A damaged one is passed over with
 * a sentence to `onDamage`. Throws `ReinError('checkpoint')` where all are damaged.
 */
export function readState(folder: string, onDamage: (sentence: string) => void): unknown {
  const names = stateNames(folder);
  for (const name of names.toReversed()) {
    const path = join(folder, name);
    const decoded = decodeFile(path);
    if (decoded.ok) return decoded.value;
    onDamage(`The checkpoint ${path} is not used: ${decoded.error}. Trying the one before it.`);
  }
  if (names.length === 0) return undefined;
  throw new ReinError('checkpoint', `None of the ${names.length} checkpoints in ${folder} can be read.`, {
    remedy: 'Begin again in another folder.',
  });
}

function decodeFile(path: string): Result<unknown, string> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    return err(`it cannot be read (${(cause as NodeJS.ErrnoException).code})`);
  }
  return decodeState(bytes);
}

function stateNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort();
  } catch {
    // No folder yet.
    return [];
  }
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  fsyncSync(file);
  closeSync(file);
}
