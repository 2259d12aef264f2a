import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMcap } from '../../../tests/support/mcap.ts';
import { encodeJson, encodeNumbers, FRAME_LAYOUT, STEP_LAYOUT } from '../../rows/index.ts';
import { CHANNELS } from './channels.ts';
import { openSink, type TraceSink, traceFiles } from './trace-file.ts';
import { nextEpisode, TraceReader } from './trace-reader.ts';
import { MOST_FILES, TraceWriter, type TraceWriterOptions } from './trace-writer.ts';

let folder: string;
let troubles: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-trace-'));
  troubles = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writer(options: Partial<TraceWriterOptions> = {}): TraceWriter {
  const made = new TraceWriter({ folder, firstEpisode: 0, onTrouble: (line) => troubles.push(line), ...options });
  made.add(encodeJson('run', { runId: 'r1' }));
  return made;
}

const zerosOf = (scalars: readonly string[], arrays: readonly string[], size: number): Record<string, unknown> =>
  Object.fromEntries([
    ...scalars.map((key): [string, unknown] => [key, 0]),
    ...arrays.map((key): [string, unknown] => [key, new Float64Array(size)]),
  ]);

/** Adds episode `episode` of `steps` steps, in which joints are at the number of the step. */
function addEpisode(to: TraceWriter, episode: number, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const seen = { ...zerosOf(STEP_LAYOUT.scalars, STEP_LAYOUT.arrays, 2), episode, step };
    to.add(encodeNumbers(STEP_LAYOUT, seen as never));
    const frame = { ...zerosOf(FRAME_LAYOUT.scalars, FRAME_LAYOUT.arrays, 2), measuredAtS: 10 * episode + 0.1 * step };
    to.add(encodeNumbers(FRAME_LAYOUT, { ...frame, positionRad: [step, 0.1 + 0.2] } as never));
  }
  const report = { purpose: 'training', success: true, endedBy: 'success', returnSum: 1, interventions: 0 };
  to.add(encodeJson('episode', { ...report, episode, steps, interventionSteps: 0, atMs: 7 }));
}

describe('a trace', () => {
  it('is read by the library of the format, by its index', async () => {
    const trace = writer();
    trace.add(encodeJson('event', { level: 'warn', name: 'learnerLost', message: 'It is gone.', remedy: 'Start it.' }));
    addEpisode(trace, 0, 3);
    addEpisode(trace, 1, 2);
    trace.close();
    const { messages: found, schemas } = await readMcap(join(folder, 'trace.mcap'));
    expect([...schemas]).toEqual(CHANNELS.map(({ topic, schemaName }) => [topic, schemaName]));
    expect(found.get('/run')).toEqual([{ runId: 'r1' }]);
    expect(found.get('/frame')).toHaveLength(5);
    expect(found.get('/frame')![1]).toMatchObject({ positionRad: [1, 0.3], stateName: 'disconnected' });
    expect(found.get('/log')).toMatchObject([{ level: 3, message: 'It is gone. Start it.', name: 'learnerLost' }]);
  });

  it('gives its episodes while it is written, each with its own steps', async () => {
    const trace = writer();
    addEpisode(trace, 0, 3);
    const reader = new TraceReader(folder);
    expect(await reader.episodes()).toHaveLength(1);
    addEpisode(trace, 1, 2);
    expect(await reader.episodes()).toMatchObject([
      { episode: 0, steps: 3 },
      { episode: 1, steps: 2, success: true },
    ]);
    const { steps } = (await reader.episode(1))!;
    expect(steps).toMatchObject([
      { episode: 1, step: 0, frame: { positionRad: [0, 0.3] } },
      { episode: 1, step: 1, frame: { positionRad: [1, 0.3] } },
    ]);
    expect(await reader.episode(2)).toBeUndefined();
    trace.close();
    expect(await reader.episodes()).toHaveLength(2);
  });

  it('is read up to its last whole chunk wherever it was cut', async () => {
    const trace = writer();
    addEpisode(trace, 0, 3);
    const path = join(folder, 'trace.mcap');
    const first = readFileSync(path).length;
    addEpisode(trace, 1, 3);
    trace.close();
    const whole = readFileSync(path);
    for (let size = first; size < whole.length; size += 997) {
      writeFileSync(path, whole);
      truncateSync(path, size);
      const found = await new TraceReader(folder).episodes();
      expect(found[0]).toMatchObject({ episode: 0, steps: 3 });
      expect((await new TraceReader(folder).episode(0))!.steps).toHaveLength(3);
    }
    // Bytes left by a failing disk instead of the second chunk.
    writeFileSync(path, Buffer.concat([whole.subarray(0, first), Buffer.alloc(5000, 0x55)]));
    expect(await new TraceReader(folder).episodes()).toHaveLength(1);
    writeFileSync(path, Buffer.alloc(100));
    expect(await new TraceReader(folder).episodes()).toEqual([]);
  });

  it('goes on in further files, of which the oldest make room, and numbers episodes through', async () => {
    for (let start = 0; start < MOST_FILES + 2; start++) {
      const trace = writer({ firstEpisode: await nextEpisode(folder), mostFileBytes: 1 });
      addEpisode(trace, 0, 1);
      trace.close();
    }
    expect(traceFiles(folder)).toHaveLength(MOST_FILES);
    const episodes = await new TraceReader(folder).episodes();
    expect(episodes.map(({ episode }) => episode)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await new TraceReader(folder).episode(9))!.steps).toHaveLength(1);
  });

  it('loses on a full disk what finds no room, says so once, and stays whole', async () => {
    let isFull = false;
    const open = (path: string): TraceSink => {
      const sink = openSink(path);
      const write = (bytes: Uint8Array): void => {
        // Half of it still fits.
        sink.write(isFull ? bytes.subarray(0, bytes.length / 2) : bytes);
        if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      };
      return { ...sink, write };
    };
    const trace = writer({ open });
    addEpisode(trace, 0, 2);
    isFull = true;
    for (let episode = 1; episode < 2000; episode++) addEpisode(trace, episode, 2);
    expect(troubles).toEqual([expect.stringContaining('the disk is full')]);
    expect(trace.dropped).toBeGreaterThan(1000);
    isFull = false;
    trace.close();
    expect((await readMcap(join(folder, 'trace.mcap'))).messages.get('/episode')![0]).toMatchObject({ episode: 0 });
    expect((await new TraceReader(folder).episodes())[0]).toMatchObject({ episode: 0, steps: 2 });
  });
});

describe('a message that cannot be read', () => {
  const step = (size: number): Uint8Array =>
    encodeNumbers(STEP_LAYOUT, zerosOf(STEP_LAYOUT.scalars, STEP_LAYOUT.arrays, size) as never);

  it.each([
    ['cut', () => step(4).subarray(0, 40)],
    ['without anything in it', () => step(4).subarray(0, 1)],
    ['that is no JSON', () => encodeJson('event', {}).subarray(0, 2)],
    ['of numbers that say another length', () => step(4).fill(255, 4, 8)],
  ])('%s is left out, counted and told of once; what comes after it is written', async (_, bad) => {
    const trace = writer();
    for (let i = 0; i < 3; i++) trace.add(bad().slice());
    addEpisode(trace, 0, 2);
    trace.close();
    expect(trace.dropped).toBe(3);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toContain('leaves out messages that cannot be read');
    const { messages } = await readMcap(traceFiles(folder)[0]!);
    expect(messages.get('/step')).toHaveLength(2);
  });

  it('is none for being wider than 65 535 numbers', () => {
    const trace = writer();
    trace.add(step(98_304));
    trace.close();
    expect([trace.dropped, troubles]).toEqual([0, []]);
  });
});
