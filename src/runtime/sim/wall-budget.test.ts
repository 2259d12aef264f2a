import { expect, it } from 'vitest';
import { WallBudget } from './wall-budget.ts';

it('counts from the start of the demonstrations, and not what it waited for a hand', () => {
  let nowS = 100;
  const budget = new WallBudget({ budgetS: 80, startedS: 90, nowS: () => nowS });
  expect([budget.usedS, budget.leftS]).toEqual([10, 70]);
  nowS = 150;
  budget.pause(15);
  expect([budget.usedS, budget.leftS, budget.pacedS]).toEqual([45, 35, 15]);
});

it('has room for what ends within it', () => {
  let nowS = 0;
  const budget = new WallBudget({ budgetS: 80, startedS: 0, nowS: () => nowS });
  nowS = 60;
  expect([budget.fits(20), budget.fits(20.1), budget.fits(0)]).toEqual([true, false, true]);
  nowS = 80;
  expect(budget.fits(0)).toBe(false);
});
