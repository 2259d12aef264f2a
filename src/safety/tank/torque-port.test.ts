import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { Rng, type RobotModel, type TankModel } from '../../core/index.ts';
import { TorquePort } from './torque-port.ts';

const T = 0.01;
const tank: TankModel = { port: 'joint', startJ: 2, minJ: 0.1, maxJ: 4, powerMaxW: 80, recovery: 0 };
const model: RobotModel = { ...oddArm3, tank };

describe('the port of torque-commanded joints', () => {
  it('sets aside Σ|τ|·v_max·dt, and books τᵀΔq a tick later', () => {
    const port = new TorquePort(model);
    port.settle([0, 0, 0]);
    const torque = Float64Array.of(2, -1, 0.5);
    port.limit(torque, [0, 0, 0], T);
    expect([...torque]).toEqual([2, -1, 0.5]);
    expect(port.scale).toBe(1);
    expect(port.energyJ).toBeCloseTo(2, 12);
    port.settle([0.01, 0.002, -0.001]);
    expect(port.injectedJ).toBeCloseTo(2 * 0.01 - 0.002 - 0.0005, 12);
    expect(port.energyJ).toBeCloseTo(2 - port.injectedJ, 12);
  });

  it('scales what it cannot set aside, and leaves the brake its torque', () => {
    const poor = new TorquePort({ ...model, tank: { ...tank, startJ: 0.12 } });
    poor.settle([0, 0, 0]);
    const torque = Float64Array.of(5, 5, 5);
    poor.limit(torque, [0, 0, 0], T);
    expect(poor.scale).toBeCloseTo(0.02 / (5 * (1.2 + 0.9 + 3) * T), 12);
    expect(torque[0]).toBeCloseTo(5 * poor.scale, 12);
    const dry = new TorquePort({ ...model, tank: { ...tank, startJ: 0.1 } });
    dry.settle([0, 0, 0]);
    const braking = Float64Array.of(-5, 5, 0.2);
    dry.limit(braking, [0.4, 0.4, -0.9], T);
    // Against the motion, and no stronger than d·|q̇| with d = 1.
    expect([...braking]).toEqual([-0.4, 0, 0.2]);
    dry.settle([0.004, 0.004, -0.009]);
    expect(dry.injectedJ).toBeLessThan(0);
    expect(dry.energyJ).toBeGreaterThan(0.1);
  });

  it('clips to the joints’ torques and sends none that is no number', () => {
    const port = new TorquePort(model);
    port.settle([0, 0, 0]);
    const torque = Float64Array.of(50, -50, 0);
    port.limit(torque, [0, 0, 0], T);
    expect([...torque]).toEqual([5, -5, 0]);
    port.settle([0, 0, 0]);
    const broken = Float64Array.of(Number.NaN, 1, 1);
    port.limit(broken, [0, 0, 0], T);
    expect([...broken]).toEqual([0, 0, 0]);
    const timeless = Float64Array.of(1, 1, 1);
    port.limit(timeless, [0, 0, 0], Number.NaN);
    expect([...timeless]).toEqual([0, 0, 0]);
  });

  it('spends all that was set aside where nobody knows what the joints did, and exerts nothing until they are seen', () => {
    const port = new TorquePort(model);
    port.settle([0, 0, 0]);
    port.limit(Float64Array.of(2, 0, 0), [0, 0, 0], T);
    port.settle([0, Number.NaN, 0]);
    expect(port.injectedJ).toBeCloseTo(2 * 1.2 * T, 12);
    expect(port.energyJ).toBeCloseTo(2 - 2 * 1.2 * T, 12);
    const torque = Float64Array.of(2, 0, 0);
    port.limit(torque, [0, 0, 0], T);
    expect([...torque]).toEqual([0, 0, 0]);
    port.settle([0, 0]);
    expect(port.injectedJ).toBe(0);
    port.refill();
    expect(port.energyJ).toBe(2);
  });

  it('never falls below its floor while no joint is faster than it may be', () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0.1, max: 2, noNaN: true }), (seed, startJ) => {
        const port = new TorquePort({ ...model, tank: { ...tank, startJ } });
        const rng = new Rng(seed);
        const q = [0, 0, 0];
        let least = Number.POSITIVE_INFINITY;
        let put = 0;
        const torque = new Float64Array(3);
        port.settle(q);
        for (let tick = 0; tick < 200; tick++) {
          const speed = model.joints.map(({ velocityMaxRadPerS: v }) => rng.uniformIn(-v, v));
          for (let i = 0; i < 3; i++) torque[i] = rng.uniform() < 0.02 ? Number.NaN : rng.uniformIn(-9, 9);
          port.limit(torque, speed, T);
          for (let i = 0; i < 3; i++) {
            q[i] = q[i]! + speed[i]! * T;
            put += torque[i]! * speed[i]! * T;
          }
          port.settle(q);
          least = Math.min(least, port.energyJ);
        }
        expect(least).toBeGreaterThanOrEqual(0.1 - 1e-9);
        expect(put).toBeLessThanOrEqual(startJ - 0.1 + 1e-9);
      }),
    );
  });

  it('refuses a robot without a tank', () => {
    expect(() => new TorquePort(oddArm3)).toThrow(RangeError);
  });
});
