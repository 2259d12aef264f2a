import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  appendRung,
  ladderOf,
  RUNGS,
  type Rung,
  type RungRecord,
  readRungs,
  rungLogPath,
  stateFolder,
} from './rung-log.ts';

const NOW = { robot: 'so101', adapter: 'EMU0001', robotHash: 'a', calibration: 'c' };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-rungs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function record(rung: Rung, more: Partial<RungRecord> = {}): RungRecord {
  return { ...NOW, rung, at: '2026-01-02T03:04:05.000Z', version: '0.1.0', proved: 'x', by: 'me@here', ...more };
}

describe('a ladder', () => {
  it('goes up rung by rung, and the speed with it', () => {
    const speeds = [0, 1, 2, 3, 4, 5].map((n) =>
      ladderOf(
        RUNGS.slice(0, n).map((rung) => record(rung)),
        NOW,
      ),
    );
    expect(speeds.map(({ speedRatio }) => speedRatio)).toEqual([0.05, 0.05, 0.1, 0.25, 0.5, 1]);
    expect(speeds.map(({ next }) => next)).toEqual([...RUNGS, undefined]);
  });

  it('leaves out what stands above a gap', () => {
    expect(ladderOf([record('doctor'), record('full')], NOW)).toMatchObject({ next: 'mirror', speedRatio: 0.05 });
  });

  it('falls to mirror with another robot file, to doctor with another calibration, and says why', () => {
    const all = RUNGS.map((rung) => record(rung));
    expect(ladderOf(all, { ...NOW, robotHash: 'b' })).toMatchObject({
      next: 'slow',
      speedRatio: 0.1,
      fallen: "the robot's file was changed since slow was passed (2026-01-02)",
    });
    expect(ladderOf(all, { ...NOW, calibration: 'd' })).toMatchObject({
      next: 'mirror',
      speedRatio: 0.05,
      fallen: 'it was recalibrated since mirror was passed (2026-01-02)',
    });
    // Restoring the file makes its rungs valid again.
    expect(ladderOf([...all, record('slow', { robotHash: 'b' })], NOW).next).toBe(undefined);
  });
});

describe('the log of rungs', () => {
  it('only grows, and has a summary beside it', () => {
    const path = rungLogPath(NOW, folder);
    expect(path).toBe(join(folder, 'bring-up', 'so101-EMU0001.jsonl'));
    expect(readRungs(path)).toEqual([]);
    appendRung(path, record('doctor'));
    appendRung(path, record('mirror'));
    expect(readRungs(path)).toEqual([record('doctor'), record('mirror')]);
    const summary = JSON.parse(readFileSync(path.replace('.jsonl', '.json'), 'utf8')) as unknown;
    expect(summary).toMatchObject({ robot: 'so101', next: 'slow', speedRatio: 0.1 });
  });

  it('survives a line that was cut off, and one that is none', () => {
    const path = rungLogPath(NOW, folder);
    appendRung(path, record('doctor'));
    appendRung(path, record('mirror'));
    truncateSync(path, readFileSync(path).length - 9);
    appendRung(path, record('mirror', { by: 'again' }));
    appendFileSync(path, '{"rung":"hop"}\n');
    expect(readRungs(path)).toEqual([record('doctor'), record('mirror', { by: 'again' })]);
  });

  it('stands where people want their state', () => {
    expect(stateFolder({ REIN_STATE: '/var/rein' })).toBe('/var/rein');
    expect(stateFolder({ XDG_STATE_HOME: '/s' })).toBe('/s/rein');
    expect(rungLogPath({ robot: 'a/b', adapter: '' }, '/s')).toBe('/s/bring-up/a_b-no-serial-number.jsonl');
  });
});
