/** What emulated servos move: joints with inertia, weight and friction, and what can be measured beside them. */

/** Arrays are the body's own. */
export interface EmulatedBody {
  /** [n] rad; true, whatever an encoder says of it. */
  readonly positionRad: Float64Array;
  /** [n] rad/s. */
  readonly velocityRadPerS: Float64Array;
  /** [n] what the motors exert from now on, N·m: written by the servos before each step, 0 for a limp joint. */
  readonly torqueNm: Float64Array;
  /** What else is measured, by name: metres or rad (a button's travel, where a block is). As of the last step. */
  readonly signals: ReadonlyMap<string, number>;
  /** How long a step is, s. */
  readonly stepS: number;
  /** One step passes. */
  step(): void;
  /** Idempotent. */
  close(): void;
}

/** A body on wheels, whose first axis is the way that they go, m. */
export interface RollingBody extends EmulatedBody {
  /** A step passes in which somebody makes it roll by `wayM`, whatever its motor does; 0 holds it. */
  roll(wayM: number): void;
}

/** Longest time that is caught up after a pause of the process, s: more than that did not happen. */
const CATCH_UP_S = 0.25;

/** Keeps a body at the devices' time: whole steps, each after the motors have set their torques. */
export class BodyClock {
  readonly body: EmulatedBody;
  #timeS: number | undefined;

  constructor(body: EmulatedBody) {
    this.body = body;
  }

  /** Time has come to `nowS`. `drive` writes the torques before each step of `dtS`. Returns how many steps passed. */
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
