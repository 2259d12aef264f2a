/** Paths that an arm is commanded along during identification. */
import { ArmKinematics, type RobotModel } from '../model/index.ts';

/** Joint positions over time. */
export interface JointPath {
  readonly durationS: number;
  /** Writes the positions at `atS` since the start into `out` (n), rad. */
  write(out: Float64Array, atS: number): void;
}

/** Initial standstill, so that noise is recorded separately, s. */
export const STANDING_S = 3;
/** Largest share of a joint's speed and acceleration for one sine, or for the path home. */
export const SPEED_SHARE = 0.15;
export const ACCEL_SHARE = 0.25;
/** Sampling period of a path for checks, s. */
export const LOOK_S = 0.05;
/** Interval over which speeds are evaluated, s. */
const SPEED_STEP_S = 0.02;
/** Tolerance for a share that was rounded. */
const ROUNDING = 1e-9;

/** Extent of a path. */
export interface Reach {
  /** [n] largest distance of each joint from its start, rad. */
  readonly jointRad: readonly number[];
  /** Largest distance of the tool point from its start, in a straight line, m. */
  readonly toolM: number;
}

/** Returns how far `path` takes the arm of `model` from its start. */
export function reachOf(model: RobotModel, path: JointPath): Reach {
  const kinematics = new ArmKinematics(model);
  const position = new Float64Array(model.joints.length);
  path.write(position, 0);
  const startRad = position.slice();
  kinematics.forward(startRad);
  const startM = Array.from(kinematics.tcpPositionM);
  const jointRad = model.joints.map(() => 0);
  let toolM = 0;
  for (let atS = 0; atS <= path.durationS + LOOK_S; atS += LOOK_S) {
    path.write(position, Math.min(atS, path.durationS));
    for (const [i, rad] of startRad.entries()) jointRad[i] = Math.max(jointRad[i]!, Math.abs(position[i]! - rad));
    kinematics.forward(position);
    toolM = Math.max(toolM, Math.hypot(...startM.map((m, k) => kinematics.tcpPositionM[k]! - m)));
  }
  return { jointRad, toolM };
}

/**
 * Returns the largest share of a joint's speed limit along `path`, rounded up to whole hundredths: the announced value,
 * which is also enforced. For sums of sines, the joint total is evaluated.
 */
export function speedShareOf({ joints }: Pick<RobotModel, 'joints'>, path: JointPath): number {
  const before = new Float64Array(joints.length);
  const now = new Float64Array(joints.length);
  let share = 0;
  path.write(before, 0);
  for (let atS = SPEED_STEP_S; atS <= path.durationS; atS += SPEED_STEP_S) {
    path.write(now, atS);
    for (const [i, { velocityMaxRadPerS }] of joints.entries()) {
      share = Math.max(share, Math.abs(now[i]! - before[i]!) / (SPEED_STEP_S * velocityMaxRadPerS));
    }
    before.set(now);
  }
  return Math.ceil(100 * share - ROUNDING) / 100;
}
