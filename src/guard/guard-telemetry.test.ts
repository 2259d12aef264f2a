/** Telemetry of the safety chain in every frame. */
import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import { LockStepClock, type RobotModel } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { STAGES } from '../safety/chain-report.ts';
import type { GuardOptions } from './guard.ts';
import { createActionCommand } from './link/frames.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const PERIOD_S = 1 / ur5eLike.controlHz;
const action = jointSpec(ur5eLike, 0.1);
const withTank: RobotModel = {
  ...ur5eLike,
  tank: {
    startJ: 3,
    minJ: 0.1,
    maxJ: 4,
    powerMaxW: 100,
    recovery: 0.9,
    topUpW: 0,
    velocityFeedForward: false,
    delayTicks: 0,
  },
};

describe("the guard's frames", () => {
  it('count the ticks of each stage, and say how much room each left', async () => {
    const { link, push } = await activeRig(ur5eLike);
    const before = [...link.latest.stageTicks];
    push(5);
    await link.advance(1);
    const clamped = counted(link.latest, before);
    expect(clamped['sanitize']).toBe(1);
    push(Number.NaN);
    await link.advance(1);
    expect(counted(link.latest, before)['sanitize']).toBe(2);
    expect(link.latest.stageMargins).toHaveLength(STAGES.length);
    for (const margin of link.latest.stageMargins) expect(margin).toBeLessThanOrEqual(1);
    expect(link.latest.marginMin).toBeLessThanOrEqual(Math.min(...link.latest.stageMargins) + 1e-12);
  });

  it('count no tick while the robot has no torque', async () => {
    const { link, push } = await rig(ur5eLike);
    push(Number.NaN);
    await link.advance(3);
    expect([...link.latest.stageTicks]).toEqual(STAGES.map(() => 0));
    expect(link.latest.changedTicks).toBe(0);
  });

  it("tell what the tank holds and what was put into the robot's springs; nothing without a tank", async () => {
    const { link, push } = await activeRig(withTank);
    expect(link.latest).toMatchObject({ tankEnergyJ: 3, tankLevel: 0.75, tankInjectedJ: 0 });
    let injectedJ = 0;
    for (let i = 0; i < 20; i++) {
      push(i % 2 === 0 ? 1 : -1);
      await link.advance(5);
      expect(link.latest.tankInjectedJ).toBeGreaterThanOrEqual(injectedJ);
      expect(link.latest.tankLevel).toBeCloseTo(link.latest.tankEnergyJ / 4, 12);
      injectedJ = link.latest.tankInjectedJ;
    }
    expect(injectedJ).toBeGreaterThan(0);

    const plain = await activeRig(ur5eLike);
    plain.push(1);
    await plain.link.advance(5);
    expect(plain.link.latest).toMatchObject({ tankEnergyJ: 0, tankLevel: 0, tankScale: 1, tankInjectedJ: 0 });
  });
});

describe("the guard's frames, on time and bus", () => {
  it('say how late their tick began', async () => {
    const timing = { overruns: 0, lateS: 0.004 };
    const { link } = await rig(ur5eLike, timing);
    await link.advance(1);
    expect(link.latest.tickLateS).toBe(0.004);
  });

  it('say how long the newest command still counts, and for how long it was issued', async () => {
    const { link, push } = await rig(ur5eLike);
    await link.advance(1);
    expect(link.latest).toMatchObject({ leaseS: 0, leaseLeftS: 0 });
    push(0);
    await link.advance(5);
    expect(link.latest.leaseS).toBe(0.15);
    expect(link.latest.leaseLeftS).toBeCloseTo(0.15 - 5 * PERIOD_S, 9);
    await link.advance(1 / PERIOD_S);
    expect(link.latest).toMatchObject({ leaseS: 0.15, leaseLeftS: 0 });
  });

  it('count what the driver says of its readings, and the references that it does not take', async () => {
    const { link, driver } = await activeRig(ur5eLike);
    const before = { ...link.latest };
    driver.inject('late', 2);
    await link.advance(2);
    driver.inject('frozen', 1);
    await link.advance(1);
    driver.inject('lost', 1);
    await link.advance(1);
    driver.inject('rejected', 2);
    await link.advance(3);
    const { readings, lateReadings, lostReadings, refusedWrites } = link.latest;
    expect(readings - before.readings).toBe(3);
    expect(lateReadings - before.lateReadings).toBe(3);
    expect(lostReadings - before.lostReadings).toBe(1);
    expect(refusedWrites - before.refusedWrites).toBe(2);
  });
});

describe("a reading in the guard's frames", () => {
  it("has the driver's own stamp, beside when the guard read it, and keeps it while no new one comes", async () => {
    const { link, driver, clock } = await rig(ur5eLike);
    await link.advance(4);
    clock.step();
    await link.advance(1);
    expect(link.latest.robot.measuredAtS).toBeCloseTo(6 * PERIOD_S, 9);
    expect(link.latest.stampS).toBeCloseTo(5 * PERIOD_S, 9);
    driver.inject('frozen', 3);
    await link.advance(3);
    expect(link.latest.stampS).toBeCloseTo(5 * PERIOD_S, 9);
    driver.inject('nan', 1);
    await link.advance(1);
    expect(link.latest.stampS).toBeCloseTo(5 * PERIOD_S, 9);
  });

  it('has what touched the tool as a mean, and no number where the driver gives none', async () => {
    const { link, driver } = await rig(ur5eLike);
    await link.advance(2);
    expect([...link.latest.meanWrench]).toEqual(Array.from({ length: 6 }, () => Number.NaN));
    driver.report.meanWrench.set([1, 2, 3, 4, 5, 6]);
    await link.advance(1);
    expect([...link.latest.meanWrench]).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

/** Ticks of each stage since the counts `before`, by name. */
function counted(frame: GuardFrame, before: readonly number[]): Record<string, number> {
  return Object.fromEntries(STAGES.map((name, i) => [name, frame.stageTicks[i]! - before[i]!]));
}

async function rig(model: RobotModel, timing?: GuardOptions['timing']) {
  const clock = new LockStepClock(PERIOD_S);
  const driver = new MockDriver(model, {});
  await driver.open();
  const joints = model.joints.length;
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action,
    policyPeriodS: 0.1,
    clock,
    ...(timing && { timing }),
  });
  const command = createActionCommand(joints);
  const push = (value: number): void => {
    command.seq++;
    command.decider = 'policy';
    command.issuedAtS = clock.nowS();
    command.leaseS = 0.15;
    command.action.fill(value);
    link.send(command);
  };
  return { link, push, driver, clock };
}

async function activeRig(model: RobotModel) {
  const made = await rig(model);
  await made.link.advance(1);
  await made.link.request({ kind: 'enable' });
  await made.link.request({ kind: 'activate' });
  return made;
}
