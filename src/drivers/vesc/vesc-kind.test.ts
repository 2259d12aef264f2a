import { describe, expect, it } from 'vitest';
import { vescOptionsOf } from '../../../tests/support/emulated-car.ts';
import { diffBase } from '../../../tests/support/robot-models.ts';
import { loadRobotFile } from '../../config/index.ts';
import type { RobotModel } from '../../model/index.ts';
import type { VescConfig } from './options.ts';
import { vescKind } from './vesc-kind.ts';

const { robot } = loadRobotFile('race-car-vesc');
const config = robot.driver as VescConfig;

function optionsFor(model: RobotModel, change: Partial<VescConfig> = {}) {
  const scene = () => {
    throw new Error('a bus has no scene');
  };
  return vescKind.optionsOf({ ...config, ...change }, { robot: model, task: 'test', signalNames: [], scene });
}

describe('the file of a car with a VESC', () => {
  it('is that of the simulated car in everything but its driver', () => {
    const simulated = loadRobotFile('race-car').robot;
    expect({ ...robot, driver: undefined }).toEqual({ ...simulated, driver: undefined });
    expect(simulated.driver.kind).toBe('mujoco');
    expect(vescKind.model?.(config)?.model).toMatch(/models\/car\.xml$/);
  });

  it('wants a car, enough ticks a second, and a servo that reaches as far as the base steers', () => {
    expect(() => optionsFor(diffBase)).toThrow('has no Ackermann steering');
    expect(() => optionsFor({ ...robot, controlHz: 25 })).toThrow(/controlHz of 25, and a VESC needs 30 or more/);
    const base = { ...robot.base!, steeringMaxRad: 0.3 };
    expect(() => optionsFor({ ...robot, base })).toThrow(/steers by 0\.3 rad, and its servo reaches 0\.263/);
    expect(() => vescOptionsOf(robot, ['depthM'])).toThrow(/no signal depthM, which task test needs/);
  });

  it('is refused where it contradicts itself', () => {
    const wrong = (change: Partial<VescConfig>) => vescKind.problems?.({ ...config, ...change });
    expect(wrong({})).toEqual([]);
    expect(wrong({ steering: { ...config.steering, perRad: 0 } })).toEqual([expect.stringContaining('perRad is 0')]);
    expect(wrong({ battery: { ...config.battery!, stopV: 3.8 } })).toEqual([expect.stringContaining('battery')]);
  });
});
