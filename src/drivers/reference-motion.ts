/** What a row of references says of motion: for drivers whose robots take speeds. */
import { clamp, type RobotModel } from '../core/index.ts';

/** References and their velocities; ticks are not all of one length. Arrays are its own. Tick-safe after construction. */
export class ReferenceMotion {
  /** [n] the newest reference, rad. */
  readonly positionRad: Float64Array;
  /** [n] how fast it moved since the one before, within each joint's limit, rad/s. */
  readonly velocityRadPerS: Float64Array;
  readonly #model: RobotModel;
  readonly #periodS: number;
  #writtenAtS: number = Number.NaN;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#periodS = 1 / model.controlHz;
    this.positionRad = new Float64Array(model.joints.length);
    this.velocityRadPerS = new Float64Array(model.joints.length);
  }

  /** When the newest reference came, s; NaN after a rest. */
  get writtenAtS(): number {
    return this.#writtenAtS;
  }

  /** The references stand where they are. */
  rest(): void {
    this.velocityRadPerS.fill(0);
    this.#writtenAtS = Number.NaN;
  }

  /** The next reference. */
  follow(referenceRad: ArrayLike<number>, nowS: number): void {
    const sinceS = nowS - this.#writtenAtS;
    // The first after a rest, and one that comes at an odd time, says nothing about time: the period is meant.
    const dtS = sinceS > 0.5 * this.#periodS && sinceS < 2 * this.#periodS ? sinceS : this.#periodS;
    for (let i = 0; i < this.positionRad.length; i++) {
      const most = this.#model.joints[i]!.velocityMaxRadPerS;
      const velocity = (referenceRad[i]! - this.positionRad[i]!) / dtS;
      this.velocityRadPerS[i] = clamp(velocity, -most, most);
      this.positionRad[i] = referenceRad[i]!;
    }
    this.#writtenAtS = nowS;
  }
}

/** Where the axes of a base with Ackermann steering stand among its joints. Throws `RangeError` for another robot. */
export function ackermannAxes({ joints }: RobotModel): { readonly x: number; readonly steering: number } {
  const x = joints.findIndex(({ name }) => name === 'x');
  const steering = joints.findIndex(({ name }) => name === 'steering');
  if (x < 0 || steering < 0) throw new RangeError('Ackermann steering moves the axes x and steering of a base');
  return { x, steering };
}
