/** Velocity estimate from a sequence of references, for drivers of robots that take velocity commands. */
import { clamp, type RobotModel } from '../model/index.ts';

/** Newest references and their velocities; tick lengths may vary. Owns its arrays. Tick-safe after construction. */
export class ReferenceMotion {
  /** [n] newest reference, rad. */
  readonly positionRad: Float64Array;
  /** [n] velocity since the previous reference, clamped to each joint's limit, rad/s. */
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

  /** Time of the newest reference, s; NaN after a rest. */
  get writtenAtS(): number {
    return this.#writtenAtS;
  }

  /** Sets the velocities to 0; references are unchanged. */
  rest(): void {
    this.velocityRadPerS.fill(0);
    this.#writtenAtS = Number.NaN;
  }

  /** Takes the next reference. */
  follow(referenceRad: ArrayLike<number>, nowS: number): void {
    const sinceS = nowS - this.#writtenAtS;
    // The first reference after a rest, or one at an irregular time, carries no interval: the control period is assumed.
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

/** Returns the joint indices of x and steering of an Ackermann base. Throws `RangeError` for another robot. */
export function ackermannAxes({ joints }: RobotModel): { readonly x: number; readonly steering: number } {
  const x = joints.findIndex(({ name }) => name === 'x');
  const steering = joints.findIndex(({ name }) => name === 'steering');
  if (x < 0 || steering < 0) throw new RangeError('Ackermann steering moves the axes x and steering of a base');
  return { x, steering };
}
