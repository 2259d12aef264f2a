/** Rows of the fault table that hardware reports of itself, on lock-step time: what is done, how soon, and when it is over. */
import { describe, expect, it } from 'vitest';
import { dynamixelFamily, feetechFamily } from '../../src/drivers/serial.ts';
import { BUS, createRobotState, type GuardNotice, HARDWARE, type HardwareFault } from '../../src/rows/index.ts';
import { servoRig } from '../support/emulated-servos.ts';
import { FaultRig } from '../support/fault-rig.ts';
import { faultRow } from '../support/fault-row.ts';
import { ur5eLike } from '../support/robot-models.ts';

const T = 1 / ur5eLike.controlHz;
const LONG_TICKS = 1e6;
const roomy = {
  ...ur5eLike,
  workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] },
  leashM: 5,
  leashRad: 5,
} as const;

async function moving(): Promise<FaultRig> {
  const rig = await FaultRig.active({ model: roomy });
  rig.push(1);
  await rig.link.advance(5);
  expect(rig.link.latest.decider).toBe('policy');
  return rig;
}

/** Drives on until `condition`, with new commands; gives the ticks, −1 for never. */
async function drivesUntil(rig: FaultRig, condition: () => boolean, most: number): Promise<number> {
  for (let ticks = 1; ticks <= most; ticks++) {
    if (ticks % 10 === 1) rig.push(Math.floor(ticks / 100) % 2 === 0 ? 1 : -1);
    await rig.link.advance(1);
    if (condition()) return ticks;
  }
  return -1;
}

/** `fault` for good is category 1 within a tick, and no acknowledgement is granted before it is over. */
async function expectCutUntilOver(fault: HardwareFault, row: number): Promise<void> {
  const rig = await moving();
  const notices: GuardNotice[] = [];
  rig.link.onNotice((notice) => notices.push(notice));
  rig.driver.inject(fault, LONG_TICKS);
  expect(await rig.ticksUntil(() => rig.rows.includes(row))).toBe(1);
  expect(await rig.ticksUntil(() => rig.link.latest.state === 'fault')).toBeGreaterThan(0);
  expect(rig.driver.isEnabled).toBe(false);
  expect(notices).toEqual([expect.objectContaining({ row, message: expect.stringContaining(fault) })]);
  const refused = await rig.link.request({ kind: 'acknowledge' });
  // What the driver says of it names the joint.
  expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining(`mock robot reports ${fault}`) });
  rig.driver.inject(fault, 0);
  await rig.link.advance(1);
  expect(rig.rows).toContain(row);
  expect(await rig.link.request({ kind: 'enable' })).toMatchObject({ ok: false });
  expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  await rig.link.advance(1);
  expect(await rig.link.request({ kind: 'enable' })).toEqual({ ok: true });
  await rig.link.advance(1);
  expect(rig.rows).toEqual([]);
}

/** `fault` is category 1; what it is about is written anew when torque comes on, and it is one again where that did not help. */
async function expectCutUntilEnabled(fault: HardwareFault, row: number): Promise<void> {
  const rig = await moving();
  rig.driver.inject(fault, LONG_TICKS);
  expect(await rig.ticksUntil(() => rig.rows.includes(row))).toBe(1);
  expect(await rig.ticksUntil(() => rig.link.latest.state === 'fault')).toBeGreaterThan(0);
  expect(await rig.link.request({ kind: 'enable' })).toMatchObject({ ok: false });
  expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  await rig.link.advance(1);
  expect(rig.rows).toEqual([]);
  expect(await rig.link.request({ kind: 'enable' })).toEqual({ ok: true });
  expect(await rig.ticksUntil(() => rig.rows.includes(row))).toBe(1);
  expect(await rig.ticksUntil(() => rig.link.latest.state === 'fault')).toBeGreaterThan(0);
  expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  rig.driver.inject(fault, 0);
  await rig.link.advance(1);
  expect(await rig.link.request({ kind: 'enable' })).toEqual({ ok: true });
  await rig.link.advance(3);
  expect(rig.link.latest.state).toBe('ready');
}

describe('servos', () => {
  faultRow(
    13,
    'fake',
    'a servo that reports a fault cuts the torque until it is well and somebody has seen it',
    async (promised) => {
      expect(T).toBeLessThanOrEqual(promised('shownS'));
      await expectCutUntilOver('servoFault', 13);
    },
  );

  it('that have latched a fault are asked to clear it when somebody acknowledges, and not before', async () => {
    const rig = await moving();
    let asked = 0;
    rig.driver.service = (request) => {
      if (request !== 'recover') return 'nothing';
      asked++;
      rig.driver.inject('servoFault', 0);
      return 'done';
    };
    rig.driver.inject('servoFault', LONG_TICKS);
    await rig.ticksUntil(() => rig.link.latest.state === 'fault');
    expect(await rig.link.request({ kind: 'enable' })).toMatchObject({ ok: false });
    expect(asked).toBe(0);
    expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
    expect(asked).toBe(1);
  });

  faultRow(13, 'fake', 'a servo that has started anew cuts the torque, and is set up again with it', async () => {
    await expectCutUntilEnabled('servoReset', 13);
  });

  faultRow(37, 'fake', 'a stalled joint and a cap that is not what was written cut the torque', async (promised) => {
    expect(promised('shownWithinTicks')).toBe(1);
    await expectCutUntilEnabled('stalled', 37);
    await expectCutUntilEnabled('torqueCap', 37);
  });

  it('say so to a robot without torque too, which gets none', async () => {
    const rig = await FaultRig.open();
    await rig.link.advance(1);
    rig.driver.inject('servoFault', LONG_TICKS);
    await rig.link.advance(1);
    expect(rig.link.latest.state).toBe('fault');
    expect(await rig.link.request({ kind: 'enable' })).toMatchObject({ ok: false });
  });
});

describe('a vehicle', () => {
  faultRow(45, 'fake', 'is told that its battery is low, then slower, then stopped', async (promised) => {
    const hysteresisTicks = Math.round(promised('hysteresisS') / T);
    const rig = await moving();
    rig.driver.inject('batteryLow', LONG_TICKS);
    const shownTicks = await drivesUntil(rig, () => rig.rows.includes(45), 2 * hysteresisTicks);
    expect(Math.abs(shownTicks - 1 - hysteresisTicks)).toBeLessThanOrEqual(1);
    expect(rig.link.latest.state).toBe('active.policy');
    rig.driver.inject('batteryLower', LONG_TICKS);
    await drivesUntil(rig, () => false, hysteresisTicks + 20);
    const shares: number[] = [];
    for (let k = 0; k < 100; k++) {
      if (k % 10 === 0) rig.push(k < 50 ? 1 : -1);
      shares.push(await rig.speedShare());
    }
    expect(Math.max(...shares)).toBeLessThanOrEqual(promised('speedRatio') + 1e-9);
    expect(rig.link.latest.state).toBe('active.policy');
    rig.driver.inject('batteryEmpty', LONG_TICKS);
    expect(await drivesUntil(rig, () => rig.link.latest.state === 'fault', 3 * hysteresisTicks)).toBeGreaterThan(
      hysteresisTicks,
    );
    for (const fault of ['batteryLow', 'batteryLower', 'batteryEmpty'] as const) rig.driver.inject(fault, 0);
    await rig.link.advance(hysteresisTicks + 3);
    expect(rig.rows).toEqual([45]);
    expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  });

  faultRow(46, 'fake', 'whose speed controller is silent is neutral in the tick that hears of it', async (promised) => {
    const rig = await moving();
    rig.driver.inject('signalLost', LONG_TICKS);
    await rig.link.advance(promised('withinTicks'));
    expect(T * promised('withinTicks')).toBeLessThanOrEqual(promised('neutralS'));
    expect(rig.driver.isEnabled).toBe(false);
    expect(rig.link.latest.state).toBe('fault');
    await expectCutUntilOver('signalLost', 46);
  });

  faultRow(47, 'fake', 'is slower where something is near, and stops where it is inside', async (promised) => {
    const rig = await moving();
    rig.driver.inject('obstacleNear', LONG_TICKS);
    await drivesUntil(rig, () => false, 20);
    for (let k = 0; k < 60; k++) {
      if (k % 10 === 0) rig.push(k < 30 ? 1 : -1);
      expect(await rig.speedShare()).toBeLessThanOrEqual(promised('speedRatio') + 1e-9);
    }
    rig.driver.inject('obstacleInside', 3);
    await rig.link.advance(promised('stopWithinTicks'));
    expect(rig.link.latest.state).toBe('stopping');
    expect(await rig.ticksUntil(() => rig.link.latest.state === 'stopped')).toBeGreaterThan(0);
    rig.driver.inject('obstacleNear', 0);
    await rig.link.advance(1);
    expect(rig.rows).toEqual([47]);
    expect(rig.driver.isEnabled).toBe(true);
    expect(await rig.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
    expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  });
});

describe('a bus', () => {
  /** How long it takes until a servo is told of that has lost its torque, s: wherever in the round of two blocks of six servos it was. */
  async function shownAfterS(robot: string, family: typeof feetechFamily): Promise<readonly number[]> {
    const rounds: number[] = [];
    for (let after = 0; after < 12; after++) {
      const rig = servoRig({ robot, family });
      try {
        await rig.driver.open();
        const state = createRobotState(rig.robot.joints.length, 0);
        const tick = (): boolean => {
          rig.endOfTick();
          rig.driver.read(state);
          rig.driver.write(state.positionRad);
          return (rig.driver.report.hardwareFaults & HARDWARE.servoReset) !== 0;
        };
        rig.driver.read(state);
        rig.driver.torque(1);
        for (let i = 0; i < 30 + after; i++) expect(tick()).toBe(false);
        expect(rig.bus.setRegister?.(3, 'torqueEnable', 0)).toBe(true);
        let ticks = 1;
        while (!tick() && ticks < 50) ticks++;
        rounds.push(ticks / rig.robot.controlHz);
      } finally {
        await rig.driver.close();
        rig.remove();
      }
    }
    return rounds;
  }

  faultRow(13, 'fake', 'shows one servo that has started anew within a round of its reading', async (promised) => {
    // No reply tells of it, as it does of overload: it has to be read, in turn.
    const rounds = await shownAfterS('koch', dynamixelFamily);
    expect(Math.max(...rounds)).toBeLessThanOrEqual(promised('readInTurnS'));
    expect(Math.max(...rounds)).toBeGreaterThan(promised('shownS'));
    // Where a goal would turn torque on again it is read in every tick.
    const soon = await shownAfterS('so101', feetechFamily);
    expect(Math.max(...soon)).toBeLessThanOrEqual(promised('shownS'));
  });

  faultRow(12, 'fake', 'drops replies of others and late ones, and counts them', async (promised) => {
    const rig = servoRig({ robot: 'so101', family: feetechFamily });
    try {
      await rig.driver.open();
      const state = createRobotState(rig.robot.joints.length, 0);
      const truth = [...rig.robot.homeRad];
      const foreign = (): number => rig.driver.report.busCounters[BUS.foreignReplies]!;
      let accepted = 0;
      for (let tick = 0; tick < 200; tick++) {
        // An id that no servo of the arm has.
        rig.faults.plan(tick % 2 === 0 ? { kind: 'wrongId', id: 77 } : { kind: 'duplicate' });
        rig.endOfTick();
        rig.driver.read(state);
        if (state.positionRad.some((q, i) => Math.abs(q - truth[i]!) > 0.005)) accepted++;
      }
      expect(accepted).toBe(promised('acceptedForeign'));
      expect(foreign()).toBeGreaterThan(50);
    } finally {
      await rig.driver.close();
      rig.remove();
    }
  });

  it('tells in each frame of the guard what it has counted, and nothing where there is none', async () => {
    const counting = await FaultRig.open({ mock: { countsBus: true } });
    counting.driver.inject('foreignReply', 2);
    await counting.link.advance(5);
    expect(counting.link.latest.busCounters[BUS.requests]).toBe(5);
    expect(counting.link.latest.busCounters[BUS.foreignReplies]).toBe(2);
    const silent = await FaultRig.open();
    await silent.link.advance(5);
    expect([...silent.link.latest.busCounters].every(Number.isNaN)).toBe(true);
  });
});
