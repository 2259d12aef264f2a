/** A DC motor with its gear, as far as a bus servo's registers tell of it: torque, current, heat. */

export interface MotorSpec {
  /** Largest torque, at `ratedV` and standing still, N·m. */
  readonly stallTorqueNm: number;
  readonly ratedV: number;
  /** Current then, A. */
  readonly stallCurrentA: number;
  /** Speed without load at `ratedV`, rad/s: what its own voltage takes from the torque. Absent: the body's damping has that. */
  readonly noLoadRadPerS?: number | undefined;
  /** Kelvin above the surroundings for a watt of loss, at last. */
  readonly thermalKPerW: number;
  /** How long the winding takes to get there, s. */
  readonly thermalTimeS: number;
}

const AMBIENT_C = 25;

/** Torque: stall · (duty·V/V_rated − ω/ω₀). Temperature: T' = (T_ambient + R_th·I²·R − T)/τ. */
export class Motor {
  readonly spec: MotorSpec;
  #torqueNm = 0;
  #currentA = 0;
  #temperatureC = AMBIENT_C;

  constructor(spec: MotorSpec) {
    this.spec = spec;
  }

  get torqueNm(): number {
    return this.#torqueNm;
  }

  /** Positive, whichever way it turns. */
  get currentA(): number {
    return this.#currentA;
  }

  get temperatureC(): number {
    return this.#temperatureC;
  }

  /** Heats or cools it from outside: a test's. */
  setTemperatureC(temperatureC: number): void {
    this.#temperatureC = temperatureC;
  }

  /**
   * `duty` of the supply (−1 to 1) is on for `dtS`, at `supplyV`, while it turns; 0: its winding is open; `shorted`: its own voltage
   * brakes it. Returns the torque, N·m.
   */
  drive(duty: number | 'shorted', supplyV: number, velocityRadPerS: number, dtS: number): number {
    const { stallTorqueNm, ratedV, stallCurrentA, noLoadRadPerS, thermalKPerW, thermalTimeS } = this.spec;
    const drivenNm = duty === 'shorted' ? 0 : (duty * stallTorqueNm * supplyV) / ratedV;
    const ownNm = noLoadRadPerS === undefined || duty === 0 ? 0 : (stallTorqueNm * velocityRadPerS) / noLoadRadPerS;
    this.#torqueNm = duty === 0 ? 0 : drivenNm - ownNm;
    this.#currentA = (Math.abs(this.#torqueNm) / stallTorqueNm) * stallCurrentA;
    const lossW = (this.#currentA * this.#currentA * ratedV) / stallCurrentA;
    this.#temperatureC += ((AMBIENT_C + thermalKPerW * lossW - this.#temperatureC) * dtS) / thermalTimeS;
    return this.#torqueNm;
  }
}
