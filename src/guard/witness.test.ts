import { afterEach, describe, expect, it, vi } from 'vitest';
import { FaultRig } from '../../tests/support/fault-rig.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import type { RobotModel } from '../model/index.ts';
import { LIMIT_BROKEN } from '../safety/index.ts';
import { Recovery } from '../safety/recovery.ts';
import { EnergyTank } from '../safety/tank/energy-tank.ts';

const tank = {
  startJ: 4,
  minJ: 0.1,
  maxJ: 6,
  powerMaxW: 300,
  recovery: 0.9,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
} as const;
const filled: RobotModel = { ...ur5eLike, tank };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a driver that hands out a reading twice', () => {
  async function repeating(stamp?: number): Promise<FaultRig> {
    const rig = await FaultRig.active({ model: { ...ur5eLike, contact: { forceMaxN: 150, torqueMaxNm: 10 } } });
    const read = rig.driver.read.bind(rig.driver);
    let calls = 0;
    rig.driver.read = (out) => {
      const status = calls++ % 2 === 0 ? read(out) : 'ok';
      if (stamp !== undefined) out.measuredAtS = stamp;
      return status;
    };
    return rig;
  }

  it('is measured once, at the time of the first', async () => {
    const rig = await repeating();
    const stamps: number[] = [];
    for (let k = 0; k < 6; k++) {
      await rig.link.advance(1);
      stamps.push(rig.link.latest.robot.measuredAtS);
    }
    expect(new Set(stamps).size).toBe(3);
    expect(stamps[1]).toBe(stamps[0]);
    expect(stamps[2]! - stamps[0]!).toBeCloseTo(2 / ur5eLike.controlHz, 9);
  });

  it('does not make a contact of one spike', async () => {
    const rig = await repeating();
    rig.driver.inject('contact', 1);
    await rig.link.advance(6);
    expect(rig.rows).not.toContain(41);
    rig.driver.inject('contact', 2);
    await rig.link.advance(6);
    expect(rig.rows).toContain(41);
  });

  it('is measured anew each time where it stamps nothing', async () => {
    const rig = await repeating(Number.NaN);
    await rig.link.advance(1);
    const before = rig.link.latest.robot.measuredAtS;
    await rig.link.advance(1);
    expect(rig.link.latest.robot.measuredAtS).toBeCloseTo(before + 1 / ur5eLike.controlHz, 9);
  });
});

it('fills the tank in standby only while the joints are measured at rest', async () => {
  const rig = await FaultRig.active({ model: filled });
  const read = rig.driver.read.bind(rig.driver);
  let driftRadPerS = 0;
  rig.driver.read = (out) => {
    const status = read(out);
    out.velocityRadPerS[0] = out.velocityRadPerS[0]! + driftRadPerS;
    return status;
  };
  for (let k = 0; k < 20; k++) {
    rig.push(1);
    await rig.link.advance(1);
  }
  driftRadPerS = 0.02;
  await rig.ticksUntil(() => rig.link.latest.state === 'stopped');
  await rig.link.request({ kind: 'disable' });
  await rig.ticksUntil(() => rig.link.latest.state === 'standby');
  await rig.link.advance(20);
  expect(rig.link.latest.state).toBe('standby');
  expect(rig.link.latest.tankEnergyJ).not.toBe(4);
  driftRadPerS = 0.009;
  await rig.link.advance(3);
  expect(rig.link.latest.tankEnergyJ).toBe(4);
});

it('stops a robot that is sent out of its workspace behind its reference', async () => {
  const rig = await FaultRig.active({ model: filled });
  rig.push(0);
  await rig.link.advance(3);
  expect(rig.link.latest.faultFlags & LIMIT_BROKEN).toBe(0);
  vi.spyOn(EnergyTank.prototype, 'send').mockImplementation((sentRad, referenceRad) => {
    sentRad.set(referenceRad);
    sentRad[0] = sentRad[0]! + 1.5;
    return 0;
  });
  await rig.link.advance(2);
  expect(rig.link.latest.faultFlags & LIMIT_BROKEN).toBe(LIMIT_BROKEN);
  expect(rig.link.latest.violations).toBeGreaterThan(0);
});

it('sees a reference that is brought back too fast', async () => {
  const last = 5;
  const outside = ur5eLike.joints[last]!.positionMaxRad + 0.06;
  const rig = await FaultRig.open({ startRad: ur5eLike.homeRad.map((q, i) => (i === last ? outside : q)) });
  await rig.link.advance(2);
  await rig.link.request({ kind: 'enable' });
  await rig.link.advance(1);
  rig.push(-1, { decider: 'human' });
  expect(await rig.link.request({ kind: 'activate' })).toEqual({ ok: true });
  await rig.link.advance(5);
  expect(rig.link.latest.faultFlags & LIMIT_BROKEN).toBe(0);
  vi.spyOn(Recovery.prototype, 'apply').mockImplementation((velocity) => {
    velocity[last] = -0.2;
  });
  rig.push(-1, { decider: 'human' });
  await rig.link.advance(2);
  expect(rig.link.latest.faultFlags & LIMIT_BROKEN).toBe(LIMIT_BROKEN);
});
