import { expect, it } from 'vitest';
import { loadRobotFile } from '../../config/index.ts';
import { carBody } from './car.ts';

it('has wheels that a hand turns by so much and no more, and lets go of where the motor turns them', () => {
  const body = carBody(loadRobotFile('race-car-vesc').robot);
  const pass = (seconds: number): number => {
    for (let i = 0; i < seconds / body.stepS; i++) body.step();
    return body.positionRad[0]!;
  };
  body.turn(0.5);
  expect(pass(0.5)).toBeCloseTo(0.25, 2);
  expect(pass(1)).toBeCloseTo(0.5, 6);
  expect(body.velocityRadPerS[0]).toBe(0);
  body.turn(-0.2);
  expect(pass(1)).toBeCloseTo(0.3, 6);
  body.turn(-5);
  pass(0.1);
  body.torqueNm[0] = 20;
  expect(pass(1)).toBeGreaterThan(1);
});
