/** Rows of the fault table that hardware reports of itself, end to end: a guard process over a mock that is told to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activate } from '../../src/guard/index.ts';
import type { RobotModel } from '../../src/model/index.ts';
import { BUS, type GuardNotice, type HardwareFault } from '../../src/rows/index.ts';
import { jointSpec } from '../support/adversary.ts';
import { faultRow } from '../support/fault-row.ts';
import { ProcessGuard, rowsOf, type SeenTick } from '../support/process-guard.ts';
import { ur5eLike } from '../support/robot-models.ts';

const model: RobotModel = { ...ur5eLike, leashM: 0.5, leashRad: 0.5 };
const T = 1 / model.controlHz;
/** What a scene asks for happens so many ticks later. */
const AFTER_TICKS = 40;
const toAndFro = (step: number): number => (Math.floor(step / 12) % 2 === 0 ? 0.15 : -0.15);
const notices: GuardNotice[] = [];
let guard: ProcessGuard;

beforeAll(async () => {
  guard = await ProcessGuard.start({ model, action: jointSpec(model, 0.12), mock: { countsBus: true } });
  guard.link.onNotice((notice) => notices.push(notice));
});
afterAll(() => guard.close());

/** In motion, `fault` is told for `ticks`. Gives the first tick that shows the row. */
async function told(fault: HardwareFault, row: number, ticks: number): Promise<SeenTick> {
  notices.length = 0;
  await guard.active([fault, ticks]);
  guard.drive(toAndFro);
  return guard.seen((tick) => rowsOf(tick).includes(row), `row ${row}`);
}

/** Torque is off after the brake, and nobody goes on before it was seen. */
async function expectCut(row: number, from: SeenTick): Promise<void> {
  const ended = await guard.seen(({ state }) => state === 'fault', 'the fault');
  expect((ended.tick - from.tick) * T).toBeLessThan(1.2);
  guard.rest();
  expect(await guard.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
  expect(notices.map((notice) => notice.row)).toContain(row);
  expect(guard.link.latest.violations).toBe(0);
}

describe('hardware that reports a fault of itself in motion', () => {
  faultRow(13, 'process', 'a servo with a fault cuts the torque, and stays off until it is well', async (promised) => {
    const from = await told('servoFault', 13, 150);
    // From the reading that says so: the first tick that moved, and forty more.
    expect((from.tick - guard.ticks[0]!.tick - AFTER_TICKS) * T).toBeLessThanOrEqual(promised('shownS'));
    await expectCut(13, from);
    expect(await guard.link.request({ kind: 'acknowledge' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('servoFault'),
    });
    await guard.pass(150);
    await guard.active();
  });

  faultRow(37, 'process', 'a stalled joint cuts the torque', async (promised) => {
    expect(promised('shownWithinTicks')).toBe(1);
    await expectCut(37, await told('stalled', 37, 5));
  });

  faultRow(
    45,
    'process',
    'an empty battery cuts the torque after two seconds of it, and not before',
    async (promised) => {
      const ticks = Math.round((promised('hysteresisS') + 0.5) / T);
      const from = await told('batteryEmpty', 45, ticks);
      const saidFrom = guard.ticks[0]!.tick + AFTER_TICKS;
      expect((from.tick - saidFrom) * T).toBeGreaterThan(promised('hysteresisS') - 10 * T);
      await expectCut(45, from);
      await guard.pass(2 * ticks);
    },
  );

  faultRow(46, 'process', 'a speed controller that is silent gets neutral at once', async (promised) => {
    const from = await told('signalLost', 46, 5);
    expect(promised('withinTicks')).toBe(1);
    expect(from.state).toBe('fault');
    await expectCut(46, from);
  });

  faultRow(47, 'process', 'something in the inner zone stops the robot, which holds', async () => {
    const from = await told('obstacleInside', 47, 5);
    expect(from.state).toBe('stopping');
    await guard.seen(({ state }) => state === 'stopped', 'the stop');
    guard.rest();
    expect(await guard.link.request({ kind: 'activate' })).toMatchObject({ ok: false });
  });

  faultRow(12, 'process', 'replies of others are counted in every frame, and move nothing', async (promised) => {
    await guard.active();
    const before = guard.link.latest.busCounters[BUS.foreignReplies]!;
    await guard.active(['foreignReply', 20]);
    guard.drive(toAndFro);
    await guard.until(() => guard.link.latest.busCounters[BUS.foreignReplies] === before + 20, 'the foreign replies');
    guard.rest();
    expect(guard.ticks.filter((tick) => rowsOf(tick).length > 0)).toHaveLength(promised('acceptedForeign'));
    expect(guard.link.latest.busCounters[BUS.requests]).toBeGreaterThan(before + 20);
  });
});

it('carries no bus where there is none', async () => {
  const plain = await ProcessGuard.start({ model, action: jointSpec(model, 0.12) });
  try {
    await plain.pass(3);
    expect([...plain.link.latest.busCounters].every(Number.isNaN)).toBe(true);
  } finally {
    await plain.close();
  }
});

faultRow(
  34,
  'process',
  'a joint that turns the wrong way after power-up stops before anything else moves',
  async (promised) => {
    const faults = { seed: 1, ratio: { mirrored: 1 } };
    const wrong = await ProcessGuard.start({
      model,
      action: jointSpec(model, 0.12),
      mock: { needsFirstMotion: true, faults },
    });
    const heard: GuardNotice[] = [];
    wrong.link.onNotice((notice) => heard.push(notice));
    try {
      await wrong.ready();
      wrong.look();
      wrong.drive(toAndFro);
      expect(await activate(wrong.link)).toMatchObject({ ok: false });
      await wrong.seen(({ state }) => state === 'fault', 'torque off');
      wrong.rest();
      expect(heard.find(({ row }) => row === 34)?.message).toContain('moves opposite to its command');
      // Nobody's command was followed, and no joint was asked for more than the trial.
      expect(wrong.ticks.filter(({ commandSeq }) => commandSeq >= 0)).toHaveLength(promised('movedWrong'));
      for (const { referenceRad } of wrong.ticks) {
        referenceRad.forEach((q, i) => {
          expect(Math.abs(q - model.homeRad[i]!)).toBeLessThan(2 * promised('amplitudeRad'));
        });
      }
    } finally {
      await wrong.close();
    }
  },
);
