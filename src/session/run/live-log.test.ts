import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunLog } from '../run-log.ts';
import type { EpisodeResult } from '../session-types.ts';
import { createRunStatus } from '../status.ts';
import { earlierStarts, LiveLog } from './live-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-live-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const episode = (tS: number, success: boolean, more: object = {}) => ({
  kind: 'episode',
  purpose: 'training',
  episode: 0,
  tS,
  envStep: 10 * tS,
  success,
  steps: 20,
  returnSum: 0,
  interventions: 0,
  interventionSteps: 0,
  filterShare: 0,
  tankDrainJ: 0,
  marginMin: 1,
  policyVersion: 3,
  ...more,
});

/** A log that only keeps the status; `elapsedS` is set by the test. */
function logOf(elapsedS: number) {
  const reported: number[] = [];
  const log = {
    status: createRunStatus('a1', 'insert', 0),
    elapsedS,
    episode: (_: string, index: number) => void reported.push(index),
  };
  return { log, reported, runLog: log as unknown as RunLog };
}

describe('the figures of a live run', () => {
  it('go on where a start of the robot goes on with a run', () => {
    const records = [
      episode(10, true),
      episode(20, true),
      episode(30, false, { cutBy: 'a stop' }),
      episode(40, false, { interventions: 1, interventionSteps: 5 }),
      { kind: 'step', tS: 47, envStep: 470 },
    ];
    writeFileSync(
      join(folder, 'metrics.jsonl'),
      `${records.map((record) => JSON.stringify(record)).join('\n')}\n{"kin`,
    );
    const { log, reported, runLog } = logOf(50);
    const live = new LiveLog(runLog, { earlier: earlierStarts(folder) });
    expect(live.episodes).toBe(4);
    expect(log.status.envSteps).toBe(470);
    expect(log.status.success).toMatchObject({ successes: 2, episodes: 2, helped: 1 });
    live.begin();
    log.elapsedS = 60;
    live.episode({ success: true, steps: 20, interventions: 0, interventionSteps: 0 } as EpisodeResult);
    expect(reported).toEqual([4]);
    expect(live.episodes).toBe(5);
    // 30 s with a success before, up to the first episode, 10 s with one in this start.
    expect(log.status.success).toMatchObject({ successes: 3, episodes: 3, helped: 1 });
    expect(log.status.success.rates).toEqual({ successesPerHour: (3600 * 2) / 40, humanStepShare: 5 / 100 });
  });

  it('begin at nothing in a new folder', () => {
    const { log, runLog } = logOf(0);
    const live = new LiveLog(runLog, { earlier: earlierStarts(join(folder, 'new')) });
    expect(live.episodes).toBe(0);
    expect(log.status.envSteps).toBe(0);
    expect(log.status.success).toEqual(createRunStatus('a1', 'insert', 0).success);
  });
});
