/** Force and torque at the wrist, as a six-axis sensor between flange and gripper would give them. */
import type { Simulation } from './mujoco-module.ts';

/** Share of a new reading in the filtered one at 100 Hz: a time constant of 28 ms, as force sensors are commonly set. */
const FILTER_SHARE = 0.3;
const FILTER_PERIOD_S = 0.01;

/** The share that gives the same time constant when the sensor is read every `periodS`. */
function filterShare(periodS: number): number {
  return periodS === FILTER_PERIOD_S ? FILTER_SHARE : 1 - (1 - FILTER_SHARE) ** (periodS / FILTER_PERIOD_S);
}

/** Reads the wrench on the tool about the tool point in the base frame; gravity is tared away at reset. */
export class WristSensor {
  readonly #simulation: Simulation;
  readonly #sensor: number;
  readonly #tcp: number;
  readonly #tare: Float64Array = new Float64Array(6);
  readonly #raw: Float64Array = new Float64Array(6);
  readonly #filtered: Float64Array = new Float64Array(6);
  readonly #share: number;

  /** `periodS`: time between two calls of `read`. */
  constructor(simulation: Simulation, periodS: number) {
    this.#simulation = simulation;
    this.#share = filterShare(periodS);
    this.#sensor = simulation.id('site', 'wrist_sensor');
    this.#tcp = simulation.id('site', 'tcp');
  }

  /** Takes the present reading for zero: the arm must be at rest and touch nothing. */
  tare(): void {
    this.#readRaw();
    this.#tare.set(this.#raw);
    this.#filtered.fill(0);
  }

  /** Fills `out` with force (N) and torque (N·m), low-pass filtered over some 28 ms. Tick-safe. */
  read(out: Float64Array): void {
    this.#readRaw();
    for (let i = 0; i < 6; i++) {
      this.#filtered[i]! += this.#share * (this.#raw[i]! - this.#tare[i]! - this.#filtered[i]!);
      out[i] = this.#filtered[i]!;
    }
  }

  #readRaw(): void {
    const { sensors, sitePosition, siteRotation } = this.#simulation.views;
    const raw = this.#raw;
    const r = 9 * this.#sensor;
    for (let row = 0; row < 3; row++) {
      let force = 0;
      let torque = 0;
      for (let k = 0; k < 3; k++) {
        const element = siteRotation[r + 3 * row + k]!;
        force += element * sensors[k]!;
        torque += element * sensors[3 + k]!;
      }
      // MuJoCo gives the load from the tool on the arm's side; the surroundings' push on the tool is its opposite.
      raw[row] = -force;
      raw[3 + row] = -torque;
    }
    // Shift the torque from the sensor to the tool point: τ_tcp = τ_sensor + (p_sensor − p_tcp) × f.
    const s = 3 * this.#sensor;
    const t = 3 * this.#tcp;
    const x = sitePosition[s]! - sitePosition[t]!;
    const y = sitePosition[s + 1]! - sitePosition[t + 1]!;
    const z = sitePosition[s + 2]! - sitePosition[t + 2]!;
    raw[3]! += y * raw[2]! - z * raw[1]!;
    raw[4]! += z * raw[0]! - x * raw[2]!;
    raw[5]! += x * raw[1]! - y * raw[0]!;
  }
}
