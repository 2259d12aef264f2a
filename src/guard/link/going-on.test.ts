import { beforeEach, describe, expect, it } from 'vitest';
import { jointSpec } from '../../../tests/support/adversary.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { MockDriver } from '../../drivers/index.ts';
import { LockStepClock } from '../../model/index.ts';
import type { GuardFrame } from '../../rows/index.ts';
import { TORQUE_FAULTS } from '../../safety/index.ts';
import { lockStepGuard } from '../lock-step-guard.ts';
import { createActionCommand } from './frames.ts';
import { EndOfMotion, faultText, holdAgain, isLatched, leaseLeftS, whyHeld } from './going-on.ts';
import type { MemoryGuardLink } from './memory-link.ts';

const action = jointSpec(ur5eLike, 0.02);
let driver: MockDriver;
let link: MemoryGuardLink;
let clock: LockStepClock;

beforeEach(async () => {
  driver = new MockDriver(ur5eLike);
  clock = new LockStepClock(1 / ur5eLike.controlHz);
  await driver.open();
  link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model: ur5eLike,
    action,
    policyPeriodS: 0.1,
    clock,
  });
  await link.advance(2);
});

describe('a robot that holds', () => {
  it('was stopped, and is acknowledged and gets torque in one sequence', async () => {
    expect(isLatched(link.latest)).toBe(false);
    expect(await holdAgain(link)).toEqual({ ok: true });
    expect(link.latest.state).toBe('ready');
    await link.request({ kind: 'stop' });
    await link.advance(200);
    expect(isLatched(link.latest)).toBe(true);
    expect(await holdAgain(link)).toEqual({ ok: true });
    expect(link.latest.state).toBe('ready');
  });

  it('is not put to hold past a refusal, and its fault is named', async () => {
    await holdAgain(link);
    await link.request({ kind: 'stop' });
    await link.advance(200);
    driver.inject('emergencyStop', 1000);
    await link.advance(20);
    expect(await holdAgain(link)).toMatchObject({ ok: false });
    expect(await link.request({ kind: 'activate' })).not.toHaveProperty('needs');
    expect(faultText(link.latest, ur5eLike.joints)).toMatch(/\(fault \d+\)\.$/);
  });

  it('refuses by its state alone in words for people, and in a field for programs', async () => {
    expect(await link.request({ kind: 'activate' })).toMatchObject({ ok: false, needs: 'state' });
    expect(await link.request({ kind: 'acknowledge' })).toMatchObject({ ok: false, needs: 'state' });
  });

  it('says the lease where a script that drove it has run out', async () => {
    await holdAgain(link);
    const command = createActionCommand(6);
    Object.assign(command, { seq: 1, decider: 'human', issuedAtS: clock.nowS(), leaseS: 0.2 });
    link.send(command);
    await link.request({ kind: 'activate' });
    await link.advance(2);
    expect(link.latest.state).toBe('active.human');
    await link.advance(100);
    const held = { joints: ur5eLike.joints, leaseLeftS: leaseLeftS(command, clock.nowS()) };
    expect(whyHeld(link.latest, held)).toMatch(
      /^the guard is in state "ready": the newest command is older than its lease.*\(fault 2\)$/,
    );
  });

  it('says the fault that stops it', async () => {
    await holdAgain(link);
    driver.inject('emergencyStop', 1000);
    await link.advance(20);
    expect(whyHeld(link.latest, { joints: [], leaseLeftS: -1 })).toMatch(
      /^the guard is in state "\w+": .*\(fault (?!2\))\d+\)$/,
    );
  });

  it('says that somebody held it where the lease had not run out', async () => {
    await holdAgain(link);
    const command = createActionCommand(6);
    Object.assign(command, { seq: 1, decider: 'human', issuedAtS: clock.nowS(), leaseS: 0.2 });
    link.send(command);
    await link.request({ kind: 'activate' });
    await link.advance(2);
    await link.request({ kind: 'hold' });
    await link.advance(2);
    const held = { joints: ur5eLike.joints, leaseLeftS: leaseLeftS(command, clock.nowS()) };
    expect(whyHeld(link.latest, held)).toBe('the guard is in state "ready": the robot was held on request');
  });

  it.each([
    ['its lease ran out, although the next command was on its way', false],
    ['somebody held it', true],
  ])('knows whether %s', async (_, isHeld) => {
    await holdAgain(link);
    const motion = new EndOfMotion();
    link.onFrame((frame) => motion.tick(frame));
    const command = createActionCommand(6);
    Object.assign(command, { seq: 1, decider: 'human', issuedAtS: clock.nowS(), leaseS: 0.2 });
    link.send(command);
    await link.request({ kind: 'activate' });
    await link.advance(2);
    expect([link.latest.state, motion.isLeaseOver]).toEqual(['active.human', false]);
    if (isHeld) await link.request({ kind: 'hold' });
    await link.advance(100);
    Object.assign(command, { seq: 2, issuedAtS: clock.nowS() - 0.05 });
    link.send(command);
    await link.advance(5);
    expect(link.latest.state).toBe('ready');
    expect(link.latest.leaseLeftS).toBeGreaterThan(0);
    expect(motion.isLeaseOver).toBe(!isHeld);
  });

  it('names the joint whose torque is off, and by how much', () => {
    const frame = { ...link.latest, state: 'stopped', faultFlags: TORQUE_FAULTS, residualJoint: 1, residualNm: 12.34 };
    const why = whyHeld(frame as GuardFrame, { joints: ur5eLike.joints, leaseLeftS: 0.1 });
    expect(why).toContain(`(${ur5eLike.joints[1]!.name}: 12.3 N·m)`);
  });
});
