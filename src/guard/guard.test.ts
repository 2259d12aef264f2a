import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import type { MockDriverOptions } from '../drivers/mock/options.ts';
import { LockStepClock } from '../model/index.ts';
import type { ActionCommand, Decider, GuardFrame } from '../rows/index.ts';
import { faultsOf } from '../safety/index.ts';
import { createActionCommand } from './link/frames.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const PERIOD_S = 1 / ur5eLike.controlHz;
const LEASE_S = 0.15;
const action = jointSpec(ur5eLike, 0.02);

describe('the guard', () => {
  it('starts with torque off, and moves nothing before it is enabled and activated', async () => {
    const { link, driver, push } = await rig();
    push(1);
    await link.advance(10);
    expect(link.latest.state).toBe('standby');
    expect(driver.isEnabled).toBe(false);
    await link.request({ kind: 'enable' });
    push(1);
    await link.advance(10);
    expect(link.latest.state).toBe('ready');
    expect(speed(link.latest)).toBe(0);
  });

  it('follows a valid command once it is active', async () => {
    const { link, push } = await activeRig();
    const before = link.latest.referenceRad[5]!;
    push(0.5);
    await link.advance(10);
    expect(link.latest.state).toBe('active.policy');
    expect(link.latest.commandSeq).toBeGreaterThanOrEqual(0);
    expect(link.latest.referenceRad[5]! - before).toBeGreaterThan(0.002);
    expect(link.latest.violations).toBe(0);
  });

  it('forgets the commands that were sent before it was told to hold', async () => {
    const { link, push } = await activeRig();
    push(1);
    await link.request({ kind: 'hold' });
    await link.request({ kind: 'activate' });
    await link.advance(5);
    expect(link.latest.commandSeq).toBe(-1);
    expect(link.latest.state).toBe('active.policy');
  });

  it('brakes from the tick in which the lease ends, holds, and after a second stops for good', async () => {
    const { link, clock, push } = await activeRig();
    const issuedAtS = clock.nowS();
    push(1);
    let brakeAtS = Number.NaN;
    let lastStep = 0;
    for (let i = 0; i < 40; i++) {
      const before = link.latest.referenceRad[5]!;
      await link.advance(1);
      if (link.latest.decider === 'policy') continue;
      if (Number.isNaN(brakeAtS)) brakeAtS = clock.nowS();
      else expect(Math.abs(link.latest.referenceRad[5]! - before)).toBeLessThanOrEqual(lastStep + 1e-12);
      lastStep = Math.abs(link.latest.referenceRad[5]! - before);
    }
    expect(brakeAtS).toBeGreaterThan(issuedAtS + LEASE_S - 1e-9);
    expect(brakeAtS).toBeLessThan(issuedAtS + LEASE_S + 1.5 * PERIOD_S);
    expect(lastStep).toBe(0);
    const held = Array.from(link.latest.referenceRad);
    await link.advance(120);
    expect(Array.from(link.latest.referenceRad)).toEqual(held);
    expect(link.latest.state).toBe('stopped');
  });

  it('brakes in the tick in which a command is not a number, and stops for good at the third', async () => {
    const { link, push, clock } = await activeRig();
    push(1);
    await link.advance(3);
    const a = link.latest.referenceRad[5]!;
    await link.advance(1);
    const b = link.latest.referenceRad[5]!;
    push(Number.NaN);
    await link.advance(1);
    expect(link.latest.decider).toBe('hold');
    expect(link.latest.filterBits).not.toBe(0);
    expect(link.latest.referenceRad[5]! - b).toBeLessThan(b - a);
    push(Number.NaN);
    await link.advance(1);
    push(Number.NaN);
    await link.advance(30);
    expect(link.latest.state).toBe('stopped');
    expect(clock.nowS()).toBeLessThan(1);
    expect((await link.request({ kind: 'activate' })).ok).toBe(false);
    await link.request({ kind: 'acknowledge' });
    await link.advance(1);
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
  });

  it('never writes a number that is not finite, whatever is sent and measured', async () => {
    const { link, driver, push } = await activeRig({ faults: { seed: 3, ratio: { nan: 0.1, jump: 0.1, late: 0.1 } } });
    for (let i = 0; i < 200; i++) {
      push([Number.NaN, Number.POSITIVE_INFINITY, 1e9, -1][i % 4]!);
      await link.advance(3);
      await link.request({ kind: 'acknowledge' });
      await link.advance(1);
      await link.request({ kind: 'enable' });
      await link.request({ kind: 'activate' });
      expect(driver.referenceRad.every(Number.isFinite)).toBe(true);
    }
    expect(link.latest.violations).toBe(0);
  });

  it('lets a person take over at once, and the policy go on only after activate', async () => {
    const { link, push } = await activeRig();
    push(0.2);
    await link.advance(2);
    push(0.2, 'human');
    await link.advance(2);
    expect(link.latest.state).toBe('active.human');
    expect(link.latest.decider).toBe('human');
    push(0.2);
    await link.advance(2);
    expect(link.latest.state).toBe('ready');
    expect(link.latest.decider).toBe('hold');
    push(0.2);
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
    await link.advance(2);
    expect(link.latest.state).toBe('active.policy');
    expect(link.latest.decider).toBe('policy');
  });

  it('hands back without a pause when the policy commands and activate is asked for in the same tick', async () => {
    const { link, push } = await activeRig();
    push(0.2, 'human');
    await link.advance(2);
    push(0.2);
    await link.request({ kind: 'activate' });
    await link.advance(1);
    expect(link.latest.state).toBe('active.policy');
    expect(link.latest.decider).toBe('policy');
  });

  it('stops on request and moves again only after it was acknowledged and activated', async () => {
    const { link, push } = await activeRig();
    push(1);
    await link.advance(5);
    await link.request({ kind: 'stop' });
    push(1);
    await link.advance(1);
    expect(link.latest.state).toBe('stopping');
    await link.advance(60);
    expect(link.latest.state).toBe('stopped');
    expect(speed(link.latest)).toBe(0);
    expect(await link.request({ kind: 'activate' })).toMatchObject({ ok: false });
    await link.request({ kind: 'acknowledge' });
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
  });

  it('holds on request and may be activated at once', async () => {
    const { link, push } = await activeRig();
    push(1);
    await link.advance(5);
    await link.request({ kind: 'hold' });
    await link.advance(1);
    expect(link.latest.state).toBe('ready');
    expect(link.latest.decider).toBe('hold');
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
  });

  it.each([
    ['lost', 4, 10],
    ['late', 3, 10],
    ['frozen', 12, 14],
    ['nan', 1, 15],
    ['jump', 2, 15],
    ['rejected', 3, 10],
  ] as const)(
    'takes %s for %d ticks as a fault: brakes, cuts the torque, names row %d, wants acknowledge and enable',
    async (fault, ticks, row) => {
      const { link, driver, push } = await activeRig();
      push(1);
      await link.advance(3);
      expect(link.latest.faultFlags).toBe(0);
      driver.inject(fault, ticks);
      await link.advance(ticks + 1);
      expect(['stopping', 'fault']).toContain(link.latest.state);
      await link.advance(130);
      expect(link.latest.state).toBe('fault');
      expect(faultsOf(link.latest.faultFlags).map((each) => each.row)).toEqual([row]);
      expect(driver.isEnabled).toBe(false);
      expect(await link.request({ kind: 'enable' })).toMatchObject({ ok: false });
      expect(await link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
      await link.advance(2);
      expect(link.latest.faultFlags).toBe(0);
      expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
      await link.advance(1);
      expect(link.latest.state).toBe('ready');
      expect(link.latest.violations).toBe(0);
    },
  );

  it.each(['lost', 'late'] as const)(
    'does not wait for a standing arm that it cannot see: %s for good ends with the brake path',
    async (fault) => {
      const { link, driver, push } = await activeRig();
      push(1);
      await link.advance(5);
      expect(Math.max(...link.latest.robot.velocityRadPerS.map(Math.abs))).toBeGreaterThan(0.01);
      driver.inject(fault, 1000);
      let ticks = 0;
      while (link.latest.state !== 'fault' && ticks++ < 200) await link.advance(1);
      // Three counted ticks, braking, and one more; waiting for the last reading would take a second.
      expect(ticks).toBeLessThan(60);
      expect(driver.isEnabled).toBe(false);
      expect(link.latest.violations).toBe(0);
    },
  );

  it('refuses to acknowledge while the arm may move or brakes: faults stay, wrong samples are still seen', async () => {
    const { link, driver, push } = await activeRig();
    push(1);
    await link.advance(3);
    expect(await link.request({ kind: 'acknowledge' })).toMatchObject({ ok: false });
    expect(link.latest.state).toBe('active.policy');
    driver.inject('jump', 2);
    await link.advance(1);
    await link.request({ kind: 'acknowledge' });
    await link.advance(2);
    expect(['stopping', 'fault']).toContain(link.latest.state);
    // A request refused during braking must not turn a fault that cuts the torque into a stop that keeps it.
    await link.request({ kind: 'acknowledge' });
    await link.advance(130);
    expect(link.latest.state).toBe('fault');
    expect(driver.isEnabled).toBe(false);
  });

  it('holds one wrong sample and goes on', async () => {
    const { link, driver, push } = await activeRig();
    push(0.5);
    await link.advance(3);
    driver.inject('jump', 1);
    await link.advance(1);
    expect(link.latest.robot.positionRad[0]).toBeLessThan(1);
    await link.advance(2);
    expect(link.latest.state).toBe('active.policy');
  });

  it('does not start from outside the limits, and says why', async () => {
    const { link } = await rig({ startRad: ur5eLike.homeRad.map((value, i) => (i === 0 ? 3 : value)) });
    await link.advance(1);
    await link.request({ kind: 'enable' });
    await link.advance(1);
    const answer = await link.request({ kind: 'activate' });
    expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining('outside') });
  });

  it('may start once the scene was put back to a pose inside the limits', async () => {
    const { link } = await rig({ startRad: ur5eLike.homeRad.map((value, i) => (i === 0 ? 3 : value)) });
    await link.advance(3);
    expect(await link.request({ kind: 'activate' })).toMatchObject({ ok: false });
    const layout = { jointsRad: ur5eLike.homeRad, objects: {}, signals: {} };
    await link.request({ kind: 'resetScene', layout });
    await link.advance(1);
    expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
  });

  it('sends nothing before it has measured where the arm is', async () => {
    const startRad = ur5eLike.homeRad.map((value) => value + 0.03);
    const { link, driver } = await rig({ startRad });
    driver.inject('late', 2);
    await link.request({ kind: 'enable' });
    await link.advance(2);
    expect(Array.from(driver.referenceRad)).toEqual(startRad);
    await link.advance(5);
    expect(Array.from(driver.referenceRad)).toEqual(startRad);
    expect(link.latest.violations).toBe(0);
  });

  it('puts the scene back from any state but a fault, and holds the new pose', async () => {
    const { link, push } = await activeRig();
    push(1);
    await link.advance(5);
    const jointsRad = ur5eLike.homeRad.map((value) => value + 0.01);
    const layout = { jointsRad, objects: {}, signals: {} };
    expect(await link.request({ kind: 'resetScene', layout })).toEqual({ ok: true });
    await link.advance(5);
    expect(link.latest.state).toBe('ready');
    expect(Array.from(link.latest.referenceRad)).toEqual(jointsRad);
    expect(link.latest.violations).toBe(0);
    const refused = await link.request({ kind: 'resetScene', layout: { ...layout, jointsRad: [1] } });
    expect(refused.ok).toBe(false);
  });

  it('repeats exactly: the same commands give the same frames', async () => {
    const run = async (): Promise<number[]> => {
      const { link, push } = await activeRig({ faults: { seed: 5, ratio: { late: 0.05 } } });
      for (let i = 0; i < 20; i++) {
        push(Math.sin(i));
        await link.advance(10);
      }
      return [...link.latest.referenceRad, ...link.latest.robot.positionRad, link.latest.changedTicks];
    };
    expect(await run()).toEqual(await run());
  });
});

async function rig(options: MockDriverOptions = {}) {
  const clock = new LockStepClock(PERIOD_S);
  const driver = new MockDriver(ur5eLike, options);
  await driver.open();
  const joints = ur5eLike.joints.length;
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model: ur5eLike,
    action,
    policyPeriodS: 0.1,
    clock,
  });
  const command: ActionCommand = createActionCommand(joints);
  const push = (value: number, decider: Decider = 'policy'): void => {
    command.seq++;
    command.decider = decider;
    command.issuedAtS = clock.nowS();
    command.leaseS = LEASE_S;
    command.action.fill(value);
    link.send(command);
  };
  return { clock, driver, link, push };
}

async function activeRig(options: MockDriverOptions = {}) {
  const made = await rig(options);
  await made.link.advance(1);
  await made.link.request({ kind: 'enable' });
  await made.link.request({ kind: 'activate' });
  return made;
}

/** Speed of the fastest measured joint, rad/s; 0 below a thousandth of the rest threshold. */
function speed(frame: GuardFrame): number {
  const fastest = Math.max(...frame.robot.velocityRadPerS.map(Math.abs));
  return fastest < 1e-5 ? 0 : fastest;
}
