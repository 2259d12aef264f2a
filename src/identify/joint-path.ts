/** Where an arm is asked to be, over time, while it is identified. */
import { ArmKinematics, type RobotModel } from '../core/index.ts';

/** Joint positions over time. */
export interface JointPath {
  readonly durationS: number;
  /** Writes the positions at `atS` since the start into `out` (n), rad. */
  write(out: Float64Array, atS: number): void;
}

/** First it stands, so that noise is seen by itself, s. */
export const STANDING_S = 3;
/** Most that a sine, or the path home, takes of a joint's speed and acceleration. */
export const SPEED_SHARE = 0.15;
export const ACCEL_SHARE = 0.25;
/** A path is looked at so often, s. */
export const LOOK_S = 0.05;
/** Speeds are looked at over so long, s. */
const SPEED_STEP_S = 0.02;
/** A share that was rounded on its way here is no larger one. */
const ROUNDING = 1e-9;

/** How far a path goes. */
export interface Reach {
  /** [n] farthest from where it begins, rad. */
  readonly jointRad: readonly number[];
  /** Farthest of the tool point from where it begins, in a straight line, m. */
  readonly toolM: number;
}

/** How far `path` takes the arm of `model` from its beginning. */
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
 * The largest share of a joint's speed limit that `path` takes, in whole hundredths upwards: what is said of it, and what it is held to.
 * Where joints add several sines, what they come to together is looked at.
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
