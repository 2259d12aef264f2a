/**
 * A patient operator who picks a thing up and brings it to a place, as a script: over it, down with the gripper open,
 * closed for some steps, and away. It reads the policy's observation, and remembers how long it has been closing, which
 * an observer of the gripper's position can infer.
 */
import { type ActionSpec, clamp, type ObservationSpec, Rng, TOOL_AXES } from '../../model/index.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';
import { fieldAt, type SeenWay } from './place-mover.ts';

export interface PlacePickerOptions {
  readonly observation: ObservationSpec;
  /** Cartesian, with x, y and z, and a gripper, which opens in the positive direction: the first dimension that is no axis of the tool. */
  readonly action: ActionSpec;
  /** From the tool to the thing, and from the thing to its goal. */
  readonly toThing: SeenWay;
  readonly toGoal: SeenWay;
  /** From the tool to the middle of the thing between the jaws, m. */
  readonly gripM: readonly number[];
  /** Height above the thing from which the tool approaches it, m. */
  readonly clearM: number;
  /** Steps for which the gripper closes before the thing is lifted. */
  readonly closeSteps: number;
  /** Standard deviation of the hand's tremor, in action units. */
  readonly tremor: number;
  readonly seed: number;
}

/** Distances from the grip point below which a thing is gripped, and above which it was lost, m. */
const NEAR_M = 0.006;
const LOST_M = 0.03;

export class PlacePicker implements TeleopSource {
  readonly name = 'demonstrator';
  readonly decidedBy = 'scripted';
  readonly #options: PlacePickerOptions;
  readonly #rng: Rng;
  readonly #axes: readonly { readonly index: number; readonly scale: number }[];
  readonly #gripperAt: number;
  readonly #thingAt: number;
  readonly #goalAt: number;
  readonly #wayM: Float64Array = new Float64Array(3);
  #closing = 0;
  #opening = 0;

  /** Throws `TypeError` if a displacement that it needs is not observed. */
  constructor(options: PlacePickerOptions) {
    const { observation, action, toThing, toGoal, seed } = options;
    this.#options = options;
    this.#rng = new Rng(seed);
    this.#axes = ['x', 'y', 'z'].map((axis) => {
      const index = action.dimensions.findIndex(({ name }) => name === axis);
      return { index, scale: action.dimensions[index]!.scale };
    });
    this.#gripperAt = action.dimensions.findIndex(({ name }) => !TOOL_AXES.includes(name));
    this.#thingAt = fieldAt(observation, toThing.field);
    this.#goalAt = fieldAt(observation, toGoal.field);
  }

  reset(): void {
    this.#closing = 0;
    this.#opening = 0;
  }

  close(): void {
    // Nothing is held open.
  }

  poll(observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    const { toThing, toGoal, gripM, closeSteps, tremor } = this.#options;
    const ofThing = (k: number): number => observation[this.#thingAt + k]! * toThing.scaleM - gripM[k]!;
    const [x, y, z] = [ofThing(0), ofThing(1), ofThing(2)];
    const offM = Math.hypot(x, y, z);
    if (this.#closing > 0 && offM > LOST_M) {
      this.#opening = this.#closing;
      this.#closing = 0;
    }
    if (offM < NEAR_M || this.#closing > 0) this.#closing++;
    if (this.#closing === 0) this.#approach(x, y, z);
    else
      for (let k = 0; k < 3; k++)
        this.#wayM[k] = this.#closing > closeSteps ? observation[this.#goalAt + k]! * toGoal.scaleM : 0;
    out.active = true;
    out.phase = 'correct';
    out.action.fill(0);
    for (const [k, { index, scale }] of this.#axes.entries()) {
      out.action[index] = clamp(this.#wayM[k]! / scale + tremor * this.#rng.normal(), -1, 1);
    }
    // It begins open, and is opened again for as long as it was closed.
    this.#opening = Math.max(0, this.#opening - 1);
    out.action[this.#gripperAt] = this.#closing > 0 ? -1 : Math.sign(this.#opening);
  }

  /** Goes over the thing, and down once it is below. */
  #approach(x: number, y: number, z: number): void {
    const besideM = Math.hypot(x, y);
    // The better it is in line, the lower it goes.
    const upM = this.#options.clearM * clamp((besideM - NEAR_M) / (2 * NEAR_M), 0, 1);
    this.#wayM.set([x, y, z + upM]);
  }
}
