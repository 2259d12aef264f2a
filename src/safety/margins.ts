/** How much room the reference has to everything that it is kept from, in metres and radians and as shares. */
import type { RobotModel } from '../core/index.ts';
import type { Clearances } from './avoidance/index.ts';
import { type ChainReport, STAGE } from './chain-report.ts';
import type { Fence } from './shield/index.ts';

/** A distance to a keep-out box or another link counts as far away from here on, m. */
const FAR_M = 0.1;

/** Room of one robot's reference. Tick-safe after construction. */
export class Margins {
  readonly #model: RobotModel;
  readonly #referenceRad: Float64Array;
  readonly #clearances: Clearances;
  readonly #fence: Fence | undefined;
  /** [R] metres that count as a share of 1. */
  readonly #farM: Float64Array;
  readonly #fenceFarM: number;

  /** `referenceRad` and what `clearances` measured at it are read anew by each method. */
  constructor(model: RobotModel, referenceRad: Float64Array, clearances: Clearances, fence: Fence | undefined) {
    this.#model = model;
    this.#referenceRad = referenceRad;
    this.#clearances = clearances;
    this.#fence = fence;
    const boxes = [model.workspace, ...(model.points ?? []).map((point) => point.workspace ?? model.workspace)];
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

  /** Distance of the tool point to the nearest wall, m; negative outside. A base, which has no tool, has its fence's, or 1. */
  get wallM(): number {
    return this.#least(0, Math.min(6, this.#clearances.rows.length));
  }

  /** The least of all clearances, m; as `wallM` for a base. */
  get clearanceM(): number {
    return this.#least(0, this.#clearances.rows.length);
  }

  /** Whether capsules reach into a keep-out box or each other: nearer than the clearance, they may still leave. */
  get isInCollision(): boolean {
    const { rows, h } = this.#clearances;
    const touching = -(this.#model.collision?.clearanceM ?? 0);
    for (let r = 0; r < rows.length; r++) if (rows[r]!.kind !== 'wall' && !(h[r]! >= touching)) return true;
    return false;
  }

  /** Whether a point is outside its walls, or a base outside its fence. */
  get isOutside(): boolean {
    const { rows, h } = this.#clearances;
    for (let r = 0; r < rows.length; r++) if (rows[r]!.kind === 'wall' && !(h[r]! >= 0)) return true;
    return this.#fence !== undefined && !(this.#fence.roomM >= 0);
  }

  /** Smallest distance of a joint to its limit less the margin, rad; negative outside. */
  get jointRad(): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#referenceRad.length; i++) {
      const { positionMinRad, positionMaxRad } = this.#model.joints[i]!;
      const q = this.#referenceRad[i]!;
      least = Math.min(least, q - positionMinRad, positionMaxRad - q);
    }
    return least - this.#model.limitMarginRad;
  }

  /** Fills what `out` says about room, for a reference that moves with `velocity` (n, rad/s); not the tank's. */
  fill(out: ChainReport, velocity: Float64Array): void {
    const joints = this.#jointShare();
    const clear = this.#clearShare();
    const { stages } = out;
    stages[STAGE.limiter]!.margin = this.#speedShare(velocity);
    stages[STAGE.brakeBound]!.margin = joints;
    stages[STAGE.barrier]!.margin = clear;
    stages[STAGE.shield]!.margin = Math.min(joints, clear);
    out.marginMin = Math.min(joints, clear);
    out.wallMarginM = this.wallM;
    out.clearanceM = this.clearanceM;
    out.jointMarginRad = this.jointRad;
  }

  #least(from: number, to: number): number {
    if (from === to) return this.#fence === undefined ? 1 : this.#fence.roomM;
    let least = Number.POSITIVE_INFINITY;
    for (let r = from; r < to; r++) least = Math.min(least, this.#clearances.h[r]!);
    return least;
  }

  #clearShare(): number {
    let least = this.#fence === undefined ? 1 : Math.min(1, this.#fence.roomM / this.#fenceFarM);
    for (let r = 0; r < this.#farM.length; r++) least = Math.min(least, this.#clearances.h[r]! / this.#farM[r]!);
    return least;
  }

  #jointShare(): number {
    const margin = this.#model.limitMarginRad;
    let least = 1;
    for (let i = 0; i < this.#referenceRad.length; i++) {
      const low = this.#model.joints[i]!.positionMinRad + margin;
      const high = this.#model.joints[i]!.positionMaxRad - margin;
      const q = this.#referenceRad[i]!;
      least = Math.min(least, (2 * Math.min(q - low, high - q)) / (high - low));
    }
    return least;
  }

  #speedShare(velocity: Float64Array): number {
    let least = 1;
    for (let i = 0; i < velocity.length; i++) {
      least = Math.min(least, 1 - Math.abs(velocity[i]!) / this.#model.joints[i]!.velocityMaxRadPerS);
    }
    return least;
  }
}
