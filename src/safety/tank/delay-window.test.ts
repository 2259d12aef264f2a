/** The overestimate of a booked step is released once its window is over, unless the joints were unobserved for too long. */
import { expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { DelayWindow, LONGEST_GAP } from './delay-window.ts';
import { BOOKED } from './port.ts';

const DELAY_TICKS = 2;
const BOOKED_J = 5;
const periodS = new Float64Array([1 / oddArm3.controlHz]);
const home = Float64Array.from(oddArm3.homeRad);

/** Returns the energy released, J, by a zero step sent after `gapTicks` without a reading, when its window ends with one. */
function releasedAfter(gapTicks: number): number {
  const window = new DelayWindow(oddArm3, DELAY_TICKS);
  const costJ = new Float64Array(4);
  costJ[BOOKED] = BOOKED_J;
  for (let tick = 0; tick < gapTicks; tick++) window.advance(home, false, periodS);
  window.push(home, home, home, costJ);
  let releasedJ = 0;
  for (let tick = 0; tick <= DELAY_TICKS; tick++) {
    window.advance(home, true, periodS);
    releasedJ += window.releasedJ[0]!;
  }
  expect(window.isEmpty).toBe(true);
  return releasedJ;
}

it('gives back what a step was booked too high, after a gap that readings bridge', () => {
  expect(releasedAfter(0)).toBe(BOOKED_J);
  expect(releasedAfter(LONGEST_GAP)).toBe(BOOKED_J);
});

it('keeps a step booked that was sent where nobody had seen the joints for too long', () => {
  expect(releasedAfter(LONGEST_GAP + 1)).toBe(0);
});
