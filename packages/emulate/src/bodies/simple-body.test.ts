import { expect, it } from 'vitest';
import { BodyClock } from './body.ts';
import { SimpleBody } from './simple-body.ts';

it('hangs down in the end, and stands at its stops', () => {
  const body = new SimpleBody([
    { startRad: 1, unbalanceKgM: 0.05, dampingNmSPerRad: 0.1 },
    { minRad: -0.5, maxRad: 0.5 },
  ]);
  body.torqueNm[1] = 1;
  for (let i = 0; i < 5000; i++) body.step();
  expect(Math.abs(body.positionRad[0]!)).toBeLessThan(0.1);
  expect(body.positionRad[1]).toBe(0.5);
  expect(body.velocityRadPerS[1]).toBe(0);
});

it('does not move for less than its friction', () => {
  const body = new SimpleBody([{ frictionNm: 0.1 }, { frictionNm: 0.1 }]);
  body.torqueNm.set([0.09, 0.11]);
  for (let i = 0; i < 100; i++) body.step();
  expect(body.positionRad[0]).toBe(0);
  expect(body.positionRad[1]).toBeGreaterThan(0);
});

it('is taken along by whole steps, and leaves a long pause out', () => {
  const body = new SimpleBody([{}]);
  const clock = new BodyClock(body);
  let driven = 0;
  const drive = (): void => {
    driven++;
  };
  expect(clock.advance(5, drive)).toBe(0);
  expect(clock.advance(5.0105, drive)).toBe(10);
  expect(clock.advance(5.0105, drive)).toBe(0);
  const afterPause = clock.advance(100, drive);
  expect(afterPause).toBeLessThanOrEqual(250);
  expect(afterPause).toBeGreaterThan(240);
  expect(driven).toBe(10 + afterPause);
});
