import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { type ActionCommand, type ActionSpec, type Decider, type GuardFrame, LockStepClock } from '../../core/index.ts';
import { MockDriver, type MockDriverOptions } from '../../drivers/mock/index.ts';
import { createActionCommand, MemoryGuardLink } from '../guard-link/index.ts';
import { Guard } from './guard.ts';

const PERIOD_S = 1 / ur5eLike.controlHz;
const LEASE_S = 0.15;
const action: ActionSpec = {
  kind: 'joint',
  dimensions: ur5eLike.joints.map((joint) => ({ name: joint.name, scale: 0.02, unit: 'rad' as const })),
};

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

  it('forgets a command that was sent before it was activated', async () => {
    const { link, push } = await rig();
    await link.request({ kind: 'enable' });
    await link.advance(1);
    push(1);
    await link.request({ kind: 'activate' });
    await link.advance(5);
    expect(link.latest.commandSeq).toBe(-1);
  });

  it('begins to brake in the tick in which the lease ends, stands soon after, and holds', async () => {
    const { link, clock, push, speedsOf } = await activeRig();
    const issuedAtS = clock.nowS();
    push(1);
    const frames = await speedsOf(60);
    const firstBraking = frames.findIndex((frame) => frame.state === 'stopping');
    const brakeAtS = issuedAtS + (firstBraking + 1) * PERIOD_S;
    expect(brakeAtS).toBeGreaterThan(issuedAtS + LEASE_S - 1e-9);
    expect(brakeAtS).toBeLessThan(issuedAtS + LEASE_S + 1.5 * PERIOD_S);
    expect(link.latest.state).toBe('ready');
    const held = Array.from(link.latest.referenceRad);
    push(1);
    await link.advance(20);
    expect(Array.from(link.latest.referenceRad)).toEqual(held);
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
      await link.request({ kind: 'activate' });
      expect(driver.referenceRad.every(Number.isFinite)).toBe(true);
    }
    expect(link.latest.violations).toBe(0);
  });

  it('says who decides, and refuses nothing to a person that it allows a policy', async () => {
    const { link, push } = await activeRig();
    push(0.2, 'human');
    await link.advance(2);
    expect(link.latest.state).toBe('active.human');
    expect(link.latest.decider).toBe('human');
    push(0.2, 'policy');
    await link.advance(2);
    expect(link.latest.state).toBe('active.policy');
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
    expect(link.latest.state).toBe('stopping');
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
  });

  it.each([
    ['lost', 3],
    ['late', 3],
    ['nan', 2],
    ['jump', 2],
    ['rejected', 1],
  ] as const)(
    'takes %s for %d ticks as a fault: brakes, stands, and wants to be acknowledged',
    async (fault, ticks) => {
      const { link, driver, push } = await activeRig();
      push(1);
      await link.advance(3);
      driver.inject(fault, ticks);
      await link.advance(ticks + 1);
      expect(link.latest.state).toBe('stopping');
      await link.advance(100);
      expect(link.latest.state).toBe('fault');
      expect(speed(link.latest)).toBe(0);
      await link.request({ kind: 'acknowledge' });
      await link.advance(1);
      expect(link.latest.state).toBe('ready');
      expect(link.latest.violations).toBe(0);
    },
  );

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

  it('does not start from outside the limits', async () => {
    const { link } = await rig({ startRad: ur5eLike.homeRad.map((value, i) => (i === 0 ? 3 : value)) });
    await link.request({ kind: 'enable' });
    await link.advance(1);
    expect(await link.request({ kind: 'activate' })).toEqual({
      ok: false,
      reason: 'the tool is outside the workspace',
    });
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
  const link = new MemoryGuardLink({
    shape: { joints, signals: 0, actions: joints, controlHz: ur5eLike.controlHz },
    clock,
    createGuard: (port) => new Guard({ driver, model: ur5eLike, action, policyPeriodS: 0.1, clock, port }),
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
  const speedsOf = async (ticks: number): Promise<{ state: GuardFrame['state']; speed: number }[]> => {
    const seen: { state: GuardFrame['state']; speed: number }[] = [];
    for (let i = 0; i < ticks; i++) {
      await link.advance(1);
      seen.push({ state: link.latest.state, speed: speed(link.latest) });
    }
    return seen;
  };
  return { clock, driver, link, push, speedsOf };
}

async function activeRig(options: MockDriverOptions = {}) {
  const made = await rig(options);
  await made.link.request({ kind: 'enable' });
  await made.link.advance(1);
  await made.link.request({ kind: 'activate' });
  return made;
}

/** The fastest measured joint, rad/s; 0 below a thousandth of what counts as standing. */
function speed(frame: GuardFrame): number {
  const fastest = Math.max(...frame.robot.velocityRadPerS.map(Math.abs));
  return fastest < 1e-5 ? 0 : fastest;
}
