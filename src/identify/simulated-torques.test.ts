/** Checks with the observer that the simulated arm's torques and forces belong to the same time. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Driver, arm6Setup, jointsAt, pegTask } from '../../tests/support/arm6.ts';
import { vec } from '../../tests/support/vec.ts';
import type { MujocoDriver } from '../drivers/mujoco.ts';
import { createRobotState, type RobotState } from '../rows/index.ts';
import { TorqueObserver } from '../safety/index.ts';

const setup = arm6Setup();
const model = setup.config.robot;
const [X, Y, Z] = pegTask(setup).hole.originM;
const PERIOD_S = 1 / model.controlHz;

describe('the torques and forces of the simulated arm', () => {
  let driver: MujocoDriver;
  let state: RobotState;

  beforeEach(async () => {
    driver = arm6Driver(setup);
    await driver.open();
    state = createRobotState(model.joints.length, driver.facts.signalNames.length);
  });

  afterEach(() => driver.close());

  /** Places the tip at `tipM`, torque on. */
  function start(tipM: readonly [number, number, number]): number[] {
    const jointsRad = jointsAt(model, tipM);
    driver.scene.reset({ jointsRad, objects: { hole: [X, Y, Z, 0] }, signals: {} });
    driver.torque(1);
    return jointsRad;
  }

  /** Strikes the plate beside the hole; returns the largest share of its limits in an observer, and the largest force, N. */
  function strike(feel: (reading: RobotState) => Float64Array): { share: number; forceN: number; flags: number } {
    const observer = new TorqueObserver(model);
    const limits = model.torqueObserver!.externalMaxNm;
    const sentRad = Float64Array.from(start([X + 0.03, Y, Z + 0.03]));
    let share = 0;
    let forceN = 0;
    let flags = 0;
    driver.read(state);
    const below = jointsAt(model, [X + 0.03, Y, Z - 0.01]);
    for (let t = 1; t <= 60; t++) {
      const ratio = Math.min(1, t / 8);
      for (let i = 0; i < sentRad.length; i++) sentRad[i] = sentRad[i]! + (below[i]! - sentRad[i]!) * ratio;
      driver.write(vec(sentRad));
      driver.read(state);
      flags |= observer.check(state, sentRad, PERIOD_S, true, feel(state));
      forceN = Math.max(forceN, Math.abs(driver.report.meanWrench[2]!));
      for (let i = 0; i < limits.length; i++) share = Math.max(share, Math.abs(observer.externalNm[i]!) / limits[i]!);
    }
    return { share, forceN, flags };
  }

  it('gives the force at the tool as the mean over the period, which its torques are: a strike leaves no residual', () => {
    const felt = strike(() => driver.report.meanWrench);
    expect(felt.forceN).toBeGreaterThan(60);
    expect(felt.flags).toBe(0);
    expect(felt.share).toBeLessThan(0.3);
    // The filtered sample of the last physics step is a different force.
    expect(strike(({ wrench }) => wrench).share).toBeGreaterThan(1);
  });

  it('measures the torque that a servo gave where it saturated on the way', () => {
    const WRIST_1 = 3;
    const { torqueMaxNm } = model.joints[WRIST_1]!;
    const observer = new TorqueObserver(model);
    const sentRad = Float64Array.from(start([X, Y, Z + 0.1]));
    let share = 0;
    let mostNm = 0;
    driver.read(state);
    for (let t = 0; t < 40; t++) {
      // More than the servo can exert, for a tick each way: chatter of a reference that no chain produced.
      sentRad[WRIST_1] = sentRad[WRIST_1]! + (Math.floor(t / 3) % 2 === 0 ? 0.05 : -0.05);
      driver.write(vec(sentRad));
      driver.read(state);
      observer.check(state, sentRad, PERIOD_S, true, driver.report.meanWrench);
      mostNm = Math.max(mostNm, Math.abs(state.torqueNm[WRIST_1]!));
      share = Math.max(share, Math.abs(observer.externalNm[WRIST_1]!) / model.torqueObserver!.externalMaxNm[WRIST_1]!);
    }
    expect(mostNm).toBeCloseTo(torqueMaxNm, 6);
    expect(share).toBeLessThan(0.3);
  });
});
