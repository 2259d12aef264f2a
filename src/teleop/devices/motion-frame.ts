/** Frame in which an operator moves the tool: the robot's base, the tool itself, or a camera that they look through. */
import { type ActionSpec, matrixFromQuaternion, matrixFromRpy } from '../../model/index.ts';

/** Mapping of a stick's forward, left and up to the base's x, y and z. */
export type FrameChoice = 'base' | 'tool' | { readonly cameraRpyRad: readonly [number, number, number] };

const XYZ = ['x', 'y', 'z'];

/** True if an action moves a tool in x, y and z, so that it may be given in a frame other than the base's. */
export function movesTool({ kind, dimensions }: ActionSpec): boolean {
  return kind === 'cartesian' && XYZ.every((axis) => dimensions.some(({ name }) => name === axis));
}

/**
 * Rotates the translation of a cartesian action from the operator's frame into the base frame. A rotation of the tool
 * remains one about the base's z axis, the only one that actions have. Pure but for the tool's pose, which is supplied
 * by the caller.
 */
export class MotionFrame {
  readonly #scales: readonly number[];
  readonly #at: readonly number[];
  readonly #fixed: Float64Array | undefined;
  readonly #tool: (() => ArrayLike<number> | undefined) | undefined;
  readonly #turned: Float64Array = new Float64Array(3);
  readonly #rotation: Float64Array = new Float64Array(9);

  /**
   * `tool`: [7] x, y, z (m), quaternion w, x, y, z in the base frame, if known. Throws `RangeError` if the action moves
   * no tool in x, y and z.
   */
  constructor(choice: FrameChoice, action: ActionSpec, tool: () => ArrayLike<number> | undefined) {
    this.#at = XYZ.map((axis) => action.dimensions.findIndex(({ name }) => name === axis));
    this.#scales = this.#at.map((i) => action.dimensions[i]?.scale ?? 1);
    if (choice !== 'base' && !movesTool(action))
      throw new RangeError('a frame other than base needs a cartesian action with x, y and z');
    if (choice === 'tool') this.#tool = tool;
    else if (choice !== 'base') {
      this.#fixed = new Float64Array(9);
      matrixFromRpy(this.#fixed, ...choice.cameraRpyRad);
    }
  }

  /**
   * Changes `action` ([A], normalised) in place; scales it down, keeping its direction, if a component would exceed ±1.
   * Zeros while the tool's pose is unknown.
   */
  apply(action: Float32Array): void {
    const rotation = this.#fixed ?? (this.#tool === undefined ? undefined : this.#toolRotation());
    if (rotation === undefined) return;
    let most = 1;
    for (let row = 0; row < 3; row++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += rotation[3 * row + k]! * action[this.#at[k]!]! * this.#scales[k]!;
      this.#turned[row] = sum / this.#scales[row]!;
      most = Math.max(most, Math.abs(this.#turned[row]!));
    }
    for (let row = 0; row < 3; row++) action[this.#at[row]!] = this.#turned[row]! / most;
  }

  #toolRotation(): Float64Array {
    const pose = this.#tool!();
    if (pose === undefined) return this.#rotation.fill(0);
    matrixFromQuaternion(this.#rotation, pose, 3);
    return this.#rotation;
  }
}
