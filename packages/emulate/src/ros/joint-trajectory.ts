/**
 * ros2_control's joint_trajectory_controller on a position interface: it moves from the arm's position through the points
 * of the newest trajectory, each at its time, linearly or, where velocities are given, by cubics; then it holds the last
 * one. An invalid trajectory is rejected, and the old one continues.
 */
import { allFinite } from '../../../../src/model/index.ts';
import { type Duration, secondsOf } from '../../../../src/ros/program.ts';
import type { ArmController, ArmReading } from './arm-controllers.ts';

/** Fields of the message that are used here. */
export interface TrajectoryPoint {
  readonly positions: ArrayLike<number>;
  readonly velocities: ArrayLike<number>;
  readonly time_from_start: Duration;
}

export interface Trajectory {
  readonly joint_names: readonly string[];
  readonly points: readonly TrajectoryPoint[];
}

export interface JointTrajectoryOptions {
  readonly jointNames: readonly string[];
  /** Begins a new trajectory at the desired state, instead of the measured one (the real one's default). */
  readonly interpolatesFromDesired: boolean;
  /** Accepts a last point with a velocity; the arm then stops there all the same. */
  readonly allowsEndInMotion: boolean;
}

interface Knot {
  readonly atS: number;
  readonly positionRad: Float64Array;
  /** Absent: linear interpolation up to this knot. */
  readonly velocityRadPerS?: Float64Array | undefined;
}

export class JointTrajectoryController implements ArmController {
  readonly name = 'joint_trajectory_controller';
  readonly type = 'joint_trajectory_controller/JointTrajectoryController';
  readonly commandInterface = 'position';
  readonly #options: JointTrajectoryOptions;
  #knots: readonly Knot[] = [];
  /** Trajectory that begins at the next update, at the arm's position then. */
  #next: readonly Knot[] | undefined;

  constructor(options: JointTrajectoryOptions) {
    this.#options = options;
  }

  activate(arm: ArmReading): void {
    this.#knots = [{ atS: 0, positionRad: arm.setPointRad.slice() }];
    this.#next = undefined;
  }

  /** Takes a trajectory that begins at `startS`. Returns a reason for one that the real controller rejects. */
  accept(trajectory: Trajectory, startS: number, nowS: number): string | undefined {
    const order = this.#order(trajectory.joint_names);
    if (typeof order === 'string') return order;
    if (trajectory.points.length === 0) return 'a trajectory without points';
    const knots: Knot[] = [];
    for (const [index, point] of trajectory.points.entries()) {
      const knot = knotOf(point, order, startS);
      if (typeof knot === 'string') return `point ${index} of a trajectory ${knot}`;
      if (knot.atS <= (knots.at(-1)?.atS ?? Number.NEGATIVE_INFINITY))
        return `point ${index} is not after the one before`;
      knots.push(knot);
    }
    const last = knots[knots.length - 1]!;
    if (last.atS < nowS) return `a trajectory that ended ${(nowS - last.atS).toFixed(3)} s ago`;
    const endsInMotion = last.velocityRadPerS?.some((velocity) => velocity !== 0) ?? false;
    if (endsInMotion && !this.#options.allowsEndInMotion) return 'a trajectory that ends in motion';
    this.#next = knots;
    return undefined;
  }

  update(nowS: number, arm: ArmReading, out: Float64Array): void {
    if (this.#next !== undefined) {
      this.#begin(this.#next, nowS, arm);
      this.#next = undefined;
    }
    const after = this.#knots.findIndex((knot) => knot.atS > nowS);
    if (after <= 0) out.set((after === 0 ? this.#knots[0]! : this.#knots[this.#knots.length - 1]!).positionRad);
    else between(this.#knots[after - 1]!, this.#knots[after]!, nowS, out);
  }

  /** Begins at the arm's position, with the points that are still ahead; if there are none, with the last one. */
  #begin(knots: readonly Knot[], nowS: number, arm: ArmReading): void {
    const ahead = knots.filter((knot) => knot.atS > nowS);
    const from = this.#options.interpolatesFromDesired ? arm.setPointRad : arm.positionRad;
    const isCubic = ahead[0]?.velocityRadPerS !== undefined;
    const velocityRadPerS = isCubic ? arm.velocityRadPerS.slice() : undefined;
    const start: Knot = { atS: nowS, positionRad: from.slice(), velocityRadPerS };
    this.#knots = ahead.length === 0 ? knots.slice(-1) : [start, ...ahead];
  }

  /** Returns the index in the message of each of the robot's joints; a reason if one is missing or unknown. */
  #order(names: readonly string[]): readonly number[] | string {
    const { jointNames } = this.#options;
    const unknown = names.find((name) => !jointNames.includes(name));
    if (unknown !== undefined) return `a trajectory of the joint "${unknown}", which this robot lacks`;
    const missing = jointNames.find((name) => !names.includes(name));
    if (missing !== undefined) return `a trajectory without the joint "${missing}"`;
    if (names.length !== jointNames.length) return 'a trajectory that names a joint twice';
    return jointNames.map((name) => names.indexOf(name));
  }
}

function knotOf(point: TrajectoryPoint, order: readonly number[], startS: number): Knot | string {
  if (point.positions.length !== order.length)
    return `has ${point.positions.length} positions for ${order.length} joints`;
  const hasVelocities = point.velocities.length > 0;
  if (hasVelocities && point.velocities.length !== order.length) {
    return `has ${point.velocities.length} velocities for ${order.length} joints`;
  }
  if (!allFinite(point.positions) || !allFinite(point.velocities)) return 'is not finite';
  return {
    atS: startS + secondsOf(point.time_from_start),
    positionRad: Float64Array.from(order, (index) => point.positions[index]!),
    velocityRadPerS: hasVelocities ? Float64Array.from(order, (index) => point.velocities[index]!) : undefined,
  };
}

/** Interpolates between two knots: linearly, or by the cubic with their velocities (0 where one gives none). */
function between(from: Knot, to: Knot, nowS: number, out: Float64Array): void {
  const durationS = to.atS - from.atS;
  const x = (nowS - from.atS) / durationS;
  const isCubic = from.velocityRadPerS !== undefined || to.velocityRadPerS !== undefined;
  for (let i = 0; i < out.length; i++) {
    const a = from.positionRad[i]!;
    const b = to.positionRad[i]!;
    const v = (from.velocityRadPerS?.[i] ?? 0) * durationS;
    const w = (to.velocityRadPerS?.[i] ?? 0) * durationS;
    // Hermite cubic in the share x of the time between the knots.
    out[i] = isCubic ? a + x * (v + x * (3 * (b - a) - 2 * v - w + x * (2 * (a - b) + v + w))) : a + x * (b - a);
  }
}
