import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readStops, recordStops, stopRecordPath, worstOf } from './stop-record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-stops-'));
  vi.stubEnv('REIN_STATE', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const subject = { robot: 'my-arm', adapter: 'A1', robotHash: 'h', calibration: 'c' };
const stop = (speedMPerS: number, timeS: number, distanceM: number, loadKg = 0) => {
  return { speedMPerS, timeS, distanceM, loadKg };
};

it('the worst of each speed is kept, over all loads, named by the lower end of its step', () => {
  const stops = [stop(0.12, 0.2, 0.02), stop(0.149, 0.1, 0.03, 0.2), stop(0.26, 0.3, 0.05), stop(0.03, 9, 9)];
  expect(worstOf(stops)).toEqual([stop(0.1, 0.2, 0.03), stop(0.25, 0.3, 0.05)]);
  expect(worstOf([...worstOf(stops), stop(0.1, 0.25, 0.01, 0.4)])).toEqual([
    stop(0.1, 0.25, 0.03, 0.4),
    stop(0.25, 0.3, 0.05),
  ]);
});

it('what is measured later is added, and counts for this calibration and this file of the robot only', () => {
  recordStops(subject, [stop(0.1, 0.2, 0.02)], '2026-01-01T00:00:00Z');
  recordStops(subject, [stop(0.2, 0.3, 0.04)], '2026-01-02T00:00:00Z');
  expect(readStops(subject)).toEqual([stop(0.1, 0.2, 0.02), stop(0.2, 0.3, 0.04)]);
  expect(readStops({ ...subject, calibration: 'd' })).toEqual([]);
  expect(readStops({ ...subject, robotHash: 'i' })).toEqual([]);
  expect(readStops({ ...subject, adapter: 'B2' })).toEqual([]);
});

it('a file that is none counts as nothing', () => {
  recordStops(subject, [stop(0.1, 0.2, 0.02)], '2026-01-01T00:00:00Z');
  for (const text of ['', '{', '[]', JSON.stringify({ ...subject, stops: [{ speedMPerS: 1 }] })]) {
    writeFileSync(stopRecordPath(subject), text);
    expect(readStops(subject)).toEqual([]);
  }
});
