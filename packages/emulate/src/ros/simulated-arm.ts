/**
 * Simulated arm as hardware behind controllers: each period it gets set-points from the active controller and lets the
 * physics follow them. Without an active controller it holds its position, as an arm with its brakes on.
 */

import { MujocoDriver } from '../../../../src/drivers/mujoco.ts';
import { type RobotModel, type Vec, zeros } from '../../../../src/model/index.ts';
import type { MujocoDriverOptions, PlantDriverOptions } from '../../../../src/plant/index.ts';
import { createRobotState, type RobotState, type SceneLayout } from '../../../../src/rows/index.ts';
import type { ArmController, ArmReading } from './arm-controllers.ts';

export class SimulatedArm {
  readonly model: RobotModel;
  /** True state of the arm, as of the last `step`. */
  readonly state: RobotState;
  readonly reading: ArmReading;
  readonly #driver: MujocoDriver;
  readonly #periodS: number;
  readonly #output: Float64Array;
  readonly #setPointRad: Vec<'rad'>;
  #controller: ArmController | undefined;

  /** `options`: the arm in a task's scene, or from its own file; `periodS`: period of its physics. */
  constructor(model: RobotModel, options: MujocoDriverOptions | PlantDriverOptions, periodS: number) {
    const joints = model.joints.length;
    this.model = model;
    this.#driver =
      'file' in options
        ? new MujocoDriver({ ...model, controlHz: 1 / periodS }, options)
        : new MujocoDriver(model, { ...options, periodS });
    this.#periodS = periodS;
    this.state = createRobotState(joints, options.signalNames.length);
    this.#output = new Float64Array(joints);
    this.#setPointRad = zeros<'rad'>(joints);
    this.reading = {
      positionRad: this.state.positionRad,
      velocityRadPerS: this.state.velocityRadPerS,
      setPointRad: this.#setPointRad,
    };
  }

  /** Returns the index of a signal in `state.signals`; −1 if the scene does not measure it. */
  signalIndex(name: string): number {
    return this.#driver.facts.signalNames.indexOf(name);
  }

  /** Opens the scene with the arm at home, holding. */
  async open(): Promise<void> {
    await this.#driver.open();
    this.reset({ jointsRad: this.model.homeRad, objects: {}, signals: {} });
    this.#driver.torque(1);
    this.step(0);
  }

  /** Sets the controller whose set-points the arm follows; `undefined` makes it hold. */
  follow(controller: ArmController | undefined): void {
    this.#controller = controller;
    this.#hold();
    controller?.activate(this.reading);
  }

  /** Places arm and objects as in `layout`, at rest. Throws `RangeError` for a layout that does not fit. */
  reset(layout: SceneLayout): void {
    this.#driver.scene.reset(layout);
    this.state.positionRad.set(layout.jointsRad);
    this.state.velocityRadPerS.fill(0);
    this.#setPointRad.set(layout.jointsRad);
    this.#controller?.activate(this.reading);
  }

  /** Simulates the period that begins at `nowS`, and measures. Returns false if the simulation diverged; a reset recovers it. */
  step(nowS: number): boolean {
    this.#command(nowS);
    return this.#driver.read(this.state) === 'ok';
  }

  async close(): Promise<void> {
    await this.#driver.close();
  }

  #command(nowS: number): void {
    const controller = this.#controller;
    if (controller === undefined) {
      this.#driver.write(this.#setPointRad);
      return;
    }
    const out = this.#output;
    controller.update(nowS, this.reading, out);
    if (controller.commandInterface === 'effort') {
      this.#setPointRad.set(this.state.positionRad);
      this.#driver.exert(out);
      return;
    }
    for (let i = 0; i < out.length; i++) {
      const joint = this.model.joints[i]!;
      const wantedRad =
        controller.commandInterface === 'position' ? out[i]! : this.#setPointRad[i]! + out[i]! * this.#periodS;
      // The drives stop at their limits, whatever is commanded.
      this.#setPointRad[i] = Math.min(Math.max(wantedRad, joint.positionMinRad), joint.positionMaxRad);
    }
    this.#driver.write(this.#setPointRad);
  }

  #hold(): void {
    this.#setPointRad.set(this.state.positionRad);
    this.#driver.write(this.#setPointRad);
  }
}
