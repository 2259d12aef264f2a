/**
 * Wrist force and torque as from a six-axis sensor between flange and gripper: a filtered sample of the last physics step,
 * and the mean over all steps of a period. Contact forces vary widely from step to step; joints respond to their mean.
 */
import type { Simulation } from './mujoco-module.ts';

/** Share of a new reading in the filtered one at 100 Hz: a time constant of 28 ms, a common setting of force sensors. */
const FILTER_SHARE = 0.3;
const FILTER_PERIOD_S = 0.01;

/** Returns the share for the same time constant with a reading every `periodS`. */
function filterShare(periodS: number): number {
  return periodS === FILTER_PERIOD_S ? FILTER_SHARE : 1 - (1 - FILTER_SHARE) ** (periodS / FILTER_PERIOD_S);
}

/** Wrench on the tool about the tool point, base frame. */
export class WristSensor {
  readonly #simulation: Simulation;
  readonly #sensor: number;
  readonly #tcp: number;
  readonly #tare: Float64Array = new Float64Array(6);
  readonly #raw: Float64Array = new Float64Array(6);
  readonly #filtered: Float64Array = new Float64Array(6);
  readonly #share: number;
  /** Body that the sensor carries, and root body, about whose centre of mass MuJoCo takes moments. */
  readonly #tool: number;
  readonly #root: number;
  readonly #sum: Float64Array = new Float64Array(6);
  #steps = 0;

  /** `periodS`: time between calls of `read`. */
  constructor(simulation: Simulation, periodS: number) {
    this.#simulation = simulation;
    this.#share = filterShare(periodS);
    this.#sensor = simulation.id('site', 'wrist_sensor');
    this.#tcp = simulation.id('site', 'tcp');
    this.#tool = (simulation.model.site_bodyid as Int32Array)[this.#sensor]!;
    this.#root = (simulation.model.body_rootid as Int32Array)[this.#tool]!;
  }

  /** Takes the present reading as zero: the arm must be at rest and touch nothing. */
  tare(): void {
    this.#readRaw();
    this.#tare.set(this.#raw);
    this.#filtered.fill(0);
  }

  /** Adds the contacts of the tool in the physics step that has just passed. Tick-safe. */
  addStep(): void {
    const { bodyContact, centreOfMass, sitePosition } = this.#simulation.views;
    const b = 6 * this.#tool;
    const fx = bodyContact[b + 3]!;
    const fy = bodyContact[b + 4]!;
    const fz = bodyContact[b + 5]!;
    const c = 3 * this.#root;
    const t = 3 * this.#tcp;
    const x = centreOfMass[c]! - sitePosition[t]!;
    const y = centreOfMass[c + 1]! - sitePosition[t + 1]!;
    const z = centreOfMass[c + 2]! - sitePosition[t + 2]!;
    const sum = this.#sum;
    sum[0]! += fx;
    sum[1]! += fy;
    sum[2]! += fz;
    sum[3]! += bodyContact[b]! + y * fz - z * fy;
    sum[4]! += bodyContact[b + 1]! + z * fx - x * fz;
    sum[5]! += bodyContact[b + 2]! + x * fy - y * fx;
    this.#steps++;
  }

  /**
   * Writes mean force (N) and torque (N·m) of the steps since the last call into `out`, without the tool's weight and
   * inertia, and unfiltered; zeros if there were none. Tick-safe.
   */
  readMean(out: Float64Array): void {
    for (let i = 0; i < 6; i++) out[i] = this.#steps > 0 ? this.#sum[i]! / this.#steps : 0;
    this.#sum.fill(0);
    this.#steps = 0;
  }

  /** Writes force (N) and torque (N·m) into `out`, low-pass filtered over about 28 ms; gravity is tared at reset. Tick-safe. */
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
      // MuJoCo gives the load of the tool on the arm; the push of the surroundings on the tool is its opposite.
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
