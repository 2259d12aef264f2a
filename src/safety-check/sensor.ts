/** How a simulated robot reads its joints: never farther off than its file says, and late. */
import type { Rng, RobotModel } from '../core/index.ts';

/**
 * `uniform`: anything within the bound. `dither`: an encoder whose last bit is as large as the bound, and jumps. `adverse`: the
 * whole bound, towards where the set-points go, so that moving them looks cheaper than it is.
 */
export const SENSOR_NOISES = ['none', 'uniform', 'dither', 'adverse'] as const;
export type SensorNoise = (typeof SENSOR_NOISES)[number];

/** The encoders of one robot. */
export class JointSensor {
  readonly #bound: Float64Array;
  readonly #noise: SensorNoise;
  readonly #rng: Rng;
  readonly #late: Float64Array[];
  readonly #lastSet: Float64Array;

  /** Errors are within `encoderNoiseRad` of each joint, 0 where it has none; readings come `delayTicks` reads late. */
  constructor(model: RobotModel, noise: SensorNoise, rng: Rng, delayTicks = 0) {
    this.#bound = Float64Array.from(model.joints, (joint) => joint.encoderNoiseRad ?? 0);
    this.#noise = noise;
    this.#rng = rng;
    this.#late = Array.from({ length: delayTicks + 1 }, () => new Float64Array(model.joints.length));
    this.#lastSet = new Float64Array(model.joints.length);
  }

  /** The robot was put to `positionRad`, with its set-points there. */
  restart(positionRad: ArrayLike<number>): void {
    for (const kept of this.#late) kept.set(positionRad);
    this.#lastSet.set(positionRad);
  }

  /** Writes into `out` how joints at `positionRad` are read while their servos hold `setPointRad`. */
  read(out: Float64Array, positionRad: Float64Array, setPointRad: Float64Array): void {
    const oldest = this.#late.shift()!;
    oldest.set(positionRad);
    this.#late.push(oldest);
    const seen = this.#late[0]!;
    for (let i = 0; i < out.length; i++) {
      out[i] = seen[i]! + this.#errorOf(i, seen[i]!, setPointRad[i]! - this.#lastSet[i]!);
    }
    this.#lastSet.set(setPointRad);
  }

  #errorOf(i: number, positionRad: number, setPointStepRad: number): number {
    const bound = this.#bound[i]!;
    if (bound === 0 || this.#noise === 'none') return 0;
    if (this.#noise === 'uniform') return this.#rng.uniformIn(-bound, bound);
    if (this.#noise === 'adverse') return bound * Math.sign(setPointStepRad);
    const step = Math.floor(positionRad / bound) + (this.#rng.uniform() < 0.5 ? 0 : 1);
    return step * bound - positionRad;
  }
}
