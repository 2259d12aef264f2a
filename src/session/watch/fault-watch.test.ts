/** How often people hear of what comes and goes. */
import { expect, it } from 'vitest';
import { ur5eLike as arm6 } from '../../../tests/support/robot-models.ts';
import { TORQUE_RESIDUAL } from '../../safety/fault-table/flags.ts';
import { DRIVER_LOST, TANK_EMPTY } from '../../safety/index.ts';
import type { SessionEvent } from '../session-types.ts';
import { FaultWatch } from './fault-watch.ts';

const nothing = { residualJoint: -1, residualNm: 0 };

/** Events of a fault that comes and goes every 1.2 s for `forS`. */
function events(flag: number, forS: number): { readonly told: SessionEvent[]; readonly watch: FaultWatch } {
  const told: SessionEvent[] = [];
  const watch = new FaultWatch(arm6.joints, (event) => told.push(event));
  for (let nowS = 0; nowS < forS; nowS += 1.2) {
    watch.see({ ...nothing, faultFlags: flag }, nowS);
    watch.see({ ...nothing, faultFlags: 0 }, nowS + 0.5);
  }
  return { told, watch };
}

it('tells a warning of every episode ever less often, and how often it came', () => {
  const { told, watch } = events(TANK_EMPTY, 120);
  // At 0, 5, 15, 35 and 75 s, each a little later as it comes every 1.2 s; it was told 21 times.
  expect(told).toHaveLength(5);
  expect(told.every(({ level, name }) => level === 'warn' && name === 'tankEmpty')).toBe(true);
  expect(told[1]!.message).toMatch(/ 5 times in the last 6 s\.$/);
  expect(told[4]!.message).toMatch(/ 34 times in the last 41 s\.$/);
  // After a long silence it is news again.
  watch.see({ ...nothing, faultFlags: TANK_EMPTY }, 1000);
  expect(told.at(-1)!.message).toBe(told[0]!.message);
});

it('tells every stop, and its end', () => {
  const { told } = events(DRIVER_LOST, 6);
  expect(told.map(({ level }) => level)).toEqual([
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
  const { told, watch } = events(0, 0);
  watch.see({ faultFlags: TORQUE_RESIDUAL, residualJoint: 2, residualNm: -23.14 }, 0);
  watch.see({ faultFlags: 0, residualJoint: 2, residualNm: -23.14 }, 1);
  watch.see({ faultFlags: TORQUE_RESIDUAL, residualJoint: 2, residualNm: Number.NaN }, 2);
  expect(told[0]!.message).toMatch(/does not know \(elbow: -23\.1 N·m\)\.$/);
  expect(told.at(-1)!.message).toMatch(/ \(elbow: no torque is measured\)\.$/);
});
