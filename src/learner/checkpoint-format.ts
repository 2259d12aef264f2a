/**
 * A checkpoint as bytes: magic, length of the header (u32), header (JSON, UTF-8), state (float32), SHA-256 of all
 * before it. Little-endian. Nothing in it is executable.
 */
import { createHash } from 'node:crypto';
import { err, ok, type Result, type RngState } from '../core/index.ts';
import type { AgentSnapshot } from './agent/agent.ts';

/** Where in the journal a learner was: what it had been given, and what it had taken from that. */
export interface ReplayPosition {
  /** Transitions offered to replay, demonstrations and dropped ones included. */
  readonly received: number;
  /** Online transitions taken. */
  readonly online: number;
  /** Rows of the demonstration buffer. */
  readonly demonstrations: number;
}

/** Everything that a training continues from, apart from the journal. */
export interface Checkpoint {
  readonly runId: string;
  /** Hash of the observation and action specs. */
  readonly schemaHash: string;
  /** Versions of the policy published so far. */
  readonly policyVersion: number;
  readonly replay: ReplayPosition;
  /** SHA-256 of the frozen encoder that observations passed through, hexadecimal; absent: none. */
  readonly encoderDigest?: string;
  readonly agent: AgentSnapshot;
}

/** Why bytes are no checkpoint. */
export type CheckpointDamage = 'truncated' | 'notACheckpoint' | 'newerFormat' | 'digestMismatch' | 'badHeader';

const MAGIC = Buffer.from('REINCKP2', 'latin1');
const MAGIC_FAMILY = Buffer.from('REINCKP', 'latin1');
const PREFIX_BYTES = 12;
const DIGEST_BYTES = 32;

/** Writes `checkpoint`. */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  const { state, ...agent } = checkpoint.agent;
  const header = Buffer.from(JSON.stringify({ ...checkpoint, agent, numbers: state.length }), 'utf8');
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(header.length, 8);
  const payload = Buffer.from(state.buffer, state.byteOffset, state.byteLength);
  const body = Buffer.concat([prefix, header, payload]);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

/** Reads what `encodeCheckpoint` wrote. Everything is checked before anything is used. */
export function decodeCheckpoint(bytes: Uint8Array): Result<Checkpoint, CheckpointDamage> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length >= 7 && !file.subarray(0, 7).equals(MAGIC_FAMILY)) return err('notACheckpoint');
  if (file.length < PREFIX_BYTES + DIGEST_BYTES) return err('truncated');
  if (!file.subarray(0, 8).equals(MAGIC)) return err('newerFormat');
  const body = file.subarray(0, -DIGEST_BYTES);
  const headerEnd = PREFIX_BYTES + file.readUInt32LE(8);
  if (headerEnd > body.length) return err('truncated');
  const isWhole = createHash('sha256').update(body).digest().equals(file.subarray(-DIGEST_BYTES));
  if (!isWhole) return err('digestMismatch');
  const header = parseHeader(body.toString('utf8', PREFIX_BYTES, headerEnd));
  const payload = body.subarray(headerEnd);
  if (header === undefined || payload.length !== header.numbers * 4) return err('badHeader');
  // A copy: the payload need not lie on a multiple of four bytes.
  const state = new Float32Array(payload.buffer.slice(payload.byteOffset, payload.byteOffset + payload.length));
  const { numbers: _, agent, ...rest } = header;
  return ok({ ...rest, agent: { ...agent, state } });
}

type Header = Omit<Checkpoint, 'agent'> & { agent: Omit<AgentSnapshot, 'state'>; numbers: number };

/** The header, or `undefined` where a field is missing or of another kind. */
function parseHeader(text: string): Header | undefined {
  let value: Header;
  try {
    value = JSON.parse(text) as Header;
  } catch {
    return undefined;
  }
  const { replay, agent } = value ?? {};
  const counts = [
    ...[value?.numbers, value?.policyVersion, replay?.received, replay?.online, replay?.demonstrations],
    ...[agent?.observationSize, agent?.actionSize, agent?.updates, agent?.refusedCalls],
  ];
  const isComplete =
    typeof value?.runId === 'string' &&
    typeof agent?.algorithm === 'string' &&
    typeof value.schemaHash === 'string' &&
    counts.every((count) => Number.isSafeInteger(count) && count! >= 0) &&
    ['batch', 'noise', 'subset', 'cloning'].every((purpose) => isRngState((agent?.rng as Rngs | undefined)?.[purpose]));
  return isComplete ? value : undefined;
}

type Rngs = Readonly<Record<string, RngState | undefined>>;

function isRngState(state: unknown): boolean {
  return Array.isArray(state) && state.length === 4 && state.every(Number.isInteger);
}
