import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { createDriver, type Driver } from '../drivers/index.ts';
import { armDriver } from '../identify/open-arm.ts';
import { identifyAction } from '../identify/path-follower.ts';
import { LockStepClock } from '../model/index.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const { robot } = arm6Setup().config;
const { driver: _, ...model } = robot;
const STAND_TICKS = 2 * model.controlHz;

/** Stamps of a driver that repeats the previous reading in ticks for which `isRepeated` is true. */
function repeating(isRepeated: (tick: number) => boolean): (tick: number, stampS: number) => number {
  let last = 0;
  return (tick, stampS) => {
    if (!isRepeated(tick)) last = stampS;
    return last;
  };
}

/** The arm with its observer behind a guard; `stamp` returns the driver's stamp of each tick's reading. */
async function standing(stamp: (tick: number, stampS: number) => number) {
  const driver: Driver = await createDriver(armDriver(robot), { model });
  const facts = await driver.open();
  const read = driver.read.bind(driver);
  let tick = 0;
  driver.read = (out) => {
    const status = read(out);
    out.measuredAtS = stamp(tick++, out.measuredAtS);
    return status;
  };
  const clock = new LockStepClock(1 / model.controlHz);
  const action = identifyAction(model);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts,
    model,
    action,
    policyPeriodS: 1 / model.controlHz,
    clock,
  });
  const notices: string[] = [];
  link.onNotice(({ level, row, message }) => notices.push(`${level} ${row} ${message}`));
  await link.advance(2);
  expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
  await link.advance(STAND_TICKS);
  return { link, notices };
}

describe('the torque observer', () => {
  it.each([
    ['stamps nothing', () => Number.NaN],
    ['stamps milliseconds', (_tick: number, stampS: number) => 1e3 * stampS],
    ['stamps nanoseconds', (_tick: number, stampS: number) => 1e9 * stampS],
    ['counts', (tick: number) => tick],
  ])('judges by the clock of the guard where a driver %s', async (_name, stamp) => {
    const { link, notices } = await standing(stamp);
    expect(link.latest.residualJoint).toBeGreaterThanOrEqual(0);
    expect(link.latest.state).toBe('ready');
    expect(notices).toEqual([]);
    await link.close();
  });

  it.each([2, 3, 4])(
    'says that it judges nothing with readings every %i ticks, and keeps torque off then',
    async (every) => {
      const { link, notices } = await standing(repeating((tick) => tick % every !== 0));
      expect(link.latest.state).toBe('ready');
      expect(link.latest.residualJoint).toBe(-1);
      expect(notices).toEqual([expect.stringMatching(/^warn 54 The torque observer judges nothing/)]);
      await link.request({ kind: 'disable' });
      await link.advance(2);
      expect(await link.request({ kind: 'enable' })).toMatchObject({
        ok: false,
        reason: expect.stringMatching(/judges nothing.*leave torqueObserver out/),
      });
      await link.close();
    },
  );

  it('is not blind for readings that are lost now and then, and says when it judges again', async () => {
    const half = STAND_TICKS / 2 + 20;
    const stamp = repeating((tick) => (tick < half ? tick % 2 : tick % 5) === (tick < half ? 1 : 0));
    const { link, notices } = await standing(stamp);
    expect(notices).toEqual([
      expect.stringMatching(/^warn 54/),
      expect.stringMatching(/^info 54 The torque observer judges again/),
    ]);
    await link.close();
  });
});
