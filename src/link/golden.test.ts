/**
 * Formats compared with recorded files. A difference breaks other readers: increment the
 * version instead. `UPDATE_GOLDEN=1 npx vitest run src/link/golden` records new ones.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sealWeights, verifyWeights } from '../model/index.ts';
import { createTransition, SOURCES, type Transition } from '../rows/index.ts';
import { encodeSegmentHeader, sealSlot, slotBytes } from './journal/segment.ts';
import { ackPayload, batchPayload, decodeBundle, encodeBundle, readBatch } from './messages.ts';
import { decodeRecord, encodeRecord, recordBytes } from './record.ts';
import { decodeFrame, encodeFrame, robotIdHash } from './wire.ts';

const SIZES = { observationSize: 3, actionSize: 2 };
const COMMON = { schemaHash: '0123456789abcdef', robotHash: robotIdHash('arm'), monotonicNs: 1_234_567_890_123_456n };
const FOLDER = fileURLToPath(new URL('../../tests/golden/link/', import.meta.url));
const READER = fileURLToPath(new URL('../../tests/python/read_frames.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.log('skipped: the formats are not read from Python, because there is no python3 here');

function transition(n: number): Transition {
  const t = createTransition(SIZES.observationSize, SIZES.actionSize);
  Object.assign(t, {
    epoch: 2,
    seq: 2 ** 40 + n,
    episode: 7,
    step: 11 + n,
    segment: 3,
    policyVersion: 42,
    filterBits: 5,
  });
  Object.assign(t, {
    observationAgeMs: 12.5,
    reward: 1 / 3,
    cost: 0.1,
    marginMin: -0.25,
    tankDrainJ: 0.2,
    tankLevel: 0.7,
    terminated: n === 1,
    truncated: n === 0,
  });
  t.source = SOURCES[n + 1]!;
  for (const values of [t.observation, t.nextObservation, t.policyAction, t.humanAction, t.executed]) {
    for (let i = 0; i < values.length; i++) values[i] = (i + 1) / 8 - n;
  }
  return t;
}

function records(): Uint8Array {
  const size = recordBytes(SIZES);
  const bytes = new Uint8Array(2 * size);
  const view = new DataView(bytes.buffer);
  for (const n of [0, 1]) encodeRecord(view, n * size, transition(n), SIZES);
  return bytes;
}

function journalFile(): Uint8Array {
  const slot = slotBytes(SIZES);
  const bytes = new Uint8Array(128 + 2 * slot);
  const view = new DataView(bytes.buffer);
  const identity = {
    schemaHash: COMMON.schemaHash,
    journalId: 'fedcba9876543210',
    runId: 'insert-é',
    epoch: 2,
    index: 1,
  };
  bytes.set(encodeSegmentHeader({ ...SIZES, ...identity }));
  for (const n of [0, 1]) {
    encodeRecord(view, 128 + n * slot, transition(n), SIZES);
    sealSlot(bytes, view, 128 + n * slot, slot);
  }
  return bytes;
}

const BUNDLE = sealWeights(
  {
    runId: 'insert-é',
    version: 9,
    parent: 8,
    trainingStep: 1000,
    updates: 2000,
    schemaHash: COMMON.schemaHash,
    createdAt: '2026-01-02T03:04:05.000Z',
    shapes: [
      { name: 'w0', shape: [2, 3] },
      { name: 'b0', shape: [3] },
    ],
  },
  new Uint8Array([8, 9, 10, 11, 12]),
  Float32Array.from({ length: 9 }, (_, i) => i / 4),
);

const FILES: Record<string, Uint8Array> = {
  'transitions.frame': encodeFrame(
    { kind: 'transitions', ...COMMON, epoch: 2, sequence: 2 ** 40, count: 2 },
    batchPayload({ previous: { epoch: 1, seq: 77 }, records: records() }),
  ),
  'ack.frame': encodeFrame({ kind: 'ack', ...COMMON, flags: 1, epoch: 2, sequence: 2 ** 40 + 1 }, ackPayload(123)),
  'weights.frame': encodeFrame({ kind: 'weights', ...COMMON, sequence: 9 }, encodeBundle(BUNDLE)),
  'epoch-000002-0001.journal': journalFile(),
};

if (process.env['UPDATE_GOLDEN'] === '1') {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(FOLDER + name, bytes);
}

function python(name: string): Record<string, unknown> {
  const sizes = [String(SIZES.observationSize), String(SIZES.actionSize)];
  return JSON.parse(execFileSync('python3', [READER, FOLDER + name, ...sizes], { encoding: 'utf8' }));
}

/** In JSON form, with arrays of numbers. */
function plain(t: Transition): Record<string, unknown> {
  const flags = {
    terminated: Number(t.terminated),
    truncated: Number(t.truncated),
    isBasePhase: Number(t.isBasePhase),
  };
  const arrays = Object.entries(t).filter(([, value]) => value instanceof Float32Array);
  return { ...t, ...flags, ...Object.fromEntries(arrays.map(([name, value]) => [name, [...(value as Float32Array)]])) };
}

describe('formats', () => {
  it.each(Object.keys(FILES))('%s is still written byte for byte as before', (name) => {
    expect(Buffer.from(FILES[name]!).toString('hex')).toBe(readFileSync(FOLDER + name).toString('hex'));
  });

  it('transitions are read back from the file', () => {
    const frame = decodeFrame(readFileSync(`${FOLDER}transitions.frame`));
    if (!frame.ok) throw new Error(frame.error.message);
    const batch = readBatch(frame.value, SIZES);
    if (!batch.ok) throw new Error(batch.error.message);
    expect(batch.value.previous).toEqual({ epoch: 1, seq: 77 });
    const size = recordBytes(SIZES);
    const read = [0, 1].map((n) => decodeRecord(batch.value.records.subarray(n * size, (n + 1) * size), SIZES));
    expect(read).toEqual([0, 1].map((n) => ({ ok: true, value: transition(n) })));
  });

  it('weights are read back from the file and verified', () => {
    const frame = decodeFrame(readFileSync(`${FOLDER}weights.frame`));
    if (!frame.ok) throw new Error(frame.error.message);
    const bundle = decodeBundle(frame.value.payload);
    expect(bundle).toEqual({ ok: true, value: BUNDLE });
    expect(verifyWeights(BUNDLE, { runId: 'insert-é', schemaHash: COMMON.schemaHash, newestVersion: 8 }).ok).toBe(true);
  });

  it.skipIf(!hasPython)('a reader in Python agrees on transitions, acks, weights and journal', () => {
    const expected = [plain(transition(0)), plain(transition(1))];
    const header = { ...COMMON, monotonicNs: Number(COMMON.monotonicNs) };
    expect(python('transitions.frame')).toEqual({
      ...header,
      kind: 'transitions',
      flags: 0,
      epoch: 2,
      count: 2,
      sequence: 2 ** 40,
      records: expected,
    });
    expect(python('ack.frame')).toEqual({
      ...header,
      kind: 'ack',
      flags: 1,
      epoch: 2,
      count: 0,
      sequence: 2 ** 40 + 1,
    });
    const weights = python('weights.frame');
    expect(weights['manifest']).toEqual(BUNDLE.manifest);
    expect(weights['weights']).toEqual([...BUNDLE.weights]);
    expect(python('epoch-000002-0001.journal')).toEqual({
      schemaHash: COMMON.schemaHash,
      journalId: 'fedcba9876543210',
      runId: 'insert-é',
      epoch: 2,
      index: 1,
      records: expected,
    });
  });
});
