/** A simulated arm that is not what its file says: other gains, a load, noise of its encoders, somebody who pushes its links. */

import { createDriverReport, type Driver, type DriverFacts, type DriverStatus } from '../../src/drivers/index.ts';
import { Rng, type Vec } from '../../src/model/index.ts';
import { bareArmXml, type PlantOptions, RobotPlant } from '../../src/plant/mujoco.ts';
import type { RobotState } from '../../src/rows/index.ts';

export interface PlantArmOptions extends Omit<PlantOptions, 'file'> {
  /** Half the width of what the encoders' readings are off by, uniformly, rad. */
  readonly noiseRad?: number;
}

/** A driver over one `RobotPlant` of the bare arm; it measures no wrench. */
export class PlantArm implements Driver {
  readonly report = createDriverReport();
  readonly #options: PlantArmOptions;
  readonly #rng: Rng = new Rng(5);
  readonly #referenceRad: Float64Array;
  #plant: RobotPlant | undefined;
  #isEnabled = false;
  #timeS = 0;

  constructor(options: PlantArmOptions) {
    this.#options = options;
    this.#referenceRad = Float64Array.from(options.model.homeRad);
  }

  async open(): Promise<DriverFacts> {
    this.#plant = await RobotPlant.open({ ...this.#options, file: bareArmXml() });
    const jointNames = this.#options.model.joints.map(({ name }) => name);
    return { name: 'plant', isSimulated: true, jointNames, signalNames: [] };
  }

  get plant(): RobotPlant {
    if (this.#plant === undefined) throw new TypeError('the arm is not open');
    return this.#plant;
  }

  torque(ratio: number): void {
    this.#isEnabled = ratio > 0;
    if (ratio > 0) this.#hold();
  }

  service(): 'nothing' {
    return 'nothing';
  }

  takeNotice(): undefined {
    return undefined;
  }

  read(out: RobotState): DriverStatus {
    if (!this.#isEnabled) this.#hold();
    const periodS = 1 / this.#options.model.controlHz;
    const isTrusted = this.plant.step(this.#referenceRad, periodS);
    this.#timeS += periodS;
    out.positionRad.set(this.plant.positionRad);
    const noiseRad = this.#options.noiseRad ?? 0;
    for (let i = 0; i < out.positionRad.length; i++) {
      out.positionRad[i] = out.positionRad[i]! + this.#rng.uniformIn(-noiseRad, noiseRad);
    }
    out.velocityRadPerS.set(this.plant.velocityRadPerS);
    out.torqueNm.set(this.plant.torqueNm);
    out.measuredAtS = this.#timeS;
    return isTrusted ? 'ok' : 'lost';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    this.#referenceRad.set(referenceRad);
    return 'ok';
  }

  async close(): Promise<void> {
    this.#plant?.close();
    this.#plant = undefined;
  }

  #hold(): void {
    this.#referenceRad.set(this.plant.positionRad);
    this.plant.hold();
  }
}
