import { expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import { LockStepClock } from '../model/index.ts';
import { createActionCommand } from './link/frames.ts';
import { lockStepGuard } from './lock-step-guard.ts';

/** Largest speed of any joint's reference as a fraction of its limit, during one second of full actions. */
async function fastest(speedRatioMax: number | undefined): Promise<number> {
  const clock = new LockStepClock(1 / ur5eLike.controlHz);
  const driver = new MockDriver(ur5eLike);
  const action = jointSpec(ur5eLike, 0.2);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model: ur5eLike,
    action,
    policyPeriodS: 0.1,
    speedRatioMax,
    clock,
  });
  await driver.open();
  await link.advance(2);
  for (const kind of ['enable', 'activate'] as const) {
    await link.request({ kind }, 'person');
    await link.advance(1);
  }
  const command = createActionCommand(6);
  let share = 0;
  let before = [...link.latest.referenceRad];
  for (let tick = 0; tick < ur5eLike.controlHz; tick++) {
    if (tick % 10 === 0) {
      Object.assign(command, { seq: command.seq + 1, decider: 'policy', issuedAtS: clock.nowS(), leaseS: 0.3 });
      command.action.fill(1);
      link.send(command);
    }
    await link.advance(1);
    const now = [...link.latest.referenceRad];
    for (const [i, { velocityMaxRadPerS }] of ur5eLike.joints.entries()) {
      share = Math.max(share, (Math.abs(now[i]! - before[i]!) * ur5eLike.controlHz) / velocityMaxRadPerS);
    }
    before = now;
  }
  return share;
}

it('no joint goes faster than the share of its speed that the guard was started with', async () => {
  expect(await fastest(undefined)).toBeGreaterThan(0.3);
  const capped = await fastest(0.1);
  expect(capped).toBeGreaterThan(0.05);
  expect(capped).toBeLessThanOrEqual(0.1 + 1e-9);
});
