/** Frequency of reports on conditions that come and go. */
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { ur5eLike as arm6 } from '../../tests/support/robot-models.ts';
import type { JournalStatus } from '../link/index.ts';
import { SERVO_RESIDUAL, TICK_STALLED, TORQUE_RESIDUAL } from '../safety/fault-table/flags.ts';
import { DRIVER_LOST, TANK_EMPTY } from '../safety/index.ts';
import type { SessionEvent } from './session-types.ts';
import { FaultWatch, RecordingWatch, WeightsWatch } from './watches.ts';

const nothing = { residualJoint: -1, residualNm: 0 };

/** Events of a fault that comes and goes every 1.2 s for `forS`. */
function events(flag: number, forS: number): { readonly reported: SessionEvent[]; readonly watch: FaultWatch } {
  const reported: SessionEvent[] = [];
  const watch = new FaultWatch(arm6.joints, (event) => reported.push(event));
  for (let nowS = 0; nowS < forS; nowS += 1.2) {
    watch.see({ ...nothing, faultFlags: flag }, nowS);
    watch.see({ ...nothing, faultFlags: 0 }, nowS + 0.5);
  }
  return { reported, watch };
}

it('tells a warning of every episode ever less often, and how often it came', () => {
  const { reported, watch } = events(TANK_EMPTY, 120);
  // At 0, 5, 15, 35 and 75 s, each a little later as the fault comes every 1.2 s.
  expect(reported).toHaveLength(5);
  expect(reported.every(({ level, name }) => level === 'warn' && name === 'tankEmpty')).toBe(true);
  expect(reported[1]!.message).toMatch(/ 5 times in the last 6 s\.$/);
  expect(reported[4]!.message).toMatch(/ 34 times in the last 41 s\.$/);
  // After a long silence it is news again.
  watch.see({ ...nothing, faultFlags: TANK_EMPTY }, 1000);
  expect(reported.at(-1)!.message).toBe(reported[0]!.message);
});

it.each([
  ['names a busy machine before a servo', { programs: 18, cores: 2 }, true],
  ['names the servo alone on a quiet one', { programs: 0.4, cores: 2 }, false],
] as const)('of a torque that is off, a tick that stood and a robot that does not answer it %s', (_, load, isBusy) => {
  const reported: SessionEvent[] = [];
  const watch = new FaultWatch(
    arm6.joints,
    (event) => reported.push(event),
    () => load,
  );
  watch.see({ ...nothing, faultFlags: SERVO_RESIDUAL | DRIVER_LOST | TICK_STALLED }, 0);
  expect(reported).toHaveLength(3);
  for (const { remedy } of reported) {
    expect(remedy.startsWith('The machine is busy (load average 18.0 on 2 cores).')).toBe(isBusy);
    expect(remedy).toMatch(/acknowledge\.$/);
  }
  // A contact with a link is removed first, whatever the load.
  watch.see({ ...nothing, faultFlags: TORQUE_RESIDUAL }, 1);
  const { remedy } = reported.find(({ name }) => name === 'torqueResidual')!;
  expect(remedy).toMatch(/^Check for contact at a link/);
  expect(remedy.includes('The load may be the cause')).toBe(isBusy);
});

it('tells every stop, and its end', () => {
  const { reported } = events(DRIVER_LOST, 6);
  expect(reported.map(({ level }) => level)).toEqual([
    'error',
    'info',
    'error',
    'info',
    'error',
    'info',
    'error',
    'info',
    'error',
    'info',
  ]);
});

it('names the joint and the torque of a residual', () => {
  const { reported, watch } = events(0, 0);
  watch.see({ faultFlags: TORQUE_RESIDUAL, residualJoint: 2, residualNm: -23.14 }, 0);
  watch.see({ faultFlags: 0, residualJoint: 2, residualNm: -23.14 }, 1);
  watch.see({ faultFlags: TORQUE_RESIDUAL, residualJoint: 2, residualNm: Number.NaN }, 2);
  expect(reported[0]!.message).toMatch(/does not describe \(elbow: -23\.1 N·m\)\.$/);
  expect(reported.at(-1)!.message).toMatch(/ \(elbow: no torque is measured\)\.$/);
});

describe('the age of the weights', () => {
  faultRow(53, 'fake', 'is told once when newer ones do not come, and once when they do again', (promised) => {
    const reported: SessionEvent[] = [];
    const watch = new WeightsWatch((event) => reported.push(event));
    const after = promised('reportedAfterS');
    // A learner that publishes faster than weights arrive, but they do arrive.
    for (let s = 0; s < 10 * after; s++) watch.see({ learnerVersion: 4 * s + 3, arrivedVersion: 4 * s }, s);
    expect(reported).toEqual([]);
    const startS = 10 * after;
    for (let s = 0; s < after; s += 0.25) watch.see({ learnerVersion: 900 + s, arrivedVersion: 600 }, startS + s);
    expect(reported).toEqual([]);
    for (let s = after; s < 2 * after; s += 0.25) watch.see({ learnerVersion: 984, arrivedVersion: 600 }, startS + s);
    expect(reported.map(({ name, row }) => `${name} ${row}`)).toEqual(['weightsStale 53']);
    expect(reported[0]!.message).toContain('It has version 984, here is 600.');
    watch.see({ learnerVersion: 985, arrivedVersion: 985 }, startS + 2 * after);
    expect(reported.map(({ name }) => name)).toEqual(['weightsStale', 'weightsBack']);
  });
});

describe('steps that were not recorded', () => {
  const ok = { isStopped: false, reason: undefined };
  const full = { isStopped: true, reason: 'the disk is full' };

  /** Row under which dropped steps are reported after `states` of the journal. */
  function rowOf(states: readonly object[], dropped: number): number | undefined {
    const events: SessionEvent[] = [];
    const watch = new RecordingWatch((event) => events.push(event));
    for (const state of states) watch.see(state as JournalStatus);
    watch.end(dropped);
    return events.find(({ name }) => name === 'notRecorded')?.row;
  }

  it('are those of a full disk where recording had stopped, and of a slow one where it never did', () => {
    expect(rowOf([], 3)).toBe(28);
    expect(rowOf([{ ...full, dropped: 0 }], 3)).toBe(27);
    expect(
      rowOf(
        [
          { ...full, dropped: 0 },
          { ...ok, dropped: 3 },
        ],
        3,
      ),
    ).toBe(27);
    // All steps were dropped before the disk was full, or after.
    expect(
      rowOf(
        [
          { ...full, dropped: 3 },
          { ...ok, dropped: 3 },
        ],
        5,
      ),
    ).toBe(28);
  });

  it('are not reported where there are none', () => {
    expect(
      rowOf(
        [
          { ...full, dropped: 0 },
          { ...ok, dropped: 0 },
        ],
        0,
      ),
    ).toBeUndefined();
  });
});
