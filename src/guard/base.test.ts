import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { diffBase } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import { MOCK_FAULTS } from '../drivers/mock/mock-faults.ts';
import { LockStepClock, Rng } from '../model/index.ts';
import type { ActionCommand, SceneLayout } from '../rows/index.ts';
import { faultsOf } from '../safety/index.ts';
import { createActionCommand } from './link/frames.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const PERIOD_S = 1 / diffBase.controlHz;

async function rig(model = diffBase) {
  const clock = new LockStepClock(PERIOD_S);
  const driver = new MockDriver(model);
  await driver.open();
  const action = jointSpec(model, 0.05);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action,
    policyPeriodS: 0.1,
    clock,
  });
  const command: ActionCommand = createActionCommand(2);
  const push = (ahead: number, turn: number): void => {
    command.seq++;
    command.decider = 'policy';
    command.issuedAtS = clock.nowS();
    command.leaseS = 0.15;
    command.action.set([ahead, turn]);
    link.send(command);
  };
  const drive = async (steps: number, ahead = 1, turn = 0): Promise<void> => {
    for (let i = 0; i < steps; i++) {
      push(ahead, turn);
      await link.advance(5);
    }
  };
  await link.advance(1);
  await link.request({ kind: 'enable' });
  await link.request({ kind: 'activate' });
  return { link, driver, push, drive };
}

const speed = (reference: number, before: number): number => (reference - before) / PERIOD_S;

describe('the guard of a mobile base', () => {
  it('drives, brakes where the lease ends, and stands', async () => {
    const { link, drive } = await rig();
    await drive(20);
    const before = link.latest.referenceRad[0]!;
    await link.advance(1);
    expect(speed(link.latest.referenceRad[0]!, before)).toBeGreaterThan(0.45);
    expect(speed(link.latest.referenceRad[0]!, before)).toBeLessThanOrEqual(0.5);
    await link.advance(40);
    const at = link.latest.referenceRad[0]!;
    await link.advance(1);
    expect(link.latest.referenceRad[0]).toBe(at);
    expect(link.latest).toMatchObject({ violations: 0, decider: 'hold' });
  });

  it('stops for wheels that do not turn: row 14, half a second after they should have', async () => {
    const { link, driver, drive } = await rig();
    driver.inject('frozen', 1000);
    await drive(4);
    expect(link.latest.faultFlags).toBe(0);
    await drive(3);
    expect(faultsOf(link.latest.faultFlags).map(({ row }) => row)).toEqual([14]);
    await link.advance(100);
    expect(link.latest.state).toBe('fault');
    expect(driver.isEnabled).toBe(false);
  });

  it('stops for odometry that jumps farther than it can drive: row 15', async () => {
    const { link, driver, drive } = await rig();
    await drive(5);
    driver.inject('jump', 2);
    await link.advance(3);
    expect(faultsOf(link.latest.faultFlags).map(({ row }) => row)).toEqual([15]);
  });

  it('keeps inside its fence from where its scene puts it back to, not from where a way of its wheels would', async () => {
    const fence = { minM: [-0.6, -0.6], maxM: [0.6, 0.6], radiusM: 0.1 } as const;
    const { link, driver, drive } = await rig({ ...diffBase, base: { ...diffBase.base!, fence } });
    // Forward, turn, and forward: a straight line of its axes back from there leads elsewhere.
    await drive(8, 0.8, 0);
    await drive(16, 0, 1);
    await drive(8, 0.8, 0);
    expect(Math.abs(link.latest.referenceRad[1]!)).toBeGreaterThan(0.5);
    const layout: SceneLayout = { jointsRad: [0, 0], objects: {}, signals: {} };
    expect(await link.request({ kind: 'resetScene', layout })).toEqual({ ok: true });
    await link.advance(2);
    await link.request({ kind: 'activate' });
    await drive(60);
    // It has driven straight ahead since, up to the fence.
    expect(link.latest.robot.positionRad[1]).toBe(0);
    expect(link.latest.robot.positionRad[0]).toBeGreaterThan(0.49);
    expect(link.latest.robot.positionRad[0]).toBeLessThanOrEqual(0.5);
    await drive(120, -1);
    expect(link.latest.robot.positionRad[0]).toBeLessThan(-0.49);
    expect(link.latest.robot.positionRad[0]).toBeGreaterThanOrEqual(-0.5);
    expect(link.latest).toMatchObject({ violations: 0, faultFlags: 0 });
    expect(driver.isEnabled).toBe(true);
  });

  it('breaks no limit whatever fails, whatever is asked for, in 20 000 ticks', async () => {
    const { link, driver, push } = await rig();
    const rng = new Rng(7);
    const kinds = ['enable', 'activate', 'acknowledge', 'hold', 'stop', 'disable'] as const;
    // `slow` takes real time, which the lock-step clock does not measure.
    const faults = MOCK_FAULTS.filter((fault) => fault !== 'absent' && fault !== 'slow');
    let moved = 0;
    for (let step = 0; step < 4000; step++) {
      if (rng.uniform() < 0.05) driver.inject(faults[rng.int(faults.length)]!, 1 + rng.int(40));
      if (rng.uniform() < 0.15) await link.request({ kind: kinds[rng.int(kinds.length)]! });
      if (link.latest.state === 'fault' || link.latest.state === 'stopped') await link.request({ kind: 'acknowledge' });
      if (link.latest.state === 'standby') await link.request({ kind: 'enable' });
      if (link.latest.state === 'ready') await link.request({ kind: 'activate' });
      if (rng.uniform() < 0.9) push(rng.uniformIn(-1.5, 1.5), rng.uniform() < 0.02 ? Number.NaN : rng.uniformIn(-1, 1));
      const before = link.latest.referenceRad[0]!;
      await link.advance(5);
      moved += Math.abs(link.latest.referenceRad[0]! - before);
    }
    expect(link.latest.violations).toBe(0);
    expect(moved).toBeGreaterThan(10);
  });
});
