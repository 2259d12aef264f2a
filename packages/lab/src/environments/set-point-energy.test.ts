import { expect, it } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { affordableScale, EnergyTank, injectedJ, setPointStep } from './set-point-energy.ts';

/** K = 2000 N/m and a step of 5 mm; deflection (m), budget (J), then the largest scale and its injected energy (J). */
it.each([
  [0.002, 0.01, 0.3483, 0.01],
  [0.002, 0.045, 1, 0.045],
  [0.002, 1, 1, 0.045],
  [-0.005, 0, 1, -0.025],
  [0.002, 0, 0, 0],
  [-0.002, 0, 0.8, 0],
])('a spring drawn by %d m, with a budget of %d J, takes %d of a step', (deflectionM, budgetJ, scale, injected) => {
  const step = setPointStep(2000, deflectionM, 0.005);
  expect(affordableScale(step, budgetJ)).toBeCloseTo(scale, 4);
  expect(injectedJ(step, affordableScale(step, budgetJ))).toBeCloseTo(injected, 6);
});

it('never takes more than its budget, and never less than it could', () => {
  const rng = new Rng(1);
  for (let i = 0; i < 1000; i++) {
    const step = setPointStep(2000, rng.uniformIn(-0.02, 0.02), rng.uniformIn(-0.01, 0.01));
    const budgetJ = rng.uniformIn(0, 0.1);
    const scale = affordableScale(step, budgetJ);
    expect(injectedJ(step, scale)).toBeLessThanOrEqual(budgetJ + 1e-12);
    if (scale < 1) expect(injectedJ(step, Math.min(1, scale + 1e-3))).toBeGreaterThan(budgetJ);
  }
});

it('a step of nothing costs nothing, with nothing left', () => {
  expect(affordableScale(setPointStep(2000, 0.01, 0), 0)).toBe(1);
});

it('a tank pays for steps, is credited nine tenths of what it gets back, and never overflows', () => {
  const tank = new EnergyTank({ startJ: 0.2, minJ: 0.02, maxJ: 0.5, powerMaxW: 1 });
  expect(tank.budgetJ(0.05)).toBeCloseTo(0.05, 12);
  expect(tank.budgetJ(1)).toBeCloseTo(0.18, 12);
  tank.book(0.15, 0);
  expect(tank.budgetJ(0.05)).toBeCloseTo(0.03, 12);
  tank.book(-0.02, 0.01);
  expect(tank.levelJ).toBeCloseTo(0.05 + 0.027, 12);
  tank.book(0, 10);
  expect(tank.levelJ).toBe(0.5);
  tank.reset();
  expect(tank.levelJ).toBe(0.2);
});
