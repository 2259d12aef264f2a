/**
 * Limits the speed of an arm's monitored points in m/s: the tool point, further points of the file, and the ends of its
 * capsules, for any joint motion. (docs/safety-case.md, tool speed)
 */
import { type ArmKinematics, monitoredPoints, type RobotModel } from '../../model/index.ts';
import { Limb } from '../avoidance/limb.ts';
import { TOOL_SPEED_LIMITED } from '../bits.ts';
import { type ChainReport, STAGE } from '../chain-report.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';
import { brakeStep, writeBrakeRate } from './brake.ts';

/** Bisection steps between the brake step and the wanted velocity: resolution of a thousandth. */
const ROUNDS = 10;

interface Point {
  readonly link: number;
  readonly atM: Float64Array;
  readonly limb: Limb;
}

/** Indices into `#found`: speed and peak speed of the point under test; the largest present speed of all points. */
const SPEED = 0;
const PEAK = 1;
const FASTEST = 2;

/**
 * For joint velocities u from the pose r, a point p moves with |p′(λ)| ≤ |J(r)·u| + C·λ after λ seconds of u, with the
 * bound C of |p″| from `Limb`. The brake after it decays by a common factor f, at the rate κ, and has moved by at most
 * dt + (1 − f²)/(2κ) seconds of u by then (`docs/safety-case.md`, shield), so that p is never faster, in this tick and
 * during the brake, than
 *
 *   max over 0 ≤ f ≤ 1 of f·(a + C·(1 − f²)/(2κ)),   a = |J(r)·u| + C·dt
 *
 * which is a where κ·a ≥ C, else its value at f² = (2κ·a + C)/(3C). A velocity passes if that is within the limit.
 * Tick-safe after construction.
 */
export class ToolSpeed {
  /** Speed limit, m/s; Infinity for none. A limit below the reference's present speed makes it brake, as hard as permitted. */
  limitMPerS: number;
  readonly #model: RobotModel;
  readonly #arm: ArmKinematics;
  readonly #points: readonly Point[];
  readonly #brake: Float64Array;
  readonly #candidate: Float64Array;
  readonly #velocity: Float64Array = new Float64Array(3);
  readonly #place: Float64Array = new Float64Array(3);
  readonly #found: Float64Array = new Float64Array(3);
  /** [1] κ, 1/s. */
  readonly #rate: Float64Array = new Float64Array(1);

  /** `arm` holds the pose at the begin of each tick. */
  constructor(model: RobotModel, arm: ArmKinematics) {
    this.limitMPerS = model.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY;
    this.#model = model;
    this.#arm = arm;
    this.#points = monitoredPoints(model).map(({ link, positionM }) => {
      const number = link === undefined ? arm.topology.toolLink : arm.topology.link(link);
      return {
        link: number,
        atM: Float64Array.from(positionM),
        limb: new Limb(arm, number, [positionM], -1),
      };
    });
    this.#brake = new Float64Array(model.joints.length);
    this.#candidate = new Float64Array(model.joints.length);
  }

  /**
   * Slows `velocity` (n, rad/s) in place towards the brake step after `previous` (n) until it keeps the limit. Both
   * satisfy the velocity and acceleration limits, which are convex, so the result does. If nothing keeps it, the brake
   * step is taken, which was verified when `previous` was permitted. Returns reason bits.
   */
  apply(velocity: Float64Array, previous: Float64Array, times: TickTimes): number {
    if (this.keeps(velocity, times)) return 0;
    brakeStep(this.#brake, this.#model, previous, times);
    this.#candidate.set(this.#brake);
    let share = 0;
    for (let round = 0, step = 0.5; round < ROUNDS; round++, step /= 2) {
      for (let i = 0; i < velocity.length; i++) {
        this.#candidate[i] = this.#brake[i]! + (share + step) * (velocity[i]! - this.#brake[i]!);
      }
      if (this.keeps(this.#candidate, times)) share += step;
    }
    for (let i = 0; i < velocity.length; i++) {
      velocity[i] = this.#brake[i]! + share * (velocity[i]! - this.#brake[i]!);
    }
    return TOOL_SPEED_LIMITED;
  }

  /** True if a tick of `velocity` (n, rad/s) and the brake after it keep the limit. */
  keeps(velocity: Float64Array, times: TickTimes): boolean {
    if (this.limitMPerS === Number.POSITIVE_INFINITY) return true;
    writeBrakeRate(this.#rate, this.#model, velocity);
    for (let k = 0; k < this.#points.length; k++) {
      const point = this.#points[k]!;
      point.limb.bound(velocity);
      // Pose-independent bound: most ticks end here.
      if (point.limb.bounds[0]! <= this.limitMPerS) continue;
      this.#measure(point, velocity);
      this.#findPeak(point, times);
      if (!(this.#found[PEAK]! <= this.limitMPerS)) return false;
    }
    return true;
  }

  /** Fills this stage's part of `out`, for a reference that moves with `velocity` (n, rad/s). */
  fill(out: ChainReport, velocity: Float64Array): void {
    const found = this.#found;
    found[FASTEST] = 0;
    if (this.limitMPerS < Number.POSITIVE_INFINITY) {
      for (let k = 0; k < this.#points.length; k++) {
        this.#measure(this.#points[k]!, velocity);
        if (found[SPEED]! > found[FASTEST]!) found[FASTEST] = found[SPEED]!;
      }
    }
    // A limit of 0 has no room.
    const room = this.limitMPerS > 0 ? 1 - found[FASTEST]! / this.limitMPerS : 0;
    out.stages[STAGE.toolSpeed]!.margin = room;
  }

  /** Fills `SPEED`: |J·u| of `point`. */
  #measure({ link, atM }: Point, velocity: Float64Array): void {
    const { axes, originsM, topology } = this.#arm;
    const p = this.#place;
    const v = this.#velocity;
    this.#arm.pointOf(p, link, atM);
    v.fill(0);
    for (let i = 0; i < velocity.length; i++) {
      const u = velocity[i]!;
      if (u === 0 || !topology.moves(i, link)) continue;
      const ax = axes[3 * i]!;
      const ay = axes[3 * i + 1]!;
      const az = axes[3 * i + 2]!;
      const turns = topology.slides(i) ? 0 : 1;
      const x = p[0]! - originsM[3 * i]!;
      const y = p[1]! - originsM[3 * i + 1]!;
      const z = p[2]! - originsM[3 * i + 2]!;
      v[0] = v[0]! + u * (turns === 1 ? ay * z - az * y : ax);
      v[1] = v[1]! + u * (turns === 1 ? az * x - ax * z : ay);
      v[2] = v[2]! + u * (turns === 1 ? ax * y - ay * x : az);
    }
    this.#found[SPEED] = Math.sqrt(v[0]! * v[0]! + v[1]! * v[1]! + v[2]! * v[2]!);
  }

  /** Fills `PEAK` for the last measured point, whose `limb` was bounded for the same velocity. */
  #findPeak({ limb }: Point, times: TickTimes): void {
    const bend = limb.bounds[1]!;
    const rate = this.#rate[0]!;
    const start = this.#found[SPEED]! + bend * times[PERIOD]!;
    const isFastestAtOnce = rate * start >= bend;
    const factor2 = isFastestAtOnce ? 1 : (2 * rate * start + bend) / (3 * bend);
    this.#found[PEAK] = isFastestAtOnce ? start : Math.sqrt(factor2) * (start + (bend * (1 - factor2)) / (2 * rate));
  }
}
