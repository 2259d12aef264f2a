import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../config/index.ts';
import { PRESSING_SHARE, PressureRelief } from './pressure-relief.ts';

const { driver: _, ...model } = loadRobotFile('so101').robot;
const GRIPPER = model.joints.findIndex(({ name }) => name === 'gripper');
const NOTHING = [0, 0, 0, 0, 0, 0];
const PERIOD_S = 1 / model.controlHz;
const knees = model.joints.map(({ torqueMaxNm, stiffnessNmPerRad }) => torqueMaxNm / stiffnessNmPerRad);

/** Set-points after `seconds` at rest, with joint positions `positionOf` the set-points. */
function stood(
  aheadRad: readonly number[],
  seconds: number,
  positionOf: (sent: readonly number[]) => number[],
): number[] {
  const relief = new PressureRelief(model);
  const sent = [...aheadRad];
  for (let tick = 0; tick < seconds / PERIOD_S; tick++) {
    if (!relief.step(sent, positionOf(sent), NOTHING, PERIOD_S)) continue;
    for (let i = 0; i < sent.length; i++) sent[i]! += relief.wantedRadPerS[i]! * PERIOD_S;
  }
  return sent;
}

const anyAhead = fc.array(fc.double({ min: -0.4, max: 0.4, noNaN: true }), { minLength: 6, maxLength: 6 });

describe('an arm that stands and presses', () => {
  it('presses with half of its torque in half of the time that a stall takes, and eases no joint that does not', () => {
    fc.assert(
      fc.property(anyAhead, (aheadRad) => {
        const sent = stood(aheadRad, 0.25, () => NOTHING);
        for (const [i, was] of aheadRad.entries()) {
          const mostRad = PRESSING_SHARE * knees[i]!;
          if (i === GRIPPER || Math.abs(was) <= mostRad) expect(sent[i]).toBeCloseTo(was, 12);
          else {
            expect(Math.sign(sent[i]!)).toBe(Math.sign(was));
            expect(Math.abs(sent[i]!)).toBeGreaterThanOrEqual(mostRad - 1e-9);
            expect(Math.abs(sent[i]!)).toBeLessThanOrEqual(mostRad + 0.1 * Math.abs(was));
          }
        }
      }),
    );
  });

  it('sinks under a weight by no more than it was over at first, however long it stands', () => {
    fc.assert(
      fc.property(anyAhead, (aheadRad) => {
        // Its weight keeps the same deviation, whatever the set-point.
        const sent = stood(aheadRad, 20, (now) => now.map((rad, i) => rad - aheadRad[i]!));
        for (const [i, was] of aheadRad.entries())
          expect(Math.abs(sent[i]! - was)).toBeLessThanOrEqual(
            Math.max(0, Math.abs(was) - PRESSING_SHARE * knees[i]!) + 1e-9,
          );
      }),
    );
  });

  it('begins anew each time that it comes to stand, and asks nothing of an arm whose weight its servos do not hold', () => {
    const relief = new PressureRelief(model);
    const over = [0.2, 0, 0, 0, 0, 0];
    expect(relief.step(over, NOTHING, NOTHING, PERIOD_S)).toBe(true);
    // Moved back to the limit, and still over.
    const back = [PRESSING_SHARE * knees[0]!, 0, 0, 0, 0, 0];
    expect(relief.step(back, [-1, 0, 0, 0, 0, 0], NOTHING, PERIOD_S)).toBe(false);
    relief.restart();
    expect(relief.step(back, [-1, 0, 0, 0, 0, 0], NOTHING, PERIOD_S)).toBe(true);
    const { gravityCompensated: _no, ...compensated } = model;
    expect(new PressureRelief(compensated).step(over, NOTHING, NOTHING, PERIOD_S)).toBe(false);
    expect(new PressureRelief(model).step(over, NOTHING, NOTHING, 0)).toBe(false);
  });
});
