import { describe, expect, it, vi } from 'vitest';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { createRobotState } from '../rows/index.ts';
import { bound, type DriverAct, type WholeDriver } from './bound-driver.ts';
import type { Driver } from './driver.ts';
import { MockDriver } from './mock/mock-driver.ts';

/** Every function of a driver with sample arguments: the compiler keeps this list in line with the contract. */
const GIVEN: { readonly [A in DriverAct]: Parameters<Driver[A]> } = {
  open: [],
  read: [createRobotState(6, 0)],
  write: [createRobotState(6, 0).positionRad],
  torque: [0.5],
  service: ['prepare'],
  takeNotice: [],
  close: [],
};
const ACTS = Object.keys(GIVEN) as DriverAct[];

describe('a bound driver', () => {
  it.each(ACTS)('passes %s on, with what it is given and what it gives', (act) => {
    const driver = new MockDriver(ur5eLike);
    const answer = {};
    const call = vi.spyOn(driver, act as 'write').mockReturnValue(answer as never);
    const passed = bound(driver)[act] as (...given: readonly unknown[]) => unknown;
    expect(passed(...GIVEN[act])).toBe(answer);
    expect(call.mock.calls).toEqual([GIVEN[act]]);
    expect(call.mock.contexts).toEqual([driver]);
  });

  it('has the same report and scene, and nothing that is no member', () => {
    const driver = new MockDriver(ur5eLike);
    const { report, scene, ...acts } = bound(driver);
    expect([report, scene]).toEqual([driver.report, driver.scene]);
    expect(report).toBe(driver.report);
    expect(Object.keys(acts).sort()).toEqual([...ACTS].sort());
  });

  it('does not compile without one of them, one that may be absent included', () => {
    const { scene: _scene, ...sceneless } = bound(new MockDriver(ur5eLike));
    const { takeNotice: _takeNotice, ...mute } = bound(new MockDriver(ur5eLike));
    // @ts-expect-error: a missing member is not the same as an absent scene.
    const withoutScene: WholeDriver = sceneless;
    // @ts-expect-error: layers between driver and guard have to pass notices on.
    const withoutNotices: WholeDriver = mute;
    expect(Object.keys(withoutScene)).not.toContain('scene');
    expect(Object.keys(withoutNotices)).not.toContain('takeNotice');
  });
});
