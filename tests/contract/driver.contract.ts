/** What every driver keeps to. Call `describeDriver` from a test file with a factory for yours. */
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDriverReport, type Driver, type DriverFacts } from '../../src/drivers/index.ts';
import type { RobotModel, Vec } from '../../src/model/index.ts';
import { createRobotState, type RobotState } from '../../src/rows/index.ts';
import { vec } from '../support/vec.ts';

export interface DriverSubject {
  readonly driver: Driver;
  readonly model: RobotModel;
}

/**
 * Runs the contract on drivers that `create` makes, closed and at the model's home pose or near it. `readings`: of so many one has to be
 * whole, and of so many requests one granted; more than one where a busy machine may hold a bus up.
 */
export function describeDriver(name: string, create: () => DriverSubject | Promise<DriverSubject>, readings = 1): void {
  describe(`the ${name} driver`, () => {
    let driver: Driver;
    let facts: DriverFacts;
    let model: RobotModel;
    let state: RobotState;

    beforeEach(async () => {
      ({ driver, model } = await create());
      facts = await driver.open();
      state = createRobotState(model.joints.length, facts.signalNames.length);
    });

    afterEach(() => driver.close());

    /** Torque comes on where each joint was read: one of so many readings has to be whole. */
    const readWhole = (): ReturnType<Driver['read']> => {
      let status = driver.read(state);
      for (let tries = 1; tries < readings && status !== 'ok'; tries++) status = driver.read(state);
      return status;
    };

    it('names its joints in the order of the model', () => {
      expect(facts.jointNames).toEqual(model.joints.map((joint) => joint.name));
    });

    it('gives its facts as plain data, which cross threads as they are', () => {
      expect(structuredClone(facts)).toEqual(facts);
    });

    it('has one report for its life, with all that a report has, and writes it in place', async () => {
      const { report } = driver;
      const kinds = (of: object): unknown[] => Object.entries(of).map(([key, value]) => [key, Object(value).length]);
      expect(kinds(report)).toEqual(kinds(createDriverReport()));
      const before = { ...report };
      driver.torque(1);
      for (let i = 0; i < 5; i++) driver.read(state);
      driver.service('passFirstMotion');
      expect(driver.report).toBe(report);
      expect(report.needsFirstMotion).toBe(false);
      for (const key of ['busCounters', 'distance', 'meanWrench'] as const) expect(report[key]).toBe(before[key]);
      // What it says to measure is a number; the rest is none.
      expect([...report.meanWrench].every(Number.isFinite)).toBe(facts.measuresMeanWrench === true);
      expect([...report.busCounters].every(Number.isNaN)).toBe(facts.countsBus !== true);
      expect(report.distance[1] !== 0).toBe(facts.measuresDistance === true);
    });

    it('answers every service it may be asked for, or has nothing to do for it', () => {
      readWhole();
      for (const request of ['prepare', 'recover', 'passFirstMotion', 'endCommands'] as const) {
        let answer = driver.service(request);
        for (let tries = 1; tries < readings && typeof answer === 'object'; tries++) answer = driver.service(request);
        expect(['done', 'nothing'], request).toContain(answer);
      }
    });

    it('gives the same facts when it is opened again', async () => {
      await driver.close();
      expect(await driver.open()).toEqual(facts);
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
      driver.torque(1);
      for (let i = 0; i < 100; i++) driver.read(state);
      expect(largestDifference(state.positionRad, before)).toBeLessThan(0.02);
    });

    it('goes to the reference', () => {
      readWhole();
      driver.torque(1);
      const reference = shifted(state.positionRad, 0.05);
      for (let i = 0; i < 200; i++) {
        expect(driver.write(reference)).toBe('ok');
        driver.read(state);
      }
      expect(largestDifference(state.positionRad, reference)).toBeLessThan(0.02);
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e9])('refuses %d and stays where it is', (value) => {
      readWhole();
      driver.torque(1);
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
      driver.torque(1);
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
      const { bus } = facts;
      if (bus === undefined) return context.skip('it has no bus of its own');
      expect(statSync(bus.path).isFIFO() || statSync(bus.path).isCharacterDevice()).toBe(true);
      const digits = (): string[] => bus.stopFrames.map((frame) => Buffer.from(frame).toString('hex'));
      const before = digits();
      // In one piece: what a pipe takes whole.
      expect(before.join('').length / 2).toSatisfy((bytes: number) => bytes >= 1 && bytes <= 4096);
      // A second descriptor can be had while the driver is open: the guardian's.
      closeSync(openSync(bus.path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK));
      readWhole();
      driver.torque(1);
      driver.write(shifted(state.positionRad, 0.01));
      expect(digits()).toEqual(before);
    });

    it('puts the same scene the same way', (context) => {
      const { scene } = driver;
      if (scene === undefined) return context.skip('a real robot has no scene to reset');
      driver.torque(1);
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
