/** Speeds of an arm's monitored points, by differences of positions only. */
import { ArmKinematics, monitoredPoints, type RobotModel } from '../../model/index.ts';

/** Pieces of a tick, over each of which a point's mean speed is taken. */
const PIECES = 4;
/** Half of the interval over which an instantaneous speed is taken, s. */
const MOMENT_S = 1e-5;

/** The points of one arm; none for a mobile base. */
export class PointSpeeds {
  readonly #arm: ArmKinematics;
  readonly #points: readonly { readonly link: number; readonly positionM: readonly number[] }[];
  readonly #joints: Float64Array;
  readonly #before: Float64Array;
  readonly #place: Float64Array = new Float64Array(3);

  constructor(model: RobotModel) {
    const arm = new ArmKinematics(model);
    this.#arm = arm;
    this.#points = monitoredPoints(model).map(({ link, positionM }) => {
      return { link: link === undefined ? arm.topology.toolLink : arm.topology.link(link), positionM };
    });
    this.#joints = new Float64Array(model.joints.length);
    this.#before = new Float64Array(3 * this.#points.length);
  }

  /** Returns the largest mean speed of any point while the joints move straight from `from` to `to` (n, rad) in `dtS`, m/s. */
  alongMPerS(from: ArrayLike<number>, to: ArrayLike<number>, dtS: number): number {
    this.#moveTo(from, to, 0);
    let fastestM = 0;
    for (let piece = 1; piece <= PIECES; piece++) fastestM = Math.max(fastestM, this.#moveTo(from, to, piece / PIECES));
    return (fastestM * PIECES) / dtS;
  }

  /** Returns the speed of the fastest point of an arm at `positionRad` (n) that moves with `velocityRadPerS` (n), m/s. */
  atMPerS(positionRad: ArrayLike<number>, velocityRadPerS: ArrayLike<number>): number {
    const ahead = Float64Array.from(positionRad, (q, i) => q + MOMENT_S * velocityRadPerS[i]!);
    const behind = Float64Array.from(positionRad, (q, i) => q - MOMENT_S * velocityRadPerS[i]!);
    this.#moveTo(behind, ahead, 0);
    return this.#moveTo(behind, ahead, 1) / (2 * MOMENT_S);
  }

  /** Moves the joints to the share `at` of the way; returns the largest displacement of a point since the last call, m. */
  #moveTo(from: ArrayLike<number>, to: ArrayLike<number>, at: number): number {
    for (let i = 0; i < this.#joints.length; i++) this.#joints[i] = from[i]! + at * (to[i]! - from[i]!);
    this.#arm.forward(this.#joints);
    let farthestM = 0;
    for (const [k, { link, positionM }] of this.#points.entries()) {
      this.#arm.pointOf(this.#place, link, positionM);
      const was = this.#before.subarray(3 * k, 3 * k + 3);
      farthestM = Math.max(farthestM, Math.hypot(...this.#place.map((value, axis) => value - was[axis]!)));
      was.set(this.#place);
    }
    return farthestM;
  }
}
