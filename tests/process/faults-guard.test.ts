/** Rows of the fault table that the guard sees, end to end: a guard process, whose time the test moves. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectGuardLink } from '../../src/guard/index.ts';
import type { RobotModel } from '../../src/model/index.ts';
import { START_FAR } from '../../src/safety/index.ts';
import { jointSpec } from '../support/adversary.ts';
import { faultRow } from '../support/fault-row.ts';
import { expectBrakes, ProcessGuard, rowsOf, type SeenTick, speedShare } from '../support/process-guard.ts';
import { ur5eLike } from '../support/robot-models.ts';

const model: RobotModel = {
  ...ur5eLike,
  leashM: 0.5,
  leashRad: 0.5,
  contact: { forceMaxN: 150, torqueMaxNm: 10 },
};
const T = 1 / model.controlHz;
const FROZEN_TICKS = 150;
/** Small steps of all joints, to and fro. */
const toAndFro = (step: number): number => (Math.floor(step / 12) % 2 === 0 ? 0.15 : -0.15);
let guard: ProcessGuard;

beforeAll(async () => {
  guard = await ProcessGuard.start({ model, action: jointSpec(model, 0.12) });
});
afterAll(() => guard.close());

/** The guard saw row `row` within `ticks` of the first sign of it, braked, cut the torque, and stays. */
async function expectFault(row: number): Promise<SeenTick> {
  const reported = await guard.seen((tick) => rowsOf(tick).includes(row), `row ${row}`);
  const ended = await guard.seen(({ state }) => state === 'fault', 'the fault');
  expect((ended.tick - reported.tick) * T).toBeLessThan(1.2);
  guard.rest();
  expect(await guard.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
  expect(guard.link.latest.violations).toBe(0);
  return reported;
}

describe('a robot that goes wrong in motion', () => {
  faultRow(10, 'process', 'three missed answers cut the torque', async (promised) => {
    await guard.active(['lost', 2 * promised('missedAnswers')]);
    guard.drive(toAndFro);
    const reported = await expectFault(10);
    // While it is lost, its last measurement stands in the frames.
    const silent = guard.ticks.filter(({ tick, atS }) => tick <= reported.tick && atS === reported.atS);
    expect(silent.length - 1).toBe(promised('missedAnswers'));
  });

  faultRow(14, 'process', 'a frozen reading cuts the torque', async (promised) => {
    await guard.active(['frozen', FROZEN_TICKS]);
    guard.drive((step) => (Math.floor(step / 25) % 2 === 0 ? 0.4 : -0.4));
    const reported = await expectFault(14);
    const same = guard.ticks.filter(
      ({ tick, measuredRad }) => tick <= reported.tick && measuredRad.every((q, i) => q === reported.measuredRad[i]),
    );
    // A frozen reading keeps its stamp: the guard's ticks tell the time.
    const frozenS = (reported.tick - same[0]!.tick) * T;
    expect(frozenS).toBeGreaterThanOrEqual(promised('afterS') - 1e-6);
    // A joint that turns round may be asked for too little at first.
    expect(frozenS).toBeLessThan(10 * promised('afterS'));
    guard.rest();
    await guard.pass(FROZEN_TICKS);
    await guard.active();
  });

  faultRow(15, 'process', 'an encoder that jumps twice cuts the torque, and is not followed', async (promised) => {
    await guard.active(['jump', promised('readings')]);
    guard.drive(toAndFro);
    const reported = await expectFault(15);
    expect(guard.ticks.every(({ measuredRad }) => Math.abs(measuredRad[0]!) < 1)).toBe(true);
    const held = guard.ticks.filter(({ tick, atS }) => tick <= reported.tick && atS === reported.atS);
    expect(held.length - 1).toBe(promised('readings'));
  });

  faultRow(23, 'process', 'an emergency stop cuts the torque in the tick that reads it', async (promised) => {
    await guard.active(['emergencyStop', 5]);
    guard.drive(toAndFro);
    const reported = await guard.seen((tick) => rowsOf(tick).includes(23), 'row 23');
    expect(promised('withinTicks')).toBe(1);
    expect(reported.state).toBe('fault');
    await guard.pass(10);
    await expectFault(23);
  });

  faultRow(41, 'process', 'too much force in two measurements running cuts the torque', async (promised) => {
    await guard.active(['contact', promised('samples')]);
    guard.drive(toAndFro);
    await expectFault(41);
  });

  faultRow(43, 'process', 'an arm that is pushed away cuts its torque', async (promised) => {
    await guard.active(['pushed', 60]);
    const reported = await expectFault(43);
    const away = guard.ticks.filter(
      ({ tick, measuredRad, referenceRad }) =>
        tick <= reported.tick && Math.abs(measuredRad[1]! - referenceRad[1]!) > promised('errorRad'),
    );
    expect(away.length === 0 ? 0 : reported.atS - away[0]!.atS).toBeLessThanOrEqual(promised('afterS') + 3 * T);
    await guard.pass(60);
  });

  faultRow(16, 'process', 'outside its limits only a person moves it, inwards and slowly', async (promised) => {
    const limit = model.joints[5]!.positionMaxRad;
    const outside = model.homeRad.map((q, i) => (i === 5 ? limit + 0.03 : q));
    await guard.ready(undefined, outside);
    guard.drive(() => -0.5);
    await guard.pass(5);
    expect(await guard.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
    guard.drive(() => -0.5, { decider: 'human' });
    await guard.pass(5);
    guard.look();
    await guard.ask({ kind: 'activate' });
    await guard.seen(({ referenceRad }) => referenceRad[5]! < limit, 'inside');
    const moved = guard.ticks.slice(1).map((tick, i) => guard.ticks[i]!.referenceRad[5]! - tick.referenceRad[5]!);
    expect(Math.min(...moved)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...moved)).toBeLessThanOrEqual(promised('recoveryRadPerS') * 2 * T + 1e-9);
    guard.rest();
    await guard.seen(({ state }) => state === 'ready', 'the hold');
  });
});

describe('who decides goes wrong', () => {
  faultRow(
    1,
    'process',
    'NaN brakes in its own tick, the third stops for good, and none is written',
    async (promised) => {
      await guard.active();
      guard.drive(toAndFro);
      await guard.seen(({ decider }) => decider === 'policy', 'motion');
      await guard.pass(20);
      guard.rest();
      guard.look();
      const sent = new Set<number>();
      for (let k = 0; k < promised('latchesAfter'); k++) {
        sent.add(guard.push(k === 1 ? Number.POSITIVE_INFINITY : Number.NaN));
        await guard.pass(3);
      }
      await guard.seen(({ state }) => state === 'stopped', 'the stop');
      const first = guard.ticks.find(({ decider }) => decider === 'hold')!;
      expectBrakes(guard, first);
      expect(guard.ticks.some(({ commandSeq }) => sent.has(commandSeq))).toBe(false);
      expect(guard.ticks.every(({ referenceRad }) => referenceRad.every(Number.isFinite))).toBe(true);
      expect(rowsOf(guard.ticks.at(-1)!)).toContain(1);
      expect(await guard.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
    },
  );

  faultRow(17, 'process', 'a first target that is too far is refused and told', async (promised) => {
    await guard.active();
    expect(0.12).toBeGreaterThan(promised('nearRad'));
    guard.push(1);
    await guard.seen(({ flags }) => (flags & START_FAR) !== 0, 'the refusal');
    expect(speedShare(model, guard.ticks[0]!, guard.ticks.at(-1)!)).toBe(0);
    guard.drive(toAndFro);
    await guard.seen(({ decider }) => decider === 'policy', 'motion');
  });

  faultRow(
    18,
    'process',
    'an operator who drops out is followed for the lease, and the policy does not go on',
    async (promised) => {
      await guard.active();
      guard.drive(toAndFro, { decider: 'human', leaseS: promised('leaseS') });
      await guard.seen(({ state }) => state === 'active.human', 'the take-over');
      await guard.pass(15);
      guard.rest();
      await guard.seen(({ state, tick }) => state === 'ready' && tick === guard.ticks.at(-1)!.tick, 'the hold');
      guard.drive(toAndFro);
      await guard.pass(20);
      guard.rest();
      for (const { commandSeq, atS } of guard.ticks.filter((tick) => tick.decider === 'human')) {
        expect(atS - guard.issuedAtS.get(commandSeq)!).toBeLessThanOrEqual(promised('leaseS') + 1e-6);
      }
      const dropped = guard.ticks.findLast(({ decider }) => decider === 'human')!;
      const after = guard.ticks.filter(({ tick }) => tick > dropped.tick);
      expect(after.every(({ decider }) => decider === 'hold')).toBe(true);
      expectBrakes(guard, after[0]!);
    },
  );

  faultRow(19, 'process', 'commands that waited longer than their lease are not executed', async (promised) => {
    await guard.active();
    guard.drive(toAndFro);
    await guard.seen(({ decider }) => decider === 'policy', 'motion');
    const stale = new Set<number>();
    for (let k = 0; k < 20; k++) {
      for (let burst = 0; burst < 5; burst++) stale.add(guard.push(1, { ageS: 0.25 }));
      await guard.pass(2);
    }
    expect(guard.ticks.filter(({ commandSeq }) => stale.has(commandSeq))).toHaveLength(promised('executedStale'));
  });

  faultRow(21, 'process', 'a second node is refused while the first moves the robot', async (promised) => {
    await guard.active();
    guard.drive(toAndFro);
    await guard.seen(({ decider }) => decider === 'policy', 'motion');
    await expect(connectGuardLink(guard.socketPath)).rejects.toThrow('serves another node');
    guard.look();
    await guard.seen(({ decider }) => decider === 'policy', 'motion');
    expect(promised('holders')).toBe(1);
  });

  faultRow(8, 'process', 'after new weights it accelerates half as hard for a second', async (promised) => {
    await guard.active();
    let sent = 0;
    const still = (step: number): number => {
      sent = step;
      return 0;
    };
    guard.drive(still, { version: 1 });
    // A jump is more than the last 32 changes were: those of the tests before are past.
    while (sent < 40) await guard.pass(5);
    guard.rest();
    guard.push(0.8, { version: 2 });
    guard.look();
    guard.drive((step) => (Math.floor(step / 4) % 2 === 0 ? 0.8 : -0.8), { version: 2 });
    await guard.pass(Math.floor((0.8 * promised('tightForS')) / T));
    guard.rest();
    const { ticks } = guard;
    const swapped = ticks.findIndex(({ decider }) => decider === 'policy') + 2;
    const harder = ticks.slice(swapped + 2).filter((tick, k) => {
      const [a, b] = [ticks[swapped + k]!, ticks[swapped + k + 1]!];
      return [a, b, tick].every(({ decider, bits }) => decider === 'policy' && (bits & ~0b1111111111) === 0)
        ? accelShare(a, b, tick) > promised('accelRatio') + 1e-6
        : false;
    });
    expect(harder).toEqual([]);
    expect(ticks.length).toBeGreaterThan(50);
  });
});

/** The hardest acceleration of a joint between three ticks, as a share of its limit. */
function accelShare(a: SeenTick, b: SeenTick, c: SeenTick): number {
  const clip = (dtS: number): number => Math.min(Math.max(dtS, T / 2), 2 * T);
  return Math.max(
    ...model.joints.map(({ accelMaxRadPerS2 }, i) => {
      const before = (b.referenceRad[i]! - a.referenceRad[i]!) / clip(b.atS - a.atS);
      const after = (c.referenceRad[i]! - b.referenceRad[i]!) / clip(c.atS - b.atS);
      return Math.abs(after - before) / (accelMaxRadPerS2 * clip(c.atS - b.atS));
    }),
  );
}

describe('commands without measure', () => {
  faultRow(
    [35, 36, 38],
    'process',
    'break no limit of position, velocity, acceleration or workspace',
    async (promised) => {
      await guard.active();
      let seed = 7;
      const random = (): number => {
        seed = (seed * 48271) % 2147483647;
        return seed / 2147483647;
      };
      const wild = (step: number): number => {
        if (step % 20 === 19) return Number.NaN;
        return [1e9, -1e9, 2 * random() - 1, 0.8, -0.8][Math.floor(5 * random())]!;
      };
      // The first ones are near, as after each stop; the others ask for whatever they like.
      let wildFrom = 3;
      const nearThenWild = (step: number): number => {
        if (!guard.link.latest.state.startsWith('active')) wildFrom = step + 4;
        return step < wildFrom ? 0.1 : wild(step);
      };
      guard.drive(nearThenWild, { leaseS: 0.1 });
      await guard.movesFor(200);
      guard.rest();
      const { minM, maxM } = model.workspace;
      for (const { referenceRad, tcp } of guard.ticks) {
        for (const [i, { positionMinRad, positionMaxRad }] of model.joints.entries()) {
          expect(referenceRad[i]).toBeGreaterThanOrEqual(positionMinRad);
          expect(referenceRad[i]).toBeLessThanOrEqual(positionMaxRad);
        }
        for (let k = 0; k < 3; k++) {
          expect(tcp[k]).toBeGreaterThanOrEqual(minM[k]! - 1e-9);
          expect(tcp[k]).toBeLessThanOrEqual(maxM[k]! + 1e-9);
        }
      }
      const speeds = guard.ticks.slice(1).map((tick, i) => speedShare(model, guard.ticks[i]!, tick));
      expect(Math.max(...speeds)).toBeGreaterThan(0.1);
      expect(guard.link.latest.violations).toBe(promised('violations'));
    },
  );
});

faultRow(54, 'process', 'a joint whose torque its file does not explain cuts the torque', async (promised) => {
  const heavy = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30];
  const light = heavy.map(() => 0);
  const limits = ur5eLike.joints.map(() => 20);
  const torqueObserver = {
    ...({ filterS: 0.02, weight: 'compensated', wrench: 'ignored', velocityFeedForward: true, delayTicks: 0 } as const),
    torqueAgeS: 0,
    servoMaxNm: limits.map(() => 9999),
    externalMaxNm: limits,
    links: ur5eLike.joints.map((_, i) => (i === 1 ? heavy : light)),
  };
  const watched = await ProcessGuard.start({
    model: { ...ur5eLike, torqueObserver },
    action: jointSpec(model, 0.12),
    mock: { torqueNm: limits.map(() => 0) },
  });
  try {
    await watched.ready();
    const reported = await watched.seen((tick) => rowsOf(tick).includes(54), 'row 54');
    expect(promised('samples')).toBe(3);
    expect(reported.violations).toBe(0);
    await watched.seen((tick) => tick.state === 'fault', 'torque off');
    expect(watched.link.latest.residualJoint).toBe(1);
    expect(watched.link.latest.residualNm).toBeGreaterThan(20);
  } finally {
    await watched.close();
  }
});
