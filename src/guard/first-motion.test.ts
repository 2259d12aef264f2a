import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaultRig, type RigOptions } from '../../tests/support/fault-rig.ts';
import { faultRow } from '../../tests/support/fault-row.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import type { MockFault } from '../drivers/mock/mock-faults.ts';
import type { GuardNotice } from '../rows/index.ts';
import { FIRST_MOTION_SPEED_RATIO, FirstMotion } from './first-motion.ts';
import { activate } from './link/going-on.ts';

const T = 1 / ur5eLike.controlHz;
const LONG_TICKS = 1e6;

/** Enabled, with joints that have not been seen to move. */
async function fresh(fault?: MockFault, more: RigOptions = {}): Promise<FaultRig & { notices: GuardNotice[] }> {
  const rig = await FaultRig.open({ ...more, mock: { needsFirstMotion: true } });
  const notices: GuardNotice[] = [];
  rig.link.onNotice((notice) => notices.push(notice));
  if (fault !== undefined) rig.driver.inject(fault, LONG_TICKS);
  await rig.link.advance(1);
  expect(await rig.link.request({ kind: 'enable' })).toEqual({ ok: true });
  await rig.link.advance(1);
  return Object.assign(rig, { notices });
}

describe('the first motion after power-up', () => {
  faultRow(
    34,
    'fake',
    'tries each joint by itself, slowly, and comes back before anything else moves',
    async (promised) => {
      const rig = await fresh();
      const home = [...rig.link.latest.referenceRad];
      const farthest = home.map(() => 0);
      await rig.link.advance(50);
      expect([...rig.link.latest.referenceRad]).toEqual(home);
      expect(await rig.link.request({ kind: 'activate' })).toEqual({
        ok: false,
        needs: 'state',
        reason: 'checking joint 1 of 6 (shoulder_pan)',
      });
      let fastest = 0;
      let ticks = 0;
      while (rig.driver.report.needsFirstMotion && ticks++ < 5000) {
        rig.push(1);
        const before = [...rig.link.latest.referenceRad];
        await rig.link.advance(1);
        const moved = rig.link.latest.referenceRad.map((q, i) => Math.abs(q - before[i]!));
        expect([...moved].filter((by) => by > 1e-9).length).toBeLessThanOrEqual(1);
        moved.forEach((by, i) => {
          fastest = Math.max(fastest, by / T / ur5eLike.joints[i]!.velocityMaxRadPerS);
          farthest[i] = Math.max(farthest[i]!, Math.abs(rig.link.latest.referenceRad[i]! - home[i]!));
        });
      }
      expect(rig.driver.report.needsFirstMotion).toBe(false);
      expect(fastest).toBeLessThanOrEqual(promised('speedShare') + 1e-9);
      for (const away of farthest) expect(away).toBeCloseTo(promised('amplitudeRad'), 3);
      rig.link.latest.referenceRad.forEach((q, i) => {
        expect(q).toBeCloseTo(home[i]!, 3);
      });
      expect(await rig.link.request({ kind: 'activate' })).toEqual({ ok: true });
      expect(rig.link.latest.violations).toBe(0);
    },
  );

  it('is waited for by whoever asks to go on', async () => {
    const rig = await fresh();
    expect(await activate(rig.link)).toEqual({ ok: true });
    expect(rig.rows).toEqual([]);
  });

  const wrong: readonly (readonly [MockFault, RegExp])[] = [
    ['mirrored', /joint 1 of 6 \(shoulder_pan\) moves opposite to its command/],
    ['scaled', /joint 1 of 6 \(shoulder_pan\) moves by another distance/],
    ['stuck', /joint 1 of 6 \(shoulder_pan\) does not move\./],
    ['swapped', /joint 1 of 6 \(shoulder_pan\) does not move, and another joint does/],
    ['wrapped', /joint 1 of 6 \(shoulder_pan\) has an impossible reading/],
  ];
  for (const [fault, message] of wrong) {
    faultRow(
      34,
      'fake',
      `a joint that is ${fault} cuts the torque, and is named with what mends it`,
      async (promised) => {
        const rig = await fresh(fault);
        const home = [...rig.link.latest.referenceRad];
        const answer = await activate(rig.link);
        expect(answer.ok).toBe(false);
        expect(await rig.ticksUntil(() => rig.link.latest.state === 'fault')).toBeGreaterThan(0);
        expect(rig.driver.isEnabled).toBe(false);
        expect(rig.rows).toContain(34);
        const notice = rig.notices.find(({ row }) => row === 34);
        expect(notice?.message).toMatch(message);
        expect(notice?.remedy).toContain('rein calibrate');
        // No joint was commanded beyond the test's amplitude.
        rig.link.latest.referenceRad.forEach((q, i) => {
          if (fault !== 'wrapped') expect(Math.abs(q - home[i]!)).toBeLessThan(4 * promised('amplitudeRad'));
        });
        // An arm whose reading has wrapped has moved elsewhere.
        if (fault === 'wrapped') return;
        // Repaired and acknowledged: the test restarts with the first joint.
        rig.driver.inject(fault, 0);
        await rig.link.advance(2);
        expect(await rig.link.request({ kind: 'acknowledge' })).toEqual({ ok: true });
        await rig.link.advance(2);
        expect(await rig.link.request({ kind: 'enable' })).toEqual({ ok: true });
        expect(await rig.link.request({ kind: 'activate' })).toMatchObject({
          reason: expect.stringContaining('joint 1'),
        });
        expect(await activate(rig.link)).toEqual({ ok: true });
      },
    );
  }

  it('does not begin where the arm is read outside its limits, and says what to do', async () => {
    const startRad = ur5eLike.homeRad.map((q, i) => (i === 0 ? ur5eLike.joints[0]!.positionMaxRad - 0.2 : q));
    const rig = await fresh('shifted', { startRad });
    const answer = await rig.link.request({ kind: 'activate' });
    expect(answer).toMatchObject({ ok: false });
    expect(rig.driver.report.needsFirstMotion).toBe(true);
  });

  it('goes the other way from a limit, and ends at once where somebody stops or holds the robot', async () => {
    const limit = ur5eLike.joints[0]!.positionMaxRad;
    const rig = await fresh(undefined, { startRad: ur5eLike.homeRad.map((q, i) => (i === 0 ? limit - 0.011 : q)) });
    await rig.link.request({ kind: 'activate' });
    await rig.link.advance(10);
    expect(rig.link.latest.referenceRad[0]).toBeLessThan(limit - 0.012);
    expect(await rig.link.request({ kind: 'stop' })).toEqual({ ok: true });
    expect(await rig.ticksUntil(() => rig.link.latest.state === 'stopped')).toBeGreaterThan(0);
    const stood = [...rig.link.latest.referenceRad];
    await rig.link.advance(50);
    expect([...rig.link.latest.referenceRad]).toEqual(stood);
    expect(rig.driver.report.needsFirstMotion).toBe(true);
  });

  it('has as little patience with what a servo does, whatever that is: it passes only what follows', () => {
    const gains = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(gains, (gain) => {
        const first = new FirstMotion(ur5eLike);
        const reference = Float64Array.from(ur5eLike.homeRad);
        first.start();
        for (let tick = 0; tick < 5000 && first.isRunning; tick++) {
          const measured = reference.map((r, i) => ur5eLike.homeRad[i]! + gain[i]! * (r - ur5eLike.homeRad[i]!));
          first.step(reference, measured, T);
          for (let i = 0; i < reference.length; i++) {
            const share = Math.abs(first.wantedRadPerS[i]!) / ur5eLike.joints[i]!.velocityMaxRadPerS;
            expect(share).toBeLessThanOrEqual(FIRST_MOTION_SPEED_RATIO + 1e-12);
            reference[i] = reference[i]! + first.wantedRadPerS[i]! * T;
          }
        }
        expect(first.isRunning).toBe(false);
        const isRight = (g: number): boolean => g >= 0.61 && g <= 1.49;
        const isWrong = (g: number): boolean => g < 0.59 || g > 1.51;
        if (gain.every(isRight)) expect(first.hasPassed).toBe(true);
        if (gain.some(isWrong)) expect(first.hasPassed).toBe(false);
      }),
    );
  });
});
