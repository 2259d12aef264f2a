/** An arm in the hand of somebody, who brings it to a pose and holds it there until its servos do. */
import type { EmulatedBody } from './body.ts';

/** Less is no torque that holds anything, N·m. */
const TORQUE_NM = 1e-3;

/** A body that can be put somewhere at rest. */
export interface PlaceableBody extends EmulatedBody {
  /** At rest at `jointsRad` ([n]). */
  place(jointsRad: ArrayLike<number>): void;
}

/** `body`, which somebody holds at `homeRad` from the beginning on, and again after `hold`. */
export class HeldBody implements EmulatedBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: ReadonlyMap<string, number>;
  readonly stepS: number;
  readonly #body: PlaceableBody;
  readonly #homeRad: ArrayLike<number>;
  #isHeld = true;

  constructor(body: PlaceableBody, homeRad: ArrayLike<number>) {
    this.#body = body;
    this.#homeRad = homeRad;
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

  /** Brings the arm home, and holds it until a servo pulls. */
  hold(): void {
    this.#isHeld = true;
    this.#body.place(this.#homeRad);
  }

  release(): void {
    this.#isHeld = false;
  }

  step(): void {
    if (this.#isHeld && this.torqueNm.some((torque) => Math.abs(torque) > TORQUE_NM)) this.#isHeld = false;
    if (!this.#isHeld) this.#body.step();
  }

  close(): void {
    this.#body.close();
  }
}
