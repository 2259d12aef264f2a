/** Arm held by a hand, which brings it to a pose and holds it there until its servos take over. */
import type { EmulatedBody } from './body.ts';

/** Torque up to this holds nothing, N·m. */
const TORQUE_NM = 1e-3;
/** Speed at which a hand moves a joint, rad/s. */
const HAND_RAD_PER_S = 2;

/** Body that can be placed at rest in a pose. */
export interface PlaceableBody extends EmulatedBody {
  /** Places it at rest at `jointsRad` ([n]). */
  place(jointsRad: ArrayLike<number>): void;
}

/** `body`, held by a hand at `homeRad` from the start, and again after `hold`. */
export class HeldBody implements EmulatedBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: ReadonlyMap<string, number>;
  readonly stepS: number;
  readonly #body: PlaceableBody;
  readonly #homeRad: ArrayLike<number>;
  /** [n] Pose in which the hand holds the arm, and pose to which it brings it. */
  readonly #poseRad: Float64Array;
  readonly #targetRad: Float64Array;
  #isHeld = true;

  constructor(body: PlaceableBody, homeRad: ArrayLike<number>) {
    this.#body = body;
    this.#homeRad = homeRad;
    this.#poseRad = Float64Array.from(homeRad);
    this.#targetRad = Float64Array.from(homeRad);
    this.positionRad = body.positionRad;
    this.velocityRadPerS = body.velocityRadPerS;
    this.torqueNm = body.torqueNm;
    this.signals = body.signals;
    this.stepS = body.stepS;
    body.place(homeRad);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Brings the arm home and holds it until a servo exerts torque. */
  hold(): void {
    this.#take();
    this.#targetRad.set(this.#homeRad);
  }

  /** Takes the arm where it is and moves joint `joint` to `toRad`. The arm stays held. */
  move(joint: number, toRad: number): void {
    this.#take();
    this.#targetRad[joint] = toRad;
  }

  release(): void {
    this.#isHeld = false;
  }

  step(): void {
    if (this.#isHeld && this.torqueNm.some((torque) => Math.abs(torque) > TORQUE_NM)) this.#isHeld = false;
    if (this.#isHeld) this.#bring();
    else this.#body.step();
  }

  /** Takes hold where the arm is, at rest: the drag of turning gears must not count as servo torque. */
  #take(): void {
    if (this.#isHeld) return;
    this.#poseRad.set(this.positionRad);
    this.#targetRad.set(this.positionRad);
    this.#body.place(this.#poseRad);
    this.#isHeld = true;
  }

  /** Moves the held arm by one step. */
  #bring(): void {
    const mostRad = HAND_RAD_PER_S * this.stepS;
    let isMoved = false;
    for (let i = 0; i < this.#poseRad.length; i++) {
      const left = this.#targetRad[i]! - this.#poseRad[i]!;
      if (left === 0) continue;
      isMoved = true;
      this.#poseRad[i] =
        Math.abs(left) <= mostRad ? this.#targetRad[i]! : this.#poseRad[i]! + Math.sign(left) * mostRad;
    }
    if (isMoved) this.#body.place(this.#poseRad);
  }

  close(): void {
    this.#body.close();
  }
}
