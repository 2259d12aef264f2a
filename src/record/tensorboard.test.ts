import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MetricRecord } from './metric-records.ts';
import { RunMetrics } from './run-metrics.ts';

/** Computed bit by bit, so that it shares no code with the writer. */
function crc32cSlowly(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

const unmasked = (masked: number): number => {
  const rotated = (masked - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
};

type Field = readonly [number: number, value: Buffer | bigint];

function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const sizes: Record<number, number> = { 1: 8, 5: 4 };
    if ((key & 7) === 0) fields.push([key >> 3, varint()]);
    else {
      const size = sizes[key & 7] ?? Number(varint());
      fields.push([key >> 3, bytes.subarray(at, at + size)]);
      at += size;
    }
  }
  return fields;
}

interface Point {
  readonly tag: string;
  readonly step: number;
  readonly value: number;
}

/** Points of an event file up to where it was truncated. Throws for a wrong checksum. */
function readEvents(path: string): Point[] {
  const bytes = readFileSync(path);
  const points: Point[] = [];
  for (let at = 0; at + 12 <= bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    if (at + 16 + length > bytes.length) break;
    const content = bytes.subarray(at + 12, at + 12 + length);
    expect(unmasked(bytes.readUInt32LE(at + 8))).toBe(crc32cSlowly(bytes.subarray(at, at + 8)));
    expect(unmasked(bytes.readUInt32LE(at + 12 + length))).toBe(crc32cSlowly(content));
    const event = new Map(fieldsOf(content));
    if (at === 0) expect(String(event.get(3))).toBe('brain.Event:2');
    expect((event.get(1) as Buffer).readDoubleLE()).toBeGreaterThan(1.7e9);
    for (const [, value] of event.has(5) ? fieldsOf(event.get(5) as Buffer) : []) {
      const { 1: tag, 2: number } = Object.fromEntries(fieldsOf(value as Buffer)) as Record<number, Buffer>;
      points.push({ tag: String(tag), step: Number(event.get(2)), value: number!.readFloatLE() });
    }
    at += 16 + length;
  }
  return points;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-events-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const RECORDS = [
  { kind: 'setup', tS: 0, envStep: 0, stateSize: 7 },
  { kind: 'episode', tS: 1, envStep: 0, episode: 3, purpose: 'demonstration', success: true, steps: 40 },
  { kind: 'pretraining', tS: 2, envStep: 0, phase: 'cloning', update: 100, loss: 0.5, demonstrationQ: null },
  { kind: 'update', tS: 3, envStep: 300, update: 1200, criticLoss: 0.25, entropy: null, utd: Number.NaN },
  { kind: 'validation', tS: 4, envStep: 70_000, policyVersion: 2, successes: 3, episodes: 4, meanSteps: 30 },
  { kind: 'toString', tS: 4, envStep: 70_000, value: 1 },
  { kind: 'safety', tS: 5, envStep: 70_001, ticks: 9, stages: { limiter: { changedTicks: 2 } }, tank: null },
] as unknown as readonly MetricRecord[];

it('metrics are curves of TensorBoard as well, each at its step, and a file that was cut is read up to there', async () => {
  const metrics = new RunMetrics({
    path: join(folder, 'metrics.jsonl'),
    events: 'learner',
    onDegraded: () => undefined,
  });
  for (const record of RECORDS) metrics.write(record);
  await metrics.close();
  const [name] = readdirSync(join(folder, 'learner'));
  expect(name).toMatch(/^events\.out\.tfevents\.\d{10}\./);
  const path = join(folder, 'learner', name!);
  const points = readEvents(path);
  expect(points.map(({ tag, step, value }) => [tag, step, value])).toEqual([
    ['episode/demonstration/success', 3, 1],
    ['episode/demonstration/steps', 3, 40],
    ['pretraining/cloning/update', 100, 100],
    ['pretraining/cloning/loss', 100, 0.5],
    ['update/update', 300, 1200],
    ['update/criticLoss', 300, 0.25],
    ['validation/policyVersion', 70_000, 2],
    ['validation/successes', 70_000, 3],
    ['validation/episodes', 70_000, 4],
    ['validation/meanSteps', 70_000, 30],
    ['validation/successRate', 70_000, 0.75],
    ['safety/ticks', 70_001, 9],
    ['safety/stages/limiter/changedTicks', 70_001, 2],
  ]);
  expect(readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trim().split('\n')).toHaveLength(RECORDS.length);
  truncateSync(path, readFileSync(path).length - 5);
  expect(readEvents(path)).toEqual(points.slice(0, -2));
});

it('a start beside another has a file of its own', async () => {
  for (let start = 0; start < 2; start++) {
    const metrics = new RunMetrics({ path: join(folder, 'metrics.jsonl'), events: '.', onDegraded: () => undefined });
    metrics.write(RECORDS[3]!);
    await metrics.close();
  }
  expect(readdirSync(folder).filter((name) => name.includes('tfevents'))).toHaveLength(2);
});
