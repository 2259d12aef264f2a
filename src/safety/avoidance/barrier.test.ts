import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { jointSpec } from '../../../tests/support/adversary.ts';
import { tried } from '../../../tests/support/cases.ts';
import { Bench, toolBench } from '../../../tests/support/chain-bench.ts';
import { guardedArm } from '../../../tests/support/guarded-robots.ts';
import { diffBase, ur5eLike } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { BARRIER_BRAKE, BARRIER_STEERED, SHIELD_BRAKE, SHIELD_SCALED } from '../bits.ts';
import { brakeStep } from '../limits/brake.ts';
import { JointBrakeBound } from '../limits/brake-bound.ts';
import { Limiter } from '../limits/limiter.ts';
import { ActiveSet } from './active-set.ts';
import { Barrier } from './barrier.ts';
import { Clearances } from './clearances.ts';

/** The arm in a cage so small that a wall is near for every tool position. */
const homeM = new ArmKinematics(guardedArm).tcpPositionM;
const cagedArm: RobotModel = {
  ...guardedArm,
  points: [],
  workspace: {
    minM: [homeM[0]! - 0.015, homeM[1]! - 0.015, homeM[2]! - 0.015],
    maxM: [homeM[0]! + 0.015, homeM[1]! + 0.015, homeM[2]! + 0.015],
  },
};
const n = guardedArm.joints.length;
const TICK_S = 1 / guardedArm.controlHz;
/** Uniform draws: most doubles are next to zero. */
const share = fc.integer({ min: -1000, max: 1000 }).map((x) => x / 1000);
const shares = fc.array(share, { minLength: n, maxLength: n });
const pose = shares.map((near) =>
  guardedArm.joints.map(({ positionMinRad, positionMaxRad }, i) =>
    Math.min(Math.max(guardedArm.homeRad[i]! + 0.02 * near[i]!, positionMinRad), positionMaxRad),
  ),
);

afterEach(() => {
  vi.restoreAllMocks();
});

/** A barrier at one pose and speed, with the box that limiter and brake bound leave. */
class Scene {
  readonly low: Float64Array = new Float64Array(n);
  readonly high: Float64Array = new Float64Array(n);
  readonly previous: Float64Array;
  readonly clearances: Clearances;
  readonly #model: RobotModel;
  readonly #barrier: Barrier;
  readonly #arm: ArmKinematics;

  constructor(joints: readonly number[], speeds: readonly number[], model: RobotModel = cagedArm) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#arm.forward(joints);
    this.clearances = new Clearances(model);
    this.clearances.measureGradients(this.#arm);
    this.#barrier = new Barrier(model, this.clearances);
    this.previous = Float64Array.from(speeds, (x, i) => 0.08 * x * model.joints[i]!.velocityMaxRadPerS);
    new Limiter(model, 0).writeBox(this.low, this.high, this.previous, times(TICK_S));
    new JointBrakeBound(model, TICK_S / 2).narrow(this.low, this.high, Float64Array.from(joints), times(TICK_S));
  }

  /** A velocity inside the box. */
  requested(shares: readonly number[]): Float64Array {
    return Float64Array.from(shares, (x, i) => {
      return Math.min(this.low[i]! + ((x + 1) / 2) * (this.high[i]! - this.low[i]!), this.high[i]!);
    });
  }

  filter(velocity: Float64Array): number {
    return this.#barrier.apply(velocity, this.low, this.high, this.previous, this.#arm, times(TICK_S));
  }

  /** Returns the excess use of any clearance by `u`, m, by the documented rule. */
  excess(u: Float64Array): number {
    const most = u.map((_, i) => Math.max(Math.abs(this.low[i]!), Math.abs(this.high[i]!)));
    const lengthS = TICK_S + Math.max(...most.map((m, i) => m / this.#model.joints[i]!.accelMaxRadPerS2)) / 2;
    this.clearances.boundMotion(most);
    const { h, gradient, bend } = this.clearances;
    return Math.max(
      ...h.map((clearanceM, r) => {
        const approach = -u.reduce((sum, speed, i) => sum + gradient[n * r + i]! * speed, 0);
        return approach * lengthS - Math.max(0, 0.5 * clearanceM - 0.5 * bend[r]! * lengthS ** 2);
      }),
    );
  }

  cost(u: Float64Array, wanted: Float64Array): number {
    return u.reduce((sum, x, i) => sum + ((x - wanted[i]!) / this.#model.joints[i]!.velocityMaxRadPerS) ** 2, 0);
  }
}

/** Runs `check` for many scenes; returns the number of steered ones. */
function forScenes(check: (scene: Scene, wanted: Float64Array, u: Float64Array, bits: number) => void): number {
  let steered = 0;
  fc.assert(
    fc.property(pose, shares, shares, (joints, speeds, requested) => {
      const scene = new Scene(joints, speeds);
      fc.pre(scene.clearances.h.every((clearanceM) => clearanceM >= 0));
      const wanted = scene.requested(requested);
      const u = wanted.slice();
      const bits = scene.filter(u);
      if (bits === BARRIER_STEERED) steered++;
      check(scene, wanted, u, bits);
    }),
    { numRuns: 600 },
  );
  return steered;
}

describe('the barrier', () => {
  it('lets through what keeps all clearances, and steers the rest into box and rows', () => {
    const steered = forScenes((scene, wanted, u, bits) => {
      if (bits === 0) expect(u).toEqual(wanted);
      if (scene.excess(wanted) < -1e-9) expect(bits).toBe(0);
      if (bits === BARRIER_BRAKE) return;
      expect(scene.excess(u)).toBeLessThanOrEqual(1e-11);
      for (let i = 0; i < n; i++) {
        expect(u[i]).toBeGreaterThanOrEqual(scene.low[i]!);
        expect(u[i]).toBeLessThanOrEqual(scene.high[i]!);
      }
    });
    expect(steered).toBeGreaterThan(tried(100));
  });

  it('is minimal: no velocity between its answer and any other allowed one is nearer to the requested velocity', () => {
    forScenes((scene, wanted, u, bits) => {
      if (bits !== BARRIER_STEERED) return;
      // Rest, the brake step and halves of both: allowed if inside box and rows.
      const brake = new Float64Array(n);
      brakeStep(brake, guardedArm, scene.previous, times(TICK_S));
      for (const other of [new Float64Array(n), brake, wanted.map((x, i) => (x + brake[i]!) / 2)]) {
        const isAllowed = scene.excess(other) <= 0 && other.every((x, i) => x >= scene.low[i]! && x <= scene.high[i]!);
        if (!isAllowed) continue;
        expect(scene.cost(u, wanted)).toBeLessThanOrEqual(scene.cost(other, wanted) + 1e-12);
        const nearer = u.map((x, i) => x + 0.01 * (other[i]! - x));
        expect(scene.cost(u, wanted)).toBeLessThanOrEqual(scene.cost(nearer, wanted) + 1e-12);
      }
    });
  });

  it('changes nothing when filtering twice', () => {
    forScenes((scene, _wanted, u, bits) => {
      if (bits !== BARRIER_STEERED) return;
      const once = u.slice();
      const again = scene.filter(u);
      expect([0, BARRIER_STEERED]).toContain(again);
      for (let i = 0; i < n; i++) expect(u[i]).toBeCloseTo(once[i]!, 11);
    });
  });

  it('is monotone: walls farther away never cost more of the requested velocity', () => {
    fc.assert(
      fc.property(pose, shares, shares, share, (joints, speeds, requested, more) => {
        const { workspace } = cagedArm;
        const wider = {
          minM: workspace.minM.map((x) => x - Math.abs(more) / 5) as [number, number, number],
          maxM: workspace.maxM.map((x) => x + Math.abs(more) / 5) as [number, number, number],
        };
        const [near, far] = [new Scene(joints, speeds), new Scene(joints, speeds, { ...cagedArm, workspace: wider })];
        const wanted = near.requested(requested);
        const [u, v] = [wanted.slice(), wanted.slice()];
        if (((near.filter(u) | far.filter(v)) & BARRIER_BRAKE) !== 0) return;
        expect(far.cost(v, wanted)).toBeLessThanOrEqual(near.cost(u, wanted) + 1e-12);
      }),
      { numRuns: 300 },
    );
  });

  it('is not there for a robot without clearances', () => {
    const base = new Barrier(diffBase, new Clearances(diffBase));
    const u = Float64Array.of(0.5, 1);
    const bound = Float64Array.of(1, 1);
    const arm = new ArmKinematics(diffBase);
    expect(base.apply(u, Float64Array.of(-1, -1), bound, bound, arm, times(0.02))).toBe(0);
    expect([...u]).toEqual([0.5, 1]);
  });
});

/** A requested velocity into a wall. */
function pushed(): [Scene, Float64Array] {
  for (let k = 0; ; k++) {
    const joints = guardedArm.homeRad.map((q, i) => q + 0.01 * Math.sin(3 * k + i));
    const scene = new Scene(
      joints,
      Array.from({ length: n }, (_, i) => Math.cos(5 * k + i)),
    );
    const wanted = scene.requested(Array.from({ length: n }, (_, i) => Math.cos(5 * k + i)));
    if (scene.clearances.h.every((clearanceM) => clearanceM >= 0) && scene.excess(wanted) > 1e-3)
      return [scene, wanted];
  }
}

describe('the barrier brakes', () => {
  const brakes = (scene: Scene, velocity: Float64Array): void => {
    const brake = new Float64Array(n);
    brakeStep(brake, guardedArm, scene.previous, times(TICK_S));
    expect(scene.filter(velocity)).toBe(BARRIER_BRAKE);
    expect(velocity).toEqual(brake);
  };

  it('where no allowed velocity keeps all clearances', () => {
    const [scene, wanted] = pushed();
    scene.low.set(wanted);
    scene.high.set(wanted);
    brakes(scene, wanted);
  });

  it('for a request that is not a number', () => {
    const [scene, wanted] = pushed();
    wanted[1] = Number.NaN;
    brakes(scene, wanted);
  });

  it('when the solver gives up, or its answer is outside the box or breaks a row', () => {
    for (const [status, answer] of [
      ['capped', (scene: Scene) => scene.low],
      ['solved', (scene: Scene) => scene.low.map((x) => x - 1)],
      ['solved', (_: Scene, wanted: Float64Array) => wanted],
      ['solved', (scene: Scene) => scene.low.map(() => Number.NaN)],
    ] as const) {
      const [scene, wanted] = pushed();
      const reported = answer(scene, wanted.slice());
      vi.spyOn(ActiveSet.prototype, 'solve').mockImplementation(function (this: ActiveSet) {
        this.solution.set(reported);
        return status;
      });
      brakes(scene, wanted);
      vi.restoreAllMocks();
    }
    // Rest keeps every row, but the joints cannot stop at once.
    const [scene, wanted] = pushed();
    scene.low.fill(1e-6);
    vi.spyOn(ActiveSet.prototype, 'solve').mockImplementation(function (this: ActiveSet) {
      this.solution.fill(0);
      return 'solved';
    });
    brakes(scene, wanted);
  });

  it('or keeps the rows that the solver has no room for, too', () => {
    // 20 points at the same place: 120 walls, of which the solver sees the first 64.
    const points = Array.from({ length: 20 }, (_, k) => ({
      name: `p${k}`,
      link: ur5eLike.joints[5]!.name,
      positionM: [0, 0, 0.2 + 0.002 * k] as [number, number, number],
    }));
    const model: RobotModel = {
      ...guardedArm,
      tool: ur5eLike.tool,
      joints: ur5eLike.joints,
      points,
      collision: undefined,
    };
    const seen = new Set<number>();
    const bound = { ...model, homeRad: ur5eLike.homeRad, workspace: ur5eLike.workspace, limitMarginRad: 0.02 };
    for (let k = 0; k < 400; k++) {
      const scene = new Scene(
        ur5eLike.homeRad.map((q, i) => q + 0.3 * Math.sin(7 * k + i)),
        ur5eLike.homeRad.map((_, i) => 0.5 * Math.cos(5 * k + i)),
        bound,
      );
      if (!scene.clearances.h.every((clearanceM) => clearanceM >= 0)) continue;
      const u = scene.requested(ur5eLike.homeRad.map((_, i) => Math.cos(5 * k + i)));
      const bits = scene.filter(u);
      seen.add(bits);
      if (bits === BARRIER_STEERED) expect(scene.excess(u)).toBeLessThanOrEqual(1e-11);
    }
    expect([...seen]).toContain(BARRIER_STEERED);
  });
});

describe('behind the barrier, a tool that is sent into a wall', () => {
  it('arrives at the target 1 mm before it, and can work there', () => {
    const bench = toolBench();
    const floorM = ur5eLike.workspace.minM[2];
    const reached: number[] = [];
    for (let k = 0; k < 1200; k++) {
      if (k % 10 === 0) bench.issue(k < 900 ? 0 : 1, 0, -1, 0);
      bench.tick();
      reached.push(bench.chain.referenceTcp[2]! - floorM);
    }
    expect(Math.min(...reached)).toBeGreaterThan(0.0009);
    expect(reached[899]).toBeCloseTo(0.001, 4);
    // 80 mm/s along the wall are not slowed.
    expect(bench.speed()).toBeGreaterThan(0.05);
    expect(bench.bits & BARRIER_BRAKE).toBe(0);
  });

  it('is steered along it where joints are commanded, and the shield finds little to do', () => {
    const bench = new Bench(ur5eLike, jointSpec(ur5eLike, 0.05));
    const seen = { steered: 0, braked: 0, shielded: 0 };
    for (let k = 0; k < 600; k++) {
      if (k % 10 === 0) bench.issue(0.3, 0.8, 0.4, 0, 0, 0);
      bench.tick();
      if ((bench.report.bits & BARRIER_STEERED) !== 0) seen.steered++;
      if ((bench.report.bits & BARRIER_BRAKE) !== 0) seen.braked++;
      if ((bench.report.bits & (SHIELD_BRAKE | SHIELD_SCALED)) !== 0) seen.shielded++;
    }
    expect(seen.steered).toBeGreaterThan(50);
    expect(seen.braked).toBe(0);
    expect(seen.shielded).toBe(0);
    expect(bench.report.wallMarginM).toBeGreaterThan(0);
    expect(bench.report.wallMarginM).toBeLessThan(0.002);
  });
});
