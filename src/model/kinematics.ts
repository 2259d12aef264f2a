/** Forward and inverse kinematics and the Jacobian of an arm. Pure geometry. */
import { DampedLeastSquares, taskRows } from './damped-least-squares.ts';
import { LinkTopology } from './link-topology.ts';
import { limitMarginsOf } from './robot-defaults.ts';
import type { RobotModel } from './robot-model.ts';
import {
  matrixFromAxisAngleAt,
  matrixFromQuaternion,
  matrixFromRpy,
  multiplyMatrix,
  type Numbers,
  quaternionFromMatrix,
  rotationError,
} from './rotation.ts';
import { clamp } from './units.ts';

const INVERSE_ROUNDS = 200;
const INVERSE_TOLERANCE_M = 1e-7;
const INVERSE_TOLERANCE_RAD = 1e-6;
/** Largest joint change in one round of `inverse`, rad. */
const INVERSE_STEP_RAD = 0.3;

/**
 * Forward kinematics and Jacobian of one arm, which may branch. Keeps the last pose; nothing allocates after construction. A
 * mobile base has no tool: its tool point stays at the origin, and no axis moves it.
 */
export class ArmKinematics {
  readonly joints: number;
  /** [6] 1 for each task row that the joints between base and tool can follow (`taskRows`), else 0. */
  readonly taskRows: readonly number[];
  /** [3] tool point in the base frame, m. Valid after `forward`. */
  readonly tcpPositionM: Float64Array = new Float64Array(3);
  /** [9] tool orientation in the base frame, row-major. */
  readonly tcpRotation: Float64Array = new Float64Array(9);
  /** [n] upper bounds of |∂p/∂q_i| for the tool point p, m/rad (1 for a prismatic joint, 0 for one that does not move it). */
  readonly reachM: Float64Array;
  /** [12·n] frame of the link moved by each joint: rotation (9, row-major), origin (3, m), base frame. */
  readonly linkFrames: Float64Array;
  /** [3·n] unit axis of each joint, base frame. */
  readonly axes: Float64Array;
  /** [3·n] origin of each joint frame before the joint's motion, m, base frame. A revolute joint's axis passes through it. */
  readonly originsM: Float64Array;
  readonly topology: LinkTopology;

  readonly #model: RobotModel;
  readonly #fixedRotation: readonly Float64Array[];
  /**
   * [n] origin and axis of each joint in the model, copied to typed arrays: V8 distinguishes arrays of integers from arrays of
   * doubles, and code that reads both allocates.
   */
  readonly #origins: readonly Float64Array[];
  readonly #jointAxes: readonly Float64Array[];
  readonly #toolOrigin: Float64Array;
  readonly #jointsRad: Float64Array;
  readonly #toolRotation: Float64Array = new Float64Array(9);
  readonly #jacobian: Float64Array;
  /** [n] margin kept from the position limits, rad. */
  readonly #margins: Float64Array;
  readonly #quaternion: Float64Array = new Float64Array(4);
  readonly #frame: Float64Array = new Float64Array(9);
  readonly #turn: Float64Array = new Float64Array(9);
  readonly #link: Float64Array = new Float64Array(9);
  readonly #inverse: InverseScratch;

  /** Throws `RangeError` for a model without joints or with a joint axis that is not a unit vector. */
  constructor(model: RobotModel) {
    const n = model.joints.length;
    if (n === 0) throw new RangeError('an arm needs at least one joint');
    this.joints = n;
    this.#model = model;
    this.originsM = new Float64Array(3 * n);
    this.axes = new Float64Array(3 * n);
    this.linkFrames = new Float64Array(12 * n);
    this.topology = new LinkTopology(model);
    this.taskRows = taskRows(model.joints.filter((_, i) => this.topology.carriesTool(i)).length);
    this.#origins = model.joints.map((joint) => Float64Array.from(joint.originXyzM));
    this.#jointAxes = model.joints.map((joint) => Float64Array.from(joint.axis));
    this.#toolOrigin = Float64Array.from(model.tool.originXyzM);
    this.#jointsRad = new Float64Array(n);
    this.#jacobian = new Float64Array(6 * n);
    this.#margins = limitMarginsOf(model);
    this.#inverse = createInverseScratch(n, this.taskRows);
    this.#fixedRotation = model.joints.map((joint) => {
      if (!(Math.abs(Math.hypot(...joint.axis) - 1) < 1e-9))
        throw new RangeError(`axis of ${joint.name} is no unit vector`);
      const rotation = new Float64Array(9);
      matrixFromRpy(rotation, ...joint.originRpyRad);
      return rotation;
    });
    matrixFromRpy(this.#toolRotation, ...model.tool.originRpyRad);
    this.reachM = this.topology.reach(this.topology.toolLink, model.tool.originXyzM);
    this.forward(model.homeRad);
  }

  /** Sets the kept pose to the joint positions `jointsRad` ([n]; not retained). Tick-safe; NaN in, NaN out. */
  forward(jointsRad: Numbers): void {
    const frame = this.#frame;
    frame.fill(0);
    frame[0] = frame[4] = frame[8] = 1;
    if (this.#model.base !== undefined) {
      this.tcpRotation.set(frame);
      return;
    }
    this.#take(jointsRad);
    for (let i = 0; i < this.joints; i++) this.#placeLink(i);
    const at = 12 * this.topology.toolLink;
    const f = this.linkFrames;
    for (let k = 0; k < 9; k++) frame[k] = f[at + k]!;
    const t = this.#toolOrigin;
    for (let k = 0; k < 3; k++) {
      this.tcpPositionM[k] =
        f[at + 9 + k]! + frame[3 * k]! * t[0]! + frame[3 * k + 1]! * t[1]! + frame[3 * k + 2]! * t[2]!;
    }
    multiplyMatrix(this.tcpRotation, frame, this.#toolRotation);
  }

  /** Writes into `out` (3) the position of point `pointM` of the link moved by joint `link` (−1: base), m, base frame. Tick-safe. */
  pointOf(out: Float64Array, link: number, pointM: Numbers): void {
    if (link < 0) {
      for (let k = 0; k < 3; k++) out[k] = pointM[k]!;
      return;
    }
    const at = 12 * link;
    const f = this.linkFrames;
    for (let k = 0; k < 3; k++) {
      const row = at + 3 * k;
      out[k] = f[at + 9 + k]! + f[row]! * pointM[0]! + f[row + 1]! * pointM[1]! + f[row + 2]! * pointM[2]!;
    }
  }

  /** [4] tool orientation in the base frame, w, x, y, z, w ≥ 0; computed on each read into one buffer. Tick-safe. */
  get tcpQuaternion(): Float64Array {
    quaternionFromMatrix(this.#quaternion, this.tcpRotation);
    return this.#quaternion;
  }

  /** Writes the kept tool pose into `out` (7): x, y, z (m), quaternion w, x, y, z. Tick-safe. */
  writeTcp(out: Float64Array): void {
    out.set(this.tcpPositionM, 0);
    out.set(this.tcpQuaternion, 3);
  }

  /**
   * Geometric Jacobian at the kept pose, 6×n row-major: tool velocity (m/s then rad/s, base frame) = J·joint velocity
   * (rad/s). The array is reused by the next call. Tick-safe.
   */
  jacobian(): Float64Array {
    const n = this.joints;
    const out = this.#jacobian;
    const p = this.tcpPositionM;
    for (let i = 0; i < n; i++) {
      const ax = this.axes[3 * i]!;
      const ay = this.axes[3 * i + 1]!;
      const az = this.axes[3 * i + 2]!;
      const dx = p[0]! - this.originsM[3 * i]!;
      const dy = p[1]! - this.originsM[3 * i + 1]!;
      const dz = p[2]! - this.originsM[3 * i + 2]!;
      if (!this.topology.carriesTool(i) || this.topology.slides(i)) {
        const share = this.topology.carriesTool(i) ? 1 : 0;
        out[i] = share * ax;
        out[n + i] = share * ay;
        out[2 * n + i] = share * az;
        out[3 * n + i] = out[4 * n + i] = out[5 * n + i] = 0;
        continue;
      }
      out[i] = ay * dz - az * dy;
      out[n + i] = az * dx - ax * dz;
      out[2 * n + i] = ax * dy - ay * dx;
      out[3 * n + i] = ax;
      out[4 * n + i] = ay;
      out[5 * n + i] = az;
    }
    return out;
  }

  /**
   * Computes joints within the position limits (less their margin) for `targetPose` (7: x, y, z, quaternion w, x, y, z),
   * starting from `seedJoints`, and writes them into `out` (n, rad). True if met to 0.1 µm and 1 µrad; on false, `out` holds
   * the last iterate. Arms of fewer than six joints follow only the rows of `taskRows`. Changes the kept pose. For reset
   * poses, not for the tick: up to 200 rounds.
   */
  inverse(targetPose: Numbers, seedJoints: Numbers, out: Float64Array): boolean {
    const { solver, rows, error, step, target } = this.#inverse;
    const n = this.joints;
    matrixFromQuaternion(target, targetPose, 3);
    for (let i = 0; i < n; i++) out[i] = seedJoints[i]!;
    for (let round = 0; round < INVERSE_ROUNDS; round++) {
      this.forward(out);
      for (let k = 0; k < 3; k++) error[k] = targetPose[k]! - this.tcpPositionM[k]!;
      rotationError(error, target, this.tcpRotation, 3);
      for (let k = 0; k < 6; k++) error[k] = error[k]! * rows[k]!;
      const missM = Math.hypot(error[0]!, error[1]!, error[2]!);
      const missRad = Math.hypot(error[3]!, error[4]!, error[5]!);
      if (missM <= INVERSE_TOLERANCE_M && missRad <= INVERSE_TOLERANCE_RAD) return true;
      // Damping that vanishes with the error is robust far away and converges quadratically nearby (Sugihara 2011).
      solver.solve(step, this.jacobian(), error, 0, 1e-2 * (missM * missM + missRad * missRad));
      this.#takeStep(out, step);
    }
    return false;
  }

  #takeStep(out: Float64Array, step: Float64Array): void {
    let largest = 0;
    for (let i = 0; i < this.joints; i++) largest = Math.max(largest, Math.abs(step[i]!));
    const scale = largest > INVERSE_STEP_RAD ? INVERSE_STEP_RAD / largest : 1;
    for (let i = 0; i < this.joints; i++) {
      const joint = this.#model.joints[i]!;
      const margin = this.#margins[i]!;
      out[i] = clamp(out[i]! + scale * step[i]!, joint.positionMinRad + margin, joint.positionMaxRad - margin);
    }
  }

  /** Copies like `#origins`. The two identical loops read arrays of different V8 kinds, for the same reason. */
  #take(jointsRad: Numbers): void {
    const own = this.#jointsRad;
    if (jointsRad instanceof Float64Array) for (let i = 0; i < own.length; i++) own[i] = jointsRad[i]!;
    else for (let i = 0; i < own.length; i++) own[i] = jointsRad[i]!;
  }

  /** Computes frame, origin and axis of joint `i`; those of its parent are up to date. */
  #placeLink(i: number): void {
    const frame = this.#frame;
    const f = this.linkFrames;
    const parent = this.topology.parents[i]!;
    const t = this.#origins[i]!;
    const a = this.#jointAxes[i]!;
    if (parent < 0) {
      frame.fill(0);
      frame[0] = frame[4] = frame[8] = 1;
    } else {
      for (let k = 0; k < 9; k++) frame[k] = f[12 * parent + k]!;
    }
    for (let k = 0; k < 3; k++) {
      const from = parent < 0 ? 0 : f[12 * parent + 9 + k]!;
      this.originsM[3 * i + k] = from + frame[3 * k]! * t[0]! + frame[3 * k + 1]! * t[1]! + frame[3 * k + 2]! * t[2]!;
    }
    const link = this.#link;
    multiplyMatrix(link, frame, this.#fixedRotation[i]!);
    const slides = this.topology.slides(i);
    if (slides) frame.set(link);
    else {
      matrixFromAxisAngleAt(this.#turn, a, this.#jointsRad, i);
      multiplyMatrix(frame, link, this.#turn);
    }
    for (let k = 0; k < 3; k++) {
      const axis = link[3 * k]! * a[0]! + link[3 * k + 1]! * a[1]! + link[3 * k + 2]! * a[2]!;
      this.axes[3 * i + k] = axis;
      f[12 * i + 9 + k] = this.originsM[3 * i + k]! + (slides ? axis * this.#jointsRad[i]! : 0);
    }
    for (let k = 0; k < 9; k++) f[12 * i + k] = frame[k]!;
  }
}

interface InverseScratch {
  readonly solver: DampedLeastSquares;
  readonly rows: readonly number[];
  readonly error: Float64Array;
  readonly step: Float64Array;
  readonly target: Float64Array;
}

function createInverseScratch(joints: number, rows: readonly number[]): InverseScratch {
  return {
    solver: new DampedLeastSquares(joints, rows),
    rows,
    error: new Float64Array(6),
    step: new Float64Array(joints),
    target: new Float64Array(9),
  };
}
