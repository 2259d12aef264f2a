/** Body moved by emulated servos: joints with inertia, weight and friction, and signals measured beside them. */

/** The arrays are owned by the body. */
export interface EmulatedBody {
  /** [n] rad; ground truth, independent of any encoder reading. */
  readonly positionRad: Float64Array;
  /** [n] rad/s. */
  readonly velocityRadPerS: Float64Array;
  /** [n] Motor torques from now on, N·m: written by the servos before each step, 0 for a limp joint. */
  readonly torqueNm: Float64Array;
  /** Further measured signals by name, m or rad (a button's travel, a block's position), as of the last step. */
  readonly signals: ReadonlyMap<string, number>;
  /** Step length, s. */
  readonly stepS: number;
  /** Advances by one step. */
  step(): void;
  /** Idempotent. */
  close(): void;
}

/** Body on wheels; its first axis is the distance travelled by the driven wheels, m. */
export interface RollingBody extends EmulatedBody {
  /** Advances by one step in which an external hand rolls it by `wayM`, whatever its motor does; 0 holds it. */
  roll(wayM: number): void;
}

/** Longest time caught up after a pause of the process, s; anything beyond it is skipped. */
const CATCH_UP_S = 0.25;

/** Advances a body in step with its devices: whole steps, each after the motors have set their torques. */
export class BodyClock {
  readonly body: EmulatedBody;
  #timeS: number | undefined;

  constructor(body: EmulatedBody) {
    this.body = body;
  }

  /** Advances to `nowS`, calling `drive` to write the torques before each step of `dtS`. Returns the number of steps taken. */
  advance(nowS: number, drive: (dtS: number) => void): number {
    const { body } = this;
    this.#timeS ??= nowS;
    if (nowS - this.#timeS > CATCH_UP_S) this.#timeS = nowS - CATCH_UP_S;
    let steps = 0;
    while (this.#timeS + body.stepS <= nowS) {
      drive(body.stepS);
      body.step();
      this.#timeS += body.stepS;
      steps++;
    }
    return steps;
  }
}
