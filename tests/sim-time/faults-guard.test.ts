/** Rows of the fault table that the guard sees, on lock-step time: what is done, how soon, and that it stays. */
import { describe, expect, it, vi } from 'vitest';
import { OVERLOADED, OVERRUN } from '../../src/safety/fault-table/flags.ts';
import { EMERGENCY_STOP, faultsOf, START_FAR } from '../../src/safety/index.ts';
import { FaultRig } from '../support/fault-rig.ts';
import { faultRow } from '../support/fault-row.ts';
import { ur5eLike } from '../support/robot-models.ts';

const T = 1 / ur5eLike.controlHz;
/** Free of walls and leashes, so that full speed is reached. */
const roomy = {
  ...ur5eLike,
  workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] },
  leashM: 5,
  leashRad: 5,
} as const;

/** Stopped for good: no wish but acknowledge, then enable, then activate leads to motion. */
async function expectLatched(rig: FaultRig, row: number, state: 'fault' | 'stopped'): Promise<void> {
  expect(await rig.ticksUntil(() => rig.link.latest.state === state)).toBeGreaterThan(0);
  expect(rig.rows).toContain(row);
  expect(await rig.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
  expect(rig.driver.isEnabled).toBe(state === 'stopped');
  expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
  await rig.link.advance(2);
  if (state === 'fault') {
    expect(await rig.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
    expect(await rig.link.request({ kind: 'enable' })).toEqual({ ok: true });
    await rig.link.advance(2);
  }
  expect(rig.rows).toEqual([]);
  expect(await rig.link.request({ kind: 'activate' })).toEqual({ ok: true });
}

async function movingRig(): Promise<FaultRig> {
  const rig = await FaultRig.active();
  rig.push(1);
  await rig.link.advance(5);
  expect(rig.link.latest.decider).toBe('policy');
  return rig;
}

describe('a policy that goes wrong', () => {
  faultRow(1, 'fake', 'NaN brakes in its own tick; the third in a second stops for good', async (promised) => {
    const rig = await movingRig();
    const before = await rig.speedShare();
    rig.push(Number.NaN);
    const after = await rig.speedShare();
    expect(rig.link.latest.decider).toBe('hold');
    expect(after).toBeLessThan(before);
    for (let k = 1; k < promised('latchesAfter'); k++) {
      expect(rig.rows).not.toContain(1);
      rig.push(Number.POSITIVE_INFINITY);
      await rig.link.advance(2);
    }
    expect(rig.rows).toContain(1);
    expect(rig.driver.referenceRad.every(Number.isFinite)).toBe(true);
    await expectLatched(rig, 1, 'stopped');
  });

  faultRow(
    2,
    'fake',
    'a command is followed for its lease and no tick longer, and never longer than half a second',
    async (promised) => {
      for (const [leaseS, expectedS] of [
        [promised('leasePeriods') * 0.1, 0.2],
        [30, promised('leaseMaxS')],
      ] as const) {
        const rig = await FaultRig.active();
        rig.push(1, { leaseS });
        const ticks = await rig.ticksUntil(() => rig.link.latest.decider === 'hold' && rig.link.latest.tick > 3);
        expect(ticks * T).toBeGreaterThan(expectedS - 1e-9);
        expect(ticks * T).toBeLessThan(expectedS + 1.5 * T);
        expect(rig.rows).toEqual([]);
      }
    },
  );

  faultRow(3, 'fake', 'a second without a command stops for good', async (promised) => {
    const rig = await movingRig();
    const ticks = await rig.ticksUntil(() => rig.link.latest.state === 'stopping');
    // What is left of the lease, then the second.
    expect(ticks * T).toBeGreaterThan(promised('lostAfterS'));
    expect(ticks * T).toBeLessThan(0.2 + promised('lostAfterS') + 2 * T);
    await expectLatched(rig, 3, 'stopped');
  });

  faultRow(8, 'fake', 'new weights halve the acceleration for a second', async (promised) => {
    const rig = await FaultRig.active({ model: roomy, scale: 0.5 });
    const gain = async (value: number, version: number): Promise<number> => {
      rig.push(value, { version });
      await rig.link.advance(1);
      const before = Float64Array.from(rig.link.latest.referenceRad);
      await rig.link.advance(1);
      const middle = Float64Array.from(rig.link.latest.referenceRad);
      await rig.link.advance(1);
      const after = rig.link.latest.referenceRad;
      const gains = rig.model.joints.map((joint, i) => {
        const change = (after[i]! - 2 * middle[i]! + before[i]!) / (T * T);
        return Math.abs(change) / joint.accelMaxRadPerS2;
      });
      return Math.max(...gains);
    };
    const rest = async (version: number): Promise<void> => {
      await rig.link.request({ kind: 'hold' });
      await rig.link.advance(60);
      await rig.link.request({ kind: 'activate' });
      rig.push(0, { version });
      await rig.link.advance(2);
    };
    // A next step of the same learning, whose action is near the one before: no hand-over.
    await rest(1);
    expect(await gain(promised('jumpMin'), 2)).toBeCloseTo(1, 6);
    // Weights that ask for something else, and weights that go back.
    await rest(2);
    expect(await gain(-1, 3)).toBeCloseTo(promised('accelRatio'), 6);
    await rest(3);
    await rig.link.advance(Math.ceil(promised('tightForS') / T));
    await rest(3);
    expect(await gain(promised('jumpMin'), 2)).toBeCloseTo(promised('accelRatio'), 6);
    for (let ticks = 0; ticks < promised('tightForS') / T; ticks += 10) {
      rig.push(0, { version: 2 });
      await rig.link.advance(10);
    }
    expect(await gain(1, 2)).toBeCloseTo(1, 6);
    expect(rig.link.latest.violations).toBe(0);
  });
});

describe('a robot that goes wrong', () => {
  faultRow(10, 'fake', 'three missed answers, or references that it refuses, cut the torque', async (promised) => {
    for (const fault of ['lost', 'late', 'rejected'] as const) {
      const rig = await movingRig();
      rig.driver.inject(fault, promised('missedAnswers') - 1);
      await rig.link.advance(10);
      expect(rig.rows).toEqual([]);
      rig.push(1);
      await rig.link.advance(1);
      rig.driver.inject(fault, promised('missedAnswers'));
      const ticks = await rig.ticksUntil(() => rig.rows.includes(10));
      // A reference that is refused is seen in the tick after it.
      expect(ticks).toBeLessThanOrEqual(promised('missedAnswers') + (fault === 'rejected' ? 1 : 0));
      await expectLatched(rig, 10, 'fault');
    }
  });

  faultRow(10, 'fake', 'a robot that is lost in motion brakes blind, and torque goes off at rest', async (promised) => {
    const rig = await FaultRig.active({ model: roomy, scale: 0.1 });
    for (let k = 0; k < 10; k++) {
      rig.push(1);
      await rig.link.advance(3);
    }
    const speedBefore = await rig.speedShare();
    expect(speedBefore).toBeGreaterThan(0.2);
    rig.driver.inject('lost', 1000);
    await rig.link.advance(promised('missedAnswers') - 1);
    const speeds: number[] = [];
    while (rig.driver.isEnabled && speeds.length < 400) speeds.push(await rig.speedShare());
    // As along any verified brake path: slower in every tick, to zero, with torque all the way.
    expect(speeds.length).toBeGreaterThan(5);
    for (const [i, speed] of speeds.entries()) expect(speed).toBeLessThan((speeds[i - 1] ?? speedBefore + 1) + 1e-12);
    expect(speeds.at(-1)).toBe(0);
    // Servos that lag behind follow a reference that stands: torque stays for three times what they lag, and no longer.
    const lagS = Math.max(...roomy.joints.map((joint) => joint.dampingNmSPerRad / joint.stiffnessNmPerRad));
    const heldTicks = speeds.length - speeds.indexOf(0);
    expect(heldTicks).toBeGreaterThanOrEqual(Math.floor((3 * lagS) / T));
    expect(heldTicks).toBeLessThanOrEqual(Math.ceil((3 * lagS) / T) + 2);
    expect(rig.link.latest.state).toBe('fault');
    expect(Array.from(rig.driver.referenceRad)).toEqual(Array.from(rig.link.latest.referenceRad));
    expect(rig.link.latest.violations).toBe(0);
  });

  faultRow(
    10,
    'fake',
    'an arm that falls without torque is held at the end of the brake, and let down slowly',
    async () => {
      const exitRampS = 2;
      const model = { ...roomy, holdsWithoutTorque: false, exitRampS };
      for (const fault of ['lost', 'jump', 'emergencyStop', 'disable'] as const) {
        const rig = await FaultRig.active({ model, scale: 0.1 });
        for (let k = 0; k < 10; k++) {
          rig.push(1);
          await rig.link.advance(3);
        }
        if (fault === 'disable') await rig.link.request({ kind: 'disable' });
        else rig.driver.inject(fault, 1000);
        let isReported = false;
        let restTicks = 0;
        const ratios: number[] = [];
        for (let k = 0; k < 2000 && rig.driver.isEnabled; k++) {
          const isAtRest = (await rig.speedShare()) === 0;
          if (isAtRest && rig.driver.isEnabled) restTicks++;
          isReported ||= faultsOf(rig.link.latest.faultFlags).some(({ flag }) => flag === 'lettingDown');
          ratios.push(rig.driver.torqueRatio);
          expect(rig.link.latest.violations).toBe(0);
        }
        expect(rig.driver.isEnabled).toBe(false);
        expect(rig.link.latest.state).toBe(fault === 'disable' ? 'standby' : 'fault');
        // Held for all of the ramp, at rest, and weaker from tick to tick.
        expect(restTicks / model.controlHz).toBeGreaterThanOrEqual(exitRampS - 2 / model.controlHz);
        expect(restTicks / model.controlHz).toBeLessThan(exitRampS + 1.5);
        expect(isReported).toBe(true);
        expect(ratios[0]).toBe(1);
        for (const [i, ratio] of ratios.entries()) expect(ratio).toBeLessThanOrEqual(ratios[i - 1] ?? 1);
        expect(ratios.at(-1)).toBeLessThan(0.05);
      }
    },
  );

  it('an arm that falls without torque keeps it at category 2, and comes up with all of it', async () => {
    const rig = await FaultRig.active({ model: { ...roomy, holdsWithoutTorque: false, exitRampS: 1 } });
    await rig.link.request({ kind: 'stop' });
    await rig.link.advance(500);
    expect(rig.link.latest.state).toBe('stopped');
    expect([rig.driver.isEnabled, rig.driver.torqueRatio]).toEqual([true, 1]);
    await rig.link.request({ kind: 'disable' });
    await rig.ticksUntil(() => !rig.driver.isEnabled, 2000);
    expect(rig.link.latest.state).toBe('standby');
    expect((await rig.link.request({ kind: 'enable' })).ok).toBe(true);
    expect([rig.driver.isEnabled, rig.driver.torqueRatio]).toEqual([true, 1]);
  });

  faultRow(14, 'fake', 'a reading that does not change cuts the torque after 100 ms', async (promised) => {
    const rig = await movingRig();
    rig.push(1);
    await rig.link.advance(1);
    rig.driver.inject('frozen', 100);
    const ticks = await rig.ticksUntil(() => rig.rows.includes(14));
    expect(ticks * T).toBeGreaterThanOrEqual(promised('afterS') - 1e-9);
    expect(ticks * T).toBeLessThanOrEqual(promised('afterS') + 2 * T);
    rig.driver.inject('frozen', 0);
    await expectLatched(rig, 14, 'fault');
  });

  faultRow(15, 'fake', 'one jump is held, the second cuts the torque, as does a NaN', async (promised) => {
    const rig = await movingRig();
    rig.driver.inject('jump', promised('readings') - 1);
    await rig.link.advance(1);
    expect(rig.link.latest.robot.positionRad[0]).toBeLessThan(1);
    await rig.link.advance(2);
    expect(rig.rows).toEqual([]);
    rig.push(1);
    rig.driver.inject('jump', promised('readings'));
    expect(await rig.ticksUntil(() => rig.rows.includes(15))).toBe(promised('readings'));
    await expectLatched(rig, 15, 'fault');
    const other = await movingRig();
    other.driver.inject('nan', 1);
    expect(await other.ticksUntil(() => other.rows.includes(15))).toBe(1);
    await expectLatched(other, 15, 'fault');
  });

  faultRow(
    16,
    'fake',
    'only a person brings it back, inwards and at 0.1 rad/s at most, and then it is well',
    async (promised) => {
      const outside = ur5eLike.joints[5]!.positionMaxRad + 0.06;
      const rig = await FaultRig.open({ startRad: ur5eLike.homeRad.map((q, i) => (i === 5 ? outside : q)) });
      await rig.link.advance(2);
      expect(rig.rows).toEqual([16]);
      await rig.link.request({ kind: 'enable' });
      await rig.link.advance(1);
      rig.push(-1);
      expect(await rig.link.request({ kind: 'activate' })).toMatchObject({
        ok: false,
        reason: expect.stringContaining('outside'),
      });
      rig.push(1, { decider: 'human' });
      expect(await rig.link.request({ kind: 'activate' })).toEqual({ ok: true });
      let last = outside;
      let fastest = 0;
      for (let tick = 0; tick < 120; tick++) {
        // Outwards at first: nothing that is asked for leads there.
        if (tick % 10 === 0) rig.push(tick < 20 ? 1 : -1, { decider: 'human' });
        await rig.link.advance(1);
        const q = rig.link.latest.referenceRad[5]!;
        fastest = Math.max(fastest, Math.abs(q - last) / T);
        expect(q).toBeLessThanOrEqual(last);
        last = q;
      }
      expect(last).toBeLessThan(ur5eLike.joints[5]!.positionMaxRad);
      expect(fastest).toBeGreaterThan(0.09);
      expect(fastest).toBeLessThanOrEqual(promised('recoveryRadPerS') + 1e-9);
      expect(rig.rows).toEqual([16]);
      await rig.link.advance(30);
      expect(rig.link.latest.state).toBe('ready');
      for (const kind of ['disable', 'acknowledge', 'enable', 'activate'] as const) {
        rig.push(0.1);
        expect(await rig.link.request({ kind }), kind).toEqual({ ok: true });
        await rig.link.advance(20);
      }
      expect(rig.link.latest.state).toBe('active.policy');
      expect(rig.rows).toEqual([]);
    },
  );

  faultRow(17, 'fake', 'a first target farther than 0.1 rad is refused and told', async (promised) => {
    const rig = await FaultRig.active({ model: roomy, scale: 2 * promised('nearRad') });
    const start = Array.from(rig.link.latest.referenceRad);
    let reported = 0;
    rig.link.onFrame(({ faultFlags }) => {
      reported |= faultFlags;
    });
    rig.push(0.51);
    await rig.link.advance(3);
    expect(reported).toBe(START_FAR);
    expect(Array.from(rig.link.latest.referenceRad)).toEqual(start);
    rig.push(0.49);
    await rig.link.advance(3);
    expect(rig.link.latest.faultFlags).toBe(0);
    expect(Array.from(rig.link.latest.referenceRad)).not.toEqual(start);
  });

  faultRow(23, 'fake', 'the emergency stop cuts the torque in the tick that reads it, and stays', async (promised) => {
    const rig = await movingRig();
    rig.driver.inject('emergencyStop', 3);
    expect(await rig.ticksUntil(() => rig.link.latest.state === 'fault')).toBe(promised('withinTicks'));
    expect(rig.driver.isEnabled).toBe(false);
    expect(await rig.link.request({ kind: 'acknowledge' })).toMatchObject({ ok: false });
    await rig.link.advance(3);
    expect(rig.link.latest.faultFlags & EMERGENCY_STOP).toBe(EMERGENCY_STOP);
    await expectLatched(rig, 23, 'fault');
  });

  faultRow(
    41,
    'fake',
    'too much force in two measurements running cuts the torque, in one it does not',
    async (promised) => {
      const model = { ...ur5eLike, contact: { forceMaxN: 150, torqueMaxNm: 10 } };
      const rig = await FaultRig.active({ model });
      rig.driver.inject('contact', promised('samples') - 1);
      await rig.link.advance(5);
      expect(rig.rows).toEqual([]);
      rig.driver.inject('contact', promised('samples'));
      expect(await rig.ticksUntil(() => rig.rows.includes(41))).toBe(promised('samples'));
      await expectLatched(rig, 41, 'fault');
    },
  );

  faultRow(
    43,
    'fake',
    'joints that are pushed away cut the torque 100 ms after the tool is 30 mm off',
    async (promised) => {
      const rig = await FaultRig.active();
      await rig.link.request({ kind: 'hold' });
      rig.driver.inject('pushed', 100);
      let offTicks = 0;
      const ticks = await rig.ticksUntil(() => {
        const { measuredTcp: a, referenceTcp: b } = rig.link.latest;
        if (Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!) > promised('errorM')) offTicks++;
        return rig.rows.includes(43);
      });
      expect(ticks).toBeGreaterThan(0);
      expect(offTicks * T).toBeCloseTo(promised('afterS'), 6);
      rig.driver.inject('pushed', 0);
      await expectLatched(rig, 43, 'fault');
    },
  );
});

describe('a machine that goes wrong', () => {
  faultRow(22, 'fake', 'a wall clock that jumps a day back and forth changes no lease', async (promised) => {
    let calls = 0;
    const jumping = vi
      .spyOn(Date, 'now')
      .mockImplementation(() => (calls++ % 2 === 0 ? 1 : -1) * 1e3 * promised('jumpS'));
    try {
      const rig = await FaultRig.active();
      rig.push(1);
      const ticks = await rig.ticksUntil(() => {
        Date.now();
        return rig.link.latest.decider === 'hold' && rig.link.latest.tick > 3;
      });
      expect(ticks * T).toBeCloseTo(0.21, 6);
    } finally {
      jumping.mockRestore();
    }
  });

  faultRow(
    24,
    'fake',
    'more than three periods without a tick stop it, from where it is measured',
    async (promised) => {
      const rig = await movingRig();
      for (let k = 1; k < promised('periods'); k++) rig.clock.step();
      await rig.link.advance(1);
      expect(rig.rows).toEqual([]);
      rig.push(1);
      await rig.link.advance(2);
      for (let k = 0; k < promised('periods'); k++) rig.clock.step();
      await rig.link.advance(1);
      expect(rig.rows).toEqual([24]);
      expect(rig.link.latest.state).toBe('stopping');
      expect(rig.link.latest.referenceRad[0]).toBeCloseTo(rig.link.latest.robot.positionRad[0]!, 12);
      await expectLatched(rig, 24, 'stopped');
    },
  );

  faultRow(48, 'fake', 'five late ticks in a second halve the speed, twenty stop it', async (promised) => {
    // Slow enough for the mock's servos to follow within 30 mm.
    const joints = roomy.joints.map((joint) => ({ ...joint, velocityMaxRadPerS: 0.5 }));
    const rig = await FaultRig.active({ model: { ...roomy, joints }, scale: 0.09 });
    rig.push(0.2);
    await rig.link.advance(10);
    const drive = async (): Promise<number> => {
      let fastest = 0;
      for (let k = 0; k < 40; k++) {
        if (k % 4 === 0) rig.push(1);
        fastest = Math.max(fastest, await rig.speedShare());
      }
      return fastest;
    };
    expect(await drive()).toBeGreaterThan(promised('speedRatio') + 0.1);
    rig.timing.overruns += promised('slowAfter');
    rig.push(1);
    await rig.link.advance(15);
    expect(rig.link.latest.faultFlags).toBe(OVERRUN);
    expect(await rig.speedShare()).toBeLessThanOrEqual(promised('speedRatio') + 1e-9);
    rig.timing.overruns += promised('stopAfter') - promised('slowAfter');
    await rig.link.advance(1);
    expect(rig.link.latest.faultFlags).toBe(OVERRUN | OVERLOADED);
    expect(await rig.ticksUntil(() => rig.link.latest.state === 'stopped')).toBeGreaterThan(0);
    expect(await rig.link.request({ kind: 'acknowledge' })).toMatchObject({ ok: true });
    expect(rig.link.latest.violations).toBe(0);
  });
});
