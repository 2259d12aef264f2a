/** Margins of the reference to all its limits, in metres and radians and as shares. */
import { boxOf, limitMarginsOf, type RobotModel } from '../model/index.ts';
import type { Clearances } from './avoidance/clearances.ts';
import { type ChainReport, STAGE } from './chain-report.ts';
import type { Fence } from './shield/fence.ts';

/** Distance to a keep-out box or another link from which it counts as far away, m. */
const FAR_M = 0.1;
/** Nominal margin of a base without a fence, m. */
const BASE_ROOM_M = 1;

/** Indices into `#room`. */
const JOINTS = 0;
const SPEED = 1;
const CLEAR = 2;
const WALL_M = 3;
const CLEAR_M = 4;
const JOINT_RAD = 5;
const LIMIT_RAD = 6;

/** Margins of one robot's reference. Tick-safe after construction. */
export class Margins {
  readonly #model: RobotModel;
  /** [n] margins to the position limits, rad. */
  readonly #margins: Float64Array;
  readonly #referenceRad: Float64Array;
  readonly #clearances: Clearances;
  readonly #fence: Fence | undefined;
  /** [R] distance that counts as a share of 1, m. */
  readonly #farM: Float64Array;
  readonly #fenceFarM: number;
  /**
   * Shares of joints, speed and clearances; smallest distance of the tool point, of everything (m), and of a joint with
   * and without its margin (rad).
   */
  readonly #room: Float64Array = new Float64Array(7);

  /** Each method reads `referenceRad` and the measured `clearances` again. */
  constructor(model: RobotModel, referenceRad: Float64Array, clearances: Clearances, fence: Fence | undefined) {
    this.#model = model;
    this.#margins = limitMarginsOf(model);
    this.#referenceRad = referenceRad;
    this.#clearances = clearances;
    this.#fence = fence;
    const boxes = [model.workspace, ...(model.points ?? []).map((point) => boxOf(point, model))];
    // The six walls of each point come first, two by two.
    this.#farM = Float64Array.from(clearances.rows, ({ kind }, r) => {
      const axis = (r % 6) >> 1;
      const box = boxes[Math.floor(r / 6)];
      return kind === 'wall' ? (box!.maxM[axis]! - box!.minM[axis]!) / 2 : FAR_M;
    });
    const walls = model.base?.fence;
    this.#fenceFarM =
      walls === undefined ? 1 : Math.min(walls.maxM[0] - walls.minM[0], walls.maxM[1] - walls.minM[1]) / 2;
  }

  /** True if capsules penetrate a keep-out box or each other; if they are only nearer than the clearance, they may still leave. */
  get isInCollision(): boolean {
    const { rows, h } = this.#clearances;
    const touching = -(this.#model.collision?.clearanceM ?? 0);
    for (let r = 0; r < rows.length; r++) if (rows[r]!.kind !== 'wall' && !(h[r]! >= touching)) return true;
    return false;
  }

  /** True if a point is outside its walls, or a base outside its fence. */
  get isOutside(): boolean {
    const { rows, h } = this.#clearances;
    for (let r = 0; r < rows.length; r++) if (rows[r]!.kind === 'wall' && !(h[r]! >= 0)) return true;
    return this.#fence !== undefined && !(this.#fence.roomM >= 0);
  }

  /** True if a joint is beyond a limit; a start at the limit itself, inside the margin, is still accepted. */
  get isBeyondJointLimits(): boolean {
    this.#measureJoints();
    return this.#room[LIMIT_RAD]! < 0;
  }

  /** Fills the margins of `out` except the tank's, for a reference that moves with `velocity` (n, rad/s). */
  fill(out: ChainReport, velocity: Float64Array): void {
    const room = this.#room;
    this.#measureJoints();
    this.#measureSpeed(velocity);
    this.#measureClearances();
    const { stages } = out;
    stages[STAGE.limiter]!.margin = room[SPEED]!;
    stages[STAGE.brakeBound]!.margin = room[JOINTS]!;
    stages[STAGE.barrier]!.margin = room[CLEAR]!;
    stages[STAGE.shield]!.margin = Math.min(room[JOINTS]!, room[CLEAR]!);
    out.marginMin = Math.min(room[JOINTS]!, room[CLEAR]!);
    out.wallMarginM = room[WALL_M]!;
    out.clearanceM = room[CLEAR_M]!;
    out.jointMarginRad = room[JOINT_RAD]!;
  }

  #measureSpeed(velocity: Float64Array): void {
    let speed = 1;
    for (let i = 0; i < velocity.length; i++) {
      speed = Math.min(speed, 1 - Math.abs(velocity[i]!) / this.#model.joints[i]!.velocityMaxRadPerS);
    }
    this.#room[SPEED] = speed;
  }

  #measureJoints(): void {
    let share = 1;
    let least = Number.POSITIVE_INFINITY;
    let limit = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#referenceRad.length; i++) {
      const { positionMinRad, positionMaxRad } = this.#model.joints[i]!;
      const margin = this.#margins[i]!;
      const low = positionMinRad + margin;
      const high = positionMaxRad - margin;
      const q = this.#referenceRad[i]!;
      share = Math.min(share, (2 * Math.min(q - low, high - q)) / (high - low));
      least = Math.min(least, q - positionMinRad - margin, positionMaxRad - q - margin);
      limit = Math.min(limit, q - positionMinRad, positionMaxRad - q);
    }
    this.#room[JOINTS] = share;
    this.#room[JOINT_RAD] = least;
    this.#room[LIMIT_RAD] = limit;
  }

  #measureClearances(): void {
    const { h } = this.#clearances;
    // A base without a fence always has a metre of room.
    const fenceM = this.#fence === undefined ? BASE_ROOM_M : this.#fence.roomM;
    let share = Math.min(1, fenceM / this.#fenceFarM);
    let wallM = h.length === 0 ? fenceM : Number.POSITIVE_INFINITY;
    let clearM = wallM;
    for (let r = 0; r < h.length; r++) {
      share = Math.min(share, h[r]! / this.#farM[r]!);
      clearM = Math.min(clearM, h[r]!);
      // The tool's walls come first.
      if (r < 6) wallM = Math.min(wallM, h[r]!);
    }
    this.#room[CLEAR] = share;
    this.#room[WALL_M] = wallM;
    this.#room[CLEAR_M] = clearM;
  }
}
