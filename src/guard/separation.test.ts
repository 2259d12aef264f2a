import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import { LockStepClock, type RobotModel } from '../model/index.ts';
import { faultsOf } from '../safety/index.ts';
import { createActionCommand } from './link/frames.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const model: RobotModel = {
  ...ur5eLike,
  leashM: 0.2,
  leashRad: 1,
  toolSpeedMaxMPerS: 0.4,
  separation: {
    humanSpeedMPerS: 1.6,
    reactionS: 0.1,
    intrusionM: 0.1,
    uncertaintyM: 0.05,
    freshnessMs: 100,
    stops: [
      { speedMPerS: 0.1, timeS: 0.1, distanceM: 0.02 },
      { speedMPerS: 0.4, timeS: 0.3, distanceM: 0.1 },
    ],
  },
};
const PERIOD_S = 1 / model.controlHz;

/** An arm that swings its first joint to and fro, with a person beside it. */
async function stand(distanceM: number | undefined) {
  const clock = new LockStepClock(PERIOD_S);
  const driver = new MockDriver(model, distanceM === undefined ? {} : { distanceM });
  const action = jointSpec(model, 0.09);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action,
    policyPeriodS: 0.1,
    clock,
  });
  await driver.open();
  await link.advance(2);
  const command = createActionCommand(6);
  let tick = 0;
  /** Runs `ticks`; returns the largest speed of the tool, m/s. */
  const run = async (ticks: number): Promise<number> => {
    let fastest = 0;
    for (let k = 0; k < ticks; k++, tick++) {
      if (tick % 10 === 0) {
        Object.assign(command, { seq: command.seq + 1, decider: 'policy', issuedAtS: clock.nowS(), leaseS: 0.3 });
        command.action[0] = tick % 80 < 40 ? 1 : -1;
        link.send(command);
      }
      const before = link.latest.referenceTcp.slice(0, 3);
      await link.advance(1);
      const moved = link.latest.referenceTcp.slice(0, 3).map((value, axis) => value - before[axis]!);
      fastest = Math.max(fastest, Math.hypot(...moved) / PERIOD_S);
    }
    return fastest;
  };
  const start = async () => {
    const answer = await link.request({ kind: 'enable' }, 'person');
    await link.advance(1);
    if (!answer.ok) return answer;
    return await link.request({ kind: 'activate' }, 'person');
  };
  return { link, driver, run, start };
}

describe('an arm beside people', () => {
  it('is as fast as their distance allows, and says so in each frame', async () => {
    const { link, driver, run, start } = await stand(3);
    await link.advance(60);
    expect(await start()).toEqual({ ok: true });
    expect(await run(100)).toBeGreaterThan(0.3);
    expect(link.latest.toolSpeedMPerS).toBe(0.4);
    driver.report.distance[0] = 0.7;
    await run(30);
    expect(link.latest.toolSpeedMPerS).toBe(0.1);
    const slow = await run(100);
    expect(slow).toBeGreaterThan(0.05);
    expect(slow).toBeLessThanOrEqual(0.1 + 1e-9);
    expect(link.latest.state).toBe('active.policy');
    expect(link.latest.violations).toBe(0);
  });

  it.each([
    ['they are nearer than its slowest stop needs', (driver: MockDriver) => driver.report.distance.set([0.3])],
    ['nothing is heard of them', (driver: MockDriver) => driver.inject('distanceSilent', 1000)],
    ['their distance is no number', (driver: MockDriver) => driver.report.distance.set([Number.NaN])],
  ])('stops and holds where %s, until somebody acknowledges', async (_, disturb) => {
    const { link, driver, run, start } = await stand(3);
    await link.advance(60);
    await start();
    await run(50);
    disturb(driver);
    await run(60);
    expect(link.latest.state).toBe('stopped');
    expect(faultsOf(link.latest.faultFlags).map(({ row, flag }) => [row, flag])).toEqual([[47, 'obstacleInside']]);
    expect(await run(20)).toBe(0);
    expect(link.latest.violations).toBe(0);
  });

  it('gets no torque where nothing measures their distance', async () => {
    const { start } = await stand(undefined);
    expect(await start()).toMatchObject({ ok: false, reason: expect.stringContaining('does not measure it') });
  });
});
