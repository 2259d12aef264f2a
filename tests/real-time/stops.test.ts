/** Rows about what dies, hangs or goes wild: an arm at full speed, stopped once each; `npm run trials` does it a hundred times. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect } from 'vitest';
import type { StopMeasure, StopTrialName, StopTrialResult } from '../../bench/stop-trials/result.ts';
import { actConclusively } from '../support/conclusive.ts';
import { faultRow } from '../support/fault-row.ts';

// Threads and processes run the compiled code: this version of Node cannot strip types.
const dist = (file: string): string => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));
const { runStopTrials } = (await import(
  dist('bench/stop-trials/run-trials.js')
)) as typeof import('../../bench/stop-trials/run-trials.ts');
/** Each row is shown by one; more would tell how it spreads, which is what `npm run trials` is for. */
const TRIALS = 1;

describe('an arm at full speed', { timeout: 60_000 }, () => {
  let results: readonly StopTrialResult[] = [];

  beforeAll(async () => {
    // A machine that holds up a trial's own processes ends the trials, and shows nothing about the robot.
    let failure: unknown;
    await actConclusively(
      async () => {
        failure = await runStopTrials({ trials: TRIALS }).then(
          (done) => {
            ({ results } = done);
          },
          (error: unknown) => error,
        );
      },
      () => failure === undefined,
    );
    if (failure !== undefined) throw failure;
  }, 600_000);

  /** What the trials named `name` showed, all within their bounds. */
  function shown(name: StopTrialName): Readonly<Record<string, StopMeasure>> {
    const result = results.find((each) => each.name === name)!;
    expect(result.measures.filter(({ failures }) => failures > 0)).toEqual([]);
    expect(result).toMatchObject({ trials: TRIALS, failed: [], passed: true });
    return Object.fromEntries(result.measures.map((measure) => [measure.name, measure]));
  }

  faultRow(1, 'real-time', 'NaN at full speed: it brakes at once, and stands in the time that its limits say', () => {
    const { brakeBegins, standstill } = shown('nodeSendsNaN');
    expect(brakeBegins!.worstMs).toBeLessThan(brakeBegins!.boundMs);
    expect(standstill!.worstMs).toBeLessThan(standstill!.boundMs);
  });

  faultRow([2, 3], 'real-time', 'a frozen node: it brakes within the lease and stands in time', (promised) => {
    const { brakeBegins, standstill } = shown('nodeFrozen');
    expect(brakeBegins!.boundMs).toBeLessThan(1e3 * promised('leaseMaxS'));
    // That it is the lease which ends, and not before its time, the trial judges from when the last command was sent.
    expect(standstill!.worstMs).toBeLessThanOrEqual(standstill!.boundMs);
  });

  faultRow([3, 25], 'real-time', 'a killed node: it brakes within the lease and stands in time', () => {
    const { brakeBegins, standstill } = shown('nodeKilled');
    expect(brakeBegins!.worstMs).toBeLessThanOrEqual(brakeBegins!.boundMs);
    expect(standstill!.worstMs).toBeLessThanOrEqual(standstill!.boundMs);
  });

  faultRow([31, 32], 'real-time', 'a node that floods: it is cut off, and the arm brakes within the lease', () => {
    const { brakeBegins, brakeAfterLast, standstill } = shown('nodeFloods');
    for (const each of [brakeBegins, brakeAfterLast, standstill])
      expect(each!.worstMs).toBeLessThanOrEqual(each!.boundMs);
  });

  faultRow(25, 'real-time', 'a killed guard: three stop frames on the bus, and nothing after them', (promised) => {
    const { lastStopFrame } = shown('guardKilled');
    expect(lastStopFrame!.worstMs).toBeLessThanOrEqual(1e3 * promised('stopWithinS'));
  });

  faultRow([24, 25], 'real-time', 'a frozen guard: three stop frames after its silence', (promised) => {
    const { lastStopFrame } = shown('guardFrozen');
    expect(lastStopFrame!.worstMs).toBeLessThanOrEqual(1e3 * (promised('silenceS') + promised('stopWithinS')));
  });
});
