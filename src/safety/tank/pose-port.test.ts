import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { bookedJ, bookedWithBrakeJ, injectedJ, sentJ, withBrakeJ } from '../../../tests/support/spring-costs.ts';
import { times } from '../../../tests/support/times.ts';
import {
  ArmKinematics,
  createRobotState,
  matrixFromQuaternion,
  Rng,
  type RobotModel,
  rotationError,
  type TankModel,
} from '../../core/index.ts';
import { brakeStep } from '../limits/brake.ts';
import { EnergyTank } from './energy-tank.ts';
import { DISSIPATED, RELEASED } from './port.ts';
import { PosePort } from './pose-port.ts';

const T = 0.01;
const K = [2000, 2000, 2000, 40, 40, 40] as const;
const D = [89, 89, 89, 2, 2, 3] as const;
const tank: TankModel = {
  port: 'setPoint',
  startJ: 2,
  minJ: 0.1,
  maxJ: 4,
  powerMaxW: 80,
  recovery: 0.9,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
  stiffness: K,
  damping: D,
};
const model: RobotModel = { ...ur5eLike, tank };
const home = ur5eLike.homeRad;

/** Reckoned once more: ½eᵀKe between the tools of two poses. */
function storedJ(sent: ArrayLike<number>, q: ArrayLike<number>): number {
  const poses = [sent, q].map((joints) => {
    const arm = new ArmKinematics(model);
    arm.forward(joints);
    const pose = new Float64Array(7);
    arm.writeTcp(pose);
    return pose;
  });
  const [a, b] = poses.map((pose) => {
    const rotation = new Float64Array(9);
    matrixFromQuaternion(rotation, pose, 3);
    return rotation;
  });
  const error = new Float64Array(6);
  for (let k = 0; k < 3; k++) error[k] = poses[0]![k]! - poses[1]![k]!;
  rotationError(error, a!, b!, 3);
  return error.reduce((sum, e, k) => sum + 0.5 * K[k]! * e * e, 0);
}

describe('the port of a Cartesian spring', () => {
  it('books what a moved set-point puts into the spring between it and the tool', () => {
    const port = new PosePort(model);
    port.restAt(home);
    const q = home.map((each, i) => each + 0.01 * (i - 2));
    port.begin(q, true, Float64Array.of(T));
    const to = home.map((each, i) => each - 0.02 * (i - 3));
    const expected = storedJ(to, q) - storedJ(home, q);
    expect(injectedJ(port, to)).toBeCloseTo(expected, 9);
    expect(bookedJ(port, to)).toBeCloseTo(expected, 9);
    const on = [0.1, 0, 0, 0, 0, 0];
    expect(withBrakeJ(port, to, on, 0)).toBeCloseTo(expected, 9);
    expect(bookedWithBrakeJ(port, to, on, 0.5)).toBeGreaterThanOrEqual(expected);
    expect(sentJ(port, to)).toBeCloseTo(expected, 9);
    const hold = new Float64Array(6);
    port.writeHold(hold);
    expect(bookedJ(port, hold)).toBe(0);
    expect([...hold]).toEqual(to);
    expect(port.costJ[RELEASED]!).toBe(0);
  });

  it('credits what the tool’s dampers took out on the straight way, of a turn by the least of the three', () => {
    const port = new PosePort(model);
    port.restAt(home);
    port.begin(home, true, Float64Array.of(T));
    expect(port.costJ[DISSIPATED]!).toBe(0);
    const q = home.map((each, i) => (i === 5 ? each + 0.01 : each));
    port.begin(q, true, Float64Array.of(T));
    // The last joint turns the tool about itself.
    expect(port.costJ[DISSIPATED]!).toBeCloseTo((2 * 0.01 * 0.01) / T, 9);
    expect(port.isRelaxed).toBe(false);
    port.begin(q, true, Float64Array.of(Number.NaN));
    expect(port.costJ[DISSIPATED]!).toBe(0);
    port.begin(home, true, Float64Array.of(T));
    port.begin(home, true, Float64Array.of(T));
    expect(port.isRelaxed).toBe(true);
  });

  it('waits until a way is sure beside the noise of readings, or the window ends, and credits no more than was taken out', () => {
    const noiseRad = 1e-4;
    const port = new PosePort({ ...model, joints: model.joints.map((j) => ({ ...j, encoderNoiseRad: noiseRad })) });
    /** What the turn of the last joint at `radPerS` was credited in `ticks`, and in how many of them. */
    const turn = (radPerS: number, ticks: number): { creditedJ: number; times: number } => {
      const all = { creditedJ: 0, times: 0 };
      port.restAt(home);
      for (let k = 0; k <= ticks; k++) {
        const q = home.map((each, i) => (i === 5 ? each + radPerS * k * T : each));
        port.begin(q, true, Float64Array.of(T));
        all.creditedJ += port.costJ[DISSIPATED]!;
        if (port.costJ[DISSIPATED]! > 0) all.times++;
      }
      return all;
    };
    const takenJ = (radPerS: number, ticks: number): number => 2 * radPerS * radPerS * ticks * T;
    // Fast, in every second tick or so; slowly, once in each window of a tenth of a second; all within the noise, never.
    const fast = turn(2, 20);
    expect(fast.times).toBeGreaterThan(5);
    expect(fast.creditedJ).toBeGreaterThan(0.5 * takenJ(2, 20));
    expect(fast.creditedJ).toBeLessThanOrEqual(takenJ(2, 20));
    const slow = turn(0.05, 20);
    expect(slow.times).toBe(2);
    expect(slow.creditedJ).toBeLessThanOrEqual(takenJ(0.05, 20));
    expect(turn(0.001, 20).creditedJ).toBe(0);
  });

  it('takes the noise of a joint that slides for a shift of the tool, and for no turn', () => {
    const noiseM = 1e-3;
    const slides = (encoderNoiseRad: number): RobotModel => ({
      ...model,
      joints: model.joints.map((j, i) => (i === 5 ? { ...j, kind: 'prismatic', encoderNoiseRad } : j)),
    });
    // The first joint turns the tool and shifts it.
    const to = home.map((each, i) => (i === 0 ? each + 0.02 : each));
    const [exactJ, noisyJ] = [0, noiseM].map((noise) => {
      const port = new PosePort(slides(noise));
      port.restAt(home);
      port.begin(home, true, Float64Array.of(T));
      return injectedJ(port, to);
    });
    const [from, there] = [home, to].map((joints) => {
      const arm = new ArmKinematics(slides(0));
      arm.forward(joints);
      return arm.tcpPositionM;
    });
    const pathM = from!.reduce((sum, each, k) => sum + Math.abs(there![k]! - each), 0);
    expect(noisyJ! - exactJ!).toBeCloseTo(noiseM * K[0] * pathM, 9);
  });

  it('sends nothing new where nobody knows where the tool is', () => {
    const port = new PosePort(model);
    port.restAt(home);
    port.begin(home, false, Float64Array.of(T));
    expect(bookedJ(port, home)).toBe(0);
    expect(
      bookedJ(
        port,
        home.map((each) => each + 1e-6),
      ),
    ).toBe(Number.POSITIVE_INFINITY);
  });

  it('theorem: in the tank, whatever comes, floor and brim are kept and all is paid for', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 0.02, 0.2), (seed, jump) => {
        const stage = new EnergyTank(model, T / 2);
        const rng = new Rng(seed);
        const reference = Float64Array.from(home);
        const velocity = new Float64Array(6);
        const sent = Float64Array.from(home);
        const state = createRobotState(6, 0);
        state.positionRad.set(home);
        stage.restAt(reference);
        let real = 0;
        let back = 0;
        let least = Number.POSITIVE_INFINITY;
        let unpaid = 0;
        for (let tick = 0; tick < 60; tick++) {
          const before = sent.slice();
          for (let i = 0; i < 6; i++) {
            const q = state.positionRad[i]!;
            state.positionRad[i] = q + 0.3 * (sent[i]! - q) + rng.uniformIn(-jump, jump);
          }
          state.measuredAtS = tick + 1;
          stage.begin(state, times(T));
          const u = velocity.slice();
          const isWanted = rng.uniform() < 0.9;
          brakeStep(u, model, velocity, times(T));
          if (isWanted) {
            if (stage.isHeld) stage.rejoin(u, reference, times(T));
            for (let i = 0; i < 6; i++) u[i] = stage.isHeld ? u[i]! : velocity[i]! + rng.uniformIn(-0.1, 0.1);
            stage.limit(u, reference, velocity, times(T));
          }
          velocity.set(u);
          for (let i = 0; i < 6; i++) reference[i] = reference[i]! + u[i]! * T;
          stage.send(sent, reference, velocity, times(T), isWanted);
          real += storedJ(sent, state.positionRad) - storedJ(before, state.positionRad);
          back += stage.creditedJ;
          least = Math.min(least, stage.energyJ);
          unpaid = Math.max(unpaid, real - back);
        }
        expect(least).toBeGreaterThanOrEqual(0.1 - 1e-8);
        expect(unpaid).toBeLessThanOrEqual(1.9 + 1e-7);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    { stiffness: undefined },
    { stiffness: [0, 1, 1, 1, 1, 1] as const },
    { damping: undefined },
    { damping: [-1, 1, 1, 1, 1, 1] as const },
    { velocityFeedForward: true },
    { delayTicks: 1 },
  ])('refuses %o', (wrong) => {
    expect(() => new PosePort({ ...model, tank: { ...tank, ...wrong } })).toThrow(RangeError);
  });

  it('refuses a robot without a tank', () => {
    expect(() => new PosePort(ur5eLike)).toThrow(RangeError);
  });
});
