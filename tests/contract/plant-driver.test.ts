import { expect, it } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import { isMujoco } from '../../src/drivers/index.ts';
import { MujocoDriver } from '../../src/drivers/mujoco/mujoco-driver.ts';
import { createRobotState } from '../../src/rows/index.ts';
import { vec } from '../support/vec.ts';
import { describeDriver } from './driver.contract.ts';

function driverOf(name: string) {
  const { driver, ...model } = loadRobotFile(name).robot;
  if (!isMujoco(driver) || driver.model === undefined) throw new TypeError(`${name} has no model of its own`);
  return { driver: new MujocoDriver(model, { file: driver.model, velocityFeedForward: true, signalNames: [] }), model };
}

describeDriver('simulated 7-joint arm', () => driverOf('arm7'));

it('a simulated car drives as its axes are sent, and stands when nobody sends', async () => {
  const { driver, model } = driverOf('car');
  const state = createRobotState(2, 0);
  await driver.open();
  try {
    driver.read(state);
    driver.torque(1);
    const reference = vec<'rad'>([0, 0]);
    for (let i = 1; i <= 100; i++) {
      reference[0] = reference[0]! + Math.min(1, i / 25) / model.controlHz;
      reference[1] = 0.2;
      expect(driver.write(reference)).toBe('ok');
      expect(driver.read(state)).toBe('ok');
    }
    expect(state.velocityRadPerS[0]).toBeCloseTo(1, 1);
    expect(state.positionRad[0]).toBeCloseTo(reference[0]!, 1);
    expect(state.positionRad[1]).toBeCloseTo(0.2, 1);
    for (let i = 0; i < 50; i++) driver.read(state);
    expect(Math.abs(state.velocityRadPerS[0]!)).toBeLessThan(0.01);
    reference[0] = Number.NaN;
    expect(driver.write(reference)).toBe('rejected');
  } finally {
    await driver.close();
  }
});
