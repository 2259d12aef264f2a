/** DC motor with gearbox, as far as a bus servo's registers report it: torque, current, temperature. */

export interface MotorSpec {
  /** Stall torque at `ratedV`, N·m. */
  readonly stallTorqueNm: number;
  readonly ratedV: number;
  /** Stall current at `ratedV`, A. */
  readonly stallCurrentA: number;
  /** No-load speed at `ratedV`, rad/s: its back-EMF reduces the torque. Absent: the body's damping covers that. */
  readonly noLoadRadPerS?: number | undefined;
  /** Steady-state temperature rise above ambient per watt of loss, K. */
  readonly thermalKPerW: number;
  /** Thermal time constant of the winding, s. */
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

  /** Magnitude, in either direction of rotation. */
  get currentA(): number {
    return this.#currentA;
  }

  get temperatureC(): number {
    return this.#temperatureC;
  }

  /** Sets the temperature from outside, for tests. */
  setTemperatureC(temperatureC: number): void {
    this.#temperatureC = temperatureC;
  }

  /**
   * Applies `duty` of the supply (−1 to 1) for `dtS` at `supplyV` while the motor turns; 0: open winding; `shorted`: braked by its
   * back-EMF. Returns the torque, N·m.
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
