import { describe, expect, it } from 'vitest';
import { ur5eLike as arm6 } from '../../tests/support/robot-models.ts';
import { ArmDynamics, LINK_PARAMETERS } from './arm-dynamics.ts';
import { Rng } from './rng.ts';
import type { RobotModel } from './robot-model.ts';

const sliding: RobotModel = {
  ...arm6,
  joints: arm6.joints.map((joint, i) => (i === 2 ? { ...joint, kind: 'prismatic' as const } : joint)),
};

describe.each([
  ['arm6', arm6],
  ['an arm with a sliding joint', sliding],
])('dynamics in momentum form of %s', (_, model) => {
  const n = model.joints.length;
  const rng = new Rng(3);
  const draw = (scale: number): Float64Array => Float64Array.from({ length: n }, () => scale * (2 * rng.uniform() - 1));
  const parameters = Float64Array.from({ length: LINK_PARAMETERS * n }, (_v, k) => {
    const place = k % LINK_PARAMETERS;
    if (place >= 11) return 0;
    return place === 0 ? 1 + rng.uniform() : 0.3 * (2 * rng.uniform() - 1);
  });

  /** T = ½·q̇ᵀp, as p is linear in q̇. */
  const kineticJ = (dynamics: ArmDynamics, q: Float64Array, v: Float64Array): number => {
    dynamics.place(q, v);
    dynamics.apply(parameters);
    return 0.5 * dynamics.momentum.reduce((sum, p, i) => sum + p * v[i]!, 0);
  };

  it('is ∂T/∂q̇, and its drift without weight is ∂T/∂q', () => {
    const dynamics = new ArmDynamics(model, 'compensated');
    const q = draw(2);
    const v = draw(2);
    dynamics.place(q, v);
    dynamics.apply(parameters);
    const momentum = dynamics.momentum.slice();
    const drift = dynamics.drift.slice();
    const h = 1e-5;
    for (let i = 0; i < n; i++) {
      const shifted = (by: number) => q.map((x, k) => (k === i ? x + by : x));
      const faster = (by: number) => v.map((x, k) => (k === i ? x + by : x));
      const byVelocity = (kineticJ(dynamics, q, faster(h)) - kineticJ(dynamics, q, faster(-h))) / (2 * h);
      const byPosition = (kineticJ(dynamics, shifted(h), v) - kineticJ(dynamics, shifted(-h), v)) / (2 * h);
      expect(momentum[i]).toBeCloseTo(byVelocity, 6);
      expect(drift[i]).toBeCloseTo(byPosition, 6);
    }
  });

  it('holds at rest, against the weight, the gradient of its potential', () => {
    const dynamics = new ArmDynamics(model, 'measured');
    const q = draw(2);
    const potentialJ = (at: Float64Array): number => {
      const { linkFrames } = dynamics.kinematics;
      dynamics.kinematics.forward(at);
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const [m, x, y, z] = parameters.subarray(LINK_PARAMETERS * i, LINK_PARAMETERS * i + 4) as unknown as number[];
        const f = linkFrames.subarray(12 * i, 12 * i + 12);
        sum += 9.81 * (m! * f[11]! + f[6]! * x! + f[7]! * y! + f[8]! * z!);
      }
      return sum;
    };
    dynamics.place(q, new Float64Array(n));
    dynamics.apply(parameters);
    const drift = dynamics.drift.slice();
    const h = 1e-5;
    for (let i = 0; i < n; i++) {
      const shifted = (by: number) => q.map((x, k) => (k === i ? x + by : x));
      expect(-drift[i]!).toBeCloseTo((potentialJ(shifted(h)) - potentialJ(shifted(-h))) / (2 * h), 5);
    }
  });

  it('gives NaN for NaN', () => {
    const dynamics = new ArmDynamics(model, 'measured');
    dynamics.place(new Float64Array(n).fill(Number.NaN), new Float64Array(n));
    dynamics.apply(parameters);
    expect(dynamics.drift[0]).toBeNaN();
  });
});
