/** A car with an emulated VESC that drives under the guard, and what goes wrong then. */
import { afterEach, describe, expect, it } from 'vitest';
import { activate } from '../../src/guard/link/going-on.ts';
import { HARDWARE } from '../../src/rows/index.ts';
import type { CarRig, CarRigOptions } from '../support/emulated-car.ts';
import { faultRow } from '../support/fault-row.ts';
import { type GuardedCar, guardedCar } from '../support/guarded-car.ts';

const open: CarRig[] = [];
afterEach(async () => {
  for (const { driver } of open.splice(0)) await driver.close();
});

/** At 1 m/s. */
async function driving(options: CarRigOptions = {}): Promise<GuardedCar> {
  const car = await guardedCar(options);
  open.push(car);
  expect(await activate(car.link)).toEqual({ ok: true });
  await car.ahead(100);
  expect(car.link.latest.state).toBe('active.policy');
  expect(car.body.velocityRadPerS[0]).toBeGreaterThan(0.8);
  return car;
}

/** One acknowledgement, and it drives again. */
async function goesOn(car: GuardedCar): Promise<void> {
  expect(await car.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  await car.link.advance(2);
  expect(await car.link.request({ kind: 'enable' })).toEqual({ ok: true });
  // Its wheels are tried first.
  expect(await activate(car.link)).toEqual({ ok: true });
  await car.ahead(60);
  expect(car.link.latest.robot.velocityRadPerS[0]).toBeGreaterThan(0.2);
}

const ANEW = 'The VESC has restarted by itself: the position of the car is lost.';

/** Whatever people acknowledge: it would be driven by a place in the fence that is not its own. */
async function isDrivenNoMore(car: GuardedCar): Promise<void> {
  expect(await car.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  await car.link.advance(2);
  expect(await car.link.request({ kind: 'enable' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/position of the car in its fence is lost\. Put the car at its start position/),
  });
  expect(car.link.latest.state).toBe('standby');
}

/** Its speed has gone, by whoever stopped it. */
async function stands(car: GuardedCar): Promise<void> {
  await car.link.advance(150);
  expect(Math.abs(car.body.velocityRadPerS[0]!)).toBeLessThan(0.05);
  expect(car.bus.command.kind === 'erpm' && !car.bus.hasTimedOut).toBe(false);
}

describe('a car under the guard', () => {
  faultRow(
    10,
    'fake',
    'whose cable is pulled while it drives is stopped, by its firmware, and comes back plugged in',
    async (promised) => {
      const car = await driving();
      car.line.unplug();
      const ticks = await car.ticksUntil(() => car.rows().includes(10));
      expect(ticks).toBeGreaterThan(0);
      expect(ticks).toBeLessThanOrEqual(promised('missedAnswers'));
      await stands(car);
      expect(car.link.latest.state).toBe('fault');
      expect(await car.link.request({ kind: 'enable' })).toMatchObject({ ok: false });
      expect(await car.link.request({ kind: 'acknowledge' })).toMatchObject({ ok: false });
      await car.link.advance(1);
      car.line.plug();
      await goesOn(car);
      expect(car.notices.map(({ message }) => message)).toContain('The VESC answers again.');
    },
  );

  it('is acknowledged too where its cable was pulled without torque', async () => {
    const car = await driving();
    await car.link.request({ kind: 'stop' });
    await car.ticksUntil(() => car.link.latest.state === 'stopped');
    expect(await car.link.request({ kind: 'disable' })).toMatchObject({ ok: true });
    await car.ticksUntil(() => car.link.latest.state === 'standby');
    car.line.unplug();
    expect(await car.ticksUntil(() => car.link.latest.state === 'disconnected')).toBeGreaterThan(0);
    car.line.plug();
    await goesOn(car);
  });

  faultRow(
    10,
    'fake',
    'whose VESC falls silent while it drives is stopped within three ticks of it',
    async (promised) => {
      const car = await driving();
      car.bus.faults.isDead = true;
      const ticks = await car.ticksUntil(() => car.rows().includes(10));
      // The answer to the request before it is there already.
      expect(ticks).toBeLessThanOrEqual(promised('missedAnswers') + 1);
      await stands(car);
      expect(car.notices.map(({ message }) => message)).toContain('The VESC no longer answers.');
    },
  );

  faultRow(11, 'fake', 'whose line is full of garbage stops, and drives again once it is clean', async () => {
    const car = await driving({ seed: 5 });
    car.faults.replies.flip = 0.05;
    expect(await car.ticksUntil(() => car.link.latest.state === 'fault')).toBeGreaterThan(0);
    expect(car.rows()).toContain(10);
    await stands(car);
    car.faults.replies.flip = 0;
    await car.link.advance(5);
    expect(await car.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
    await car.link.advance(2);
    expect(await car.link.request({ kind: 'enable' })).toEqual({ ok: true });
    expect(await activate(car.link)).toEqual({ ok: true });
    await car.ahead(60);
    expect(car.link.latest.state).toBe('active.policy');
  });

  faultRow(
    13,
    'fake',
    'whose VESC reports a fault stops, and stays so until it is gone and somebody has seen it',
    async (promised) => {
      const car = await driving();
      car.bus.faults.errorBits = 5;
      const ticks = await car.ticksUntil(() => car.rows().includes(13));
      expect(ticks / car.robot.controlHz).toBeLessThanOrEqual(promised('shownS'));
      await stands(car);
      expect(car.notices.map(({ message }) => message)).toContain('The VESC reports fault 5 (OVER_TEMP_FET).');
      expect(car.link.latest.state).toBe('fault');
      // It is not over yet.
      await car.link.request({ kind: 'acknowledge' });
      await car.link.advance(2);
      expect(await car.link.request({ kind: 'enable' })).toMatchObject({ ok: false });
      car.bus.faults.errorBits = 0;
      await car.link.advance(2);
      await car.link.request({ kind: 'acknowledge' });
      await car.link.advance(2);
      expect(await car.link.request({ kind: 'enable' })).toEqual({ ok: true });
    },
  );

  faultRow(13, 'fake', 'whose supply dips stops: a VESC that has started anew is not driven on', async (promised) => {
    const car = await driving();
    car.bus.powerCycle();
    const ticks = await car.ticksUntil(() => car.rows().includes(13));
    expect(ticks / car.robot.controlHz).toBeLessThanOrEqual(promised('shownS'));
    await stands(car);
    expect(car.notices.map(({ message }) => message)).toContain(ANEW);
    expect(car.driver.report.needsFirstMotion).toBe(true);
    await isDrivenNoMore(car);
  });

  faultRow(
    13,
    'fake',
    'whose VESC starts anew 5 m out, in 1.2 s of silence, is not driven beyond its fence: it is driven no more',
    async () => {
      const car = await driving();
      await car.ahead(165);
      const atM = car.link.latest.robot.positionRad[0]!;
      expect(atM).toBeGreaterThan(4.5);
      car.bus.faults.isDead = true;
      await car.link.advance(60);
      car.bus.powerCycle();
      car.bus.faults.isDead = false;
      await car.link.advance(50);
      expect(car.driver.report.hardwareFaults & HARDWARE.servoReset).not.toBe(0);
      expect(car.driver.report.needsFirstMotion).toBe(true);
      expect(Math.abs(car.body.velocityRadPerS[0]!)).toBeLessThan(0.05);
      expect(car.notices.map(({ message }) => message)).toContain(ANEW);
      await isDrivenNoMore(car);
      // No nearer to its start than it is.
      expect(car.link.latest.robot.positionRad[0]).toBeGreaterThan(atM - 0.05);
    },
  );

  it('whose cable is pulled while it coasts knows how far it rolled, and goes on from there', async () => {
    const car = await driving({ options: (options) => ({ ...options, drive: { ...options.drive, stopBrakeA: 0 } }) });
    car.line.unplug();
    await car.link.advance(100);
    const seenM = car.link.latest.robot.positionRad[0]!;
    car.line.plug();
    await goesOn(car);
    expect(car.body.positionRad[0]! - seenM).toBeGreaterThan(0.5);
    expect(car.link.latest.robot.positionRad[0]).toBeCloseTo(car.body.positionRad[0]!, 1);
    expect(car.notices.map(({ message }) => message)).not.toContain(ANEW);
  });

  faultRow(45, 'fake', 'whose battery empties is told so, slowed, and stopped', async () => {
    const car = await driving();
    const speedAt = async (cellV: number): Promise<number> => {
      car.bus.car.supplyV = 3 * cellV;
      // The guard looks for 2 s whether it is more than a dip.
      await car.ahead(115);
      return car.body.velocityRadPerS[0]!;
    };
    expect(await speedAt(3.58)).toBeGreaterThan(0.8);
    expect(car.notices.map(({ row }) => row)).toContain(45);
    expect(car.link.latest.state).toBe('active.policy');
    await speedAt(3.2);
    expect(car.link.latest.state).not.toBe('active.policy');
    expect(car.rows()).toContain(45);
  });

  it('whose wheels are blocked is stopped: they stand although they are asked to turn', async () => {
    const car = await driving();
    const { body } = car;
    const step = body.step.bind(body);
    const atM = body.positionRad[0]!;
    body.step = () => {
      step();
      body.positionRad[0] = atM;
      body.velocityRadPerS[0] = 0;
    };
    let ticks = 0;
    for (; ticks < 100 && !car.rows().includes(14); ticks += 5) await car.ahead(5);
    expect(car.rows()).toContain(14);
    expect(ticks).toBeLessThanOrEqual(40);
  });
});
