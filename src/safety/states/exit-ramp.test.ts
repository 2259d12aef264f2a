import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExitRamp } from './exit-ramp.ts';

const period = fc.double({ min: 1e-3, max: 0.2, noNaN: true });

describe('the ramp on which torque goes off', () => {
  it('is none for an arm that holds itself, whatever time is stated, or where none is', () => {
    for (const model of [{ exitRampS: 2 }, { holdsWithoutTorque: true, exitRampS: 2 }, { holdsWithoutTorque: false }]) {
      const ramp = new ExitRamp(model);
      expect(ramp.isOver).toBe(true);
      expect(ramp.isRunning).toBe(false);
      expect(ramp.torqueRatio).toBe(0);
    }
  });

  it('gives full torque until it begins, then in proportion to the time that is left, and none in the end', () => {
    fc.assert(
      fc.property(fc.array(period, { minLength: 1, maxLength: 30 }), (periods) => {
        const ramp = new ExitRamp({ holdsWithoutTorque: false, exitRampS: 1.5 });
        expect(ramp.torqueRatio).toBe(1);
        expect(ramp.isRunning).toBe(false);
        let passedS = 0;
        for (const dtS of periods) {
          ramp.advance(dtS);
          passedS += dtS;
          expect(ramp.torqueRatio).toBeCloseTo(Math.max(0, 1 - passedS / 1.5), 9);
          expect(ramp.isOver).toBe(passedS >= 1.5);
          expect(ramp.isRunning).toBe(passedS < 1.5);
        }
        ramp.restart();
        expect(ramp.torqueRatio).toBe(1);
      }),
    );
  });

  it('neither drops the arm nor holds it up for longer when the clock jumps', () => {
    const ramp = new ExitRamp({ holdsWithoutTorque: false, exitRampS: 1 });
    ramp.advance(3600);
    expect(ramp.torqueRatio).toBeCloseTo(0.8, 12);
    for (const jump of [-3600, Number.NaN]) ramp.advance(jump);
    expect(ramp.torqueRatio).toBeCloseTo(0.8, 12);
  });
});
