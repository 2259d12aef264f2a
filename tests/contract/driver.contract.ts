/** What every driver keeps to. Call `describeDriver` from a test file with a factory for yours. */
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRobotState, type RobotModel, type RobotState, type Vec } from '../../src/core/index.ts';
import type { Driver } from '../../src/drivers/index.ts';
import { vec } from '../support/vec.ts';

export interface DriverSubject {
  readonly driver: Driver;
  readonly model: RobotModel;
}

/**
 * Runs the contract on drivers that `create` makes, closed and at the model's home pose or near it. `readings`: of so many one has to be
 * whole; more than one where a busy machine may hold a bus up.
 */
export function describeDriver(name: string, create: () => DriverSubject | Promise<DriverSubject>, readings = 1): void {
  describe(`the ${name} driver`, () => {
    let driver: Driver;
    let model: RobotModel;
    let state: RobotState;

    beforeEach(async () => {
      ({ driver, model } = await create());
      state = createRobotState(model.joints.length, driver.signalNames.length);
      await driver.open();
    });

    afterEach(() => driver.close());

    /** Torque comes on where each joint was read: one of so many readings has to be whole. */
    const readWhole = (): ReturnType<Driver['read']> => {
      let status = driver.read(state);
      for (let tries = 1; tries < readings && status !== 'ok'; tries++) status = driver.read(state);
      return status;
    };

    it('names its joints in the order of the model', () => {
      expect(driver.jointNames).toEqual(model.joints.map((joint) => joint.name));
    });

    it('measures finite numbers inside the limits before torque is on', () => {
      expect(readWhole()).toBe('ok');
      for (const [i, joint] of model.joints.entries()) {
        expect(state.positionRad[i]).toBeGreaterThanOrEqual(joint.positionMinRad);
        expect(state.positionRad[i]).toBeLessThanOrEqual(joint.positionMaxRad);
        expect(state.velocityRadPerS[i]).toSatisfy(Number.isFinite);
        expect(state.torqueNm[i]).toSatisfy(Number.isFinite);
      }
      expect([...state.wrench, ...state.signals]).toSatisfy((numbers: number[]) => numbers.every(Number.isFinite));
    });

    it('lets its time of measurement rise', () => {
      driver.read(state);
      const before = state.measuredAtS;
      for (let i = 0; i < 5; i++) driver.read(state);
      expect(state.measuredAtS).toBeGreaterThan(before);
    });

    it('holds the measured pose when torque comes on', () => {
      readWhole();
      const before = Float64Array.from(state.positionRad);
      driver.enable();
      for (let i = 0; i < 100; i++) driver.read(state);
      expect(largestDifference(state.positionRad, before)).toBeLessThan(0.02);
    });

    it('goes to the reference', () => {
      readWhole();
      driver.enable();
      const reference = shifted(state.positionRad, 0.05);
      for (let i = 0; i < 200; i++) {
        expect(driver.write(reference)).toBe('ok');
        driver.read(state);
      }
      expect(largestDifference(state.positionRad, reference)).toBeLessThan(0.02);
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e9])('refuses %d and stays where it is', (value) => {
      readWhole();
      driver.enable();
      const before = Float64Array.from(state.positionRad);
      const reference = vec<'rad'>(state.positionRad);
      reference[0] = value;
      for (let i = 0; i < 50; i++) {
        expect(driver.write(reference)).toBe('rejected');
        driver.read(state);
      }
      expect(largestDifference(state.positionRad, before)).toBeLessThan(0.02);
    });

    it('copies the reference and never changes it', () => {
      readWhole();
      driver.enable();
      const reference = shifted(state.positionRad, 0.02);
      const sent = Float64Array.from(reference);
      driver.write(reference);
      expect(Float64Array.from(reference)).toEqual(sent);
      reference.fill(Number.NaN);
      for (let i = 0; i < 50; i++) driver.read(state);
      expect(largestDifference(state.positionRad, sent)).toBeLessThan(0.05);
    });

    it('can be closed twice, and says that it is lost afterwards', async () => {
      await driver.close();
      await driver.close();
      expect(driver.read(state)).toBe('lost');
    });

    it('says how another process stops its bus, where it has one, and that does not change', (context) => {
      const { bus } = driver;
      if (bus === undefined) return context.skip('it has no bus of its own');
      expect(statSync(bus.path).isFIFO() || statSync(bus.path).isCharacterDevice()).toBe(true);
      const digits = (): string[] => bus.stopFrames.map((frame) => Buffer.from(frame).toString('hex'));
      const before = digits();
      // In one piece: what a pipe takes whole.
      expect(before.join('').length / 2).toSatisfy((bytes: number) => bytes >= 1 && bytes <= 4096);
      // A second descriptor can be had while the driver is open: the guardian's.
      closeSync(openSync(bus.path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK));
      readWhole();
      driver.enable();
      driver.write(shifted(state.positionRad, 0.01));
      expect(digits()).toEqual(before);
    });

    it('puts the same scene the same way', (context) => {
      const { scene } = driver;
      if (scene === undefined) return context.skip('a real robot has no scene to reset');
      driver.enable();
      const layout = { jointsRad: model.homeRad, objects: {}, signals: {} };
      const run = (): number[] => {
        scene.reset(layout);
        for (let i = 0; i < 20; i++) driver.read(state);
        return [...state.positionRad, ...state.velocityRadPerS, ...state.wrench];
      };
      expect(run()).toEqual(run());
    });
  });
}

function shifted(positionRad: Vec<'rad'>, byRad: number): Vec<'rad'> {
  return vec<'rad'>(positionRad.map((value) => value + byRad));
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));
}
