/** Where the robot is asked to be, in the dimensions of an action: what a source with a pose of its own is compared with. */
import type { ActionSpec, GuardFrame } from '../core/index.ts';

const AXES: readonly string[] = ['x', 'y', 'z'];

/**
 * The guard puts its reference to the measured arm whenever torque comes on, at an acknowledgement and with a new scene, and keeps it
 * within the leash of the arm from then on.
 */
export class ReferencePose {
  readonly #spec: ActionSpec;
  readonly #joints: readonly number[];
  readonly #pose: Float64Array;
  /** Yaw is counted from the first orientation that was seen; only differences of it mean anything. */
  #first: Float64Array | undefined;

  /** `jointNames`: of the guard's vectors, in their order; none: the action's dimensions are the joints. */
  constructor(spec: ActionSpec, jointNames: readonly string[] = []) {
    this.#spec = spec;
    this.#joints = spec.dimensions.map(({ name }, i) => (jointNames.length === 0 ? i : jointNames.indexOf(name)));
    this.#pose = new Float64Array(spec.dimensions.length);
  }

  /** [A] in m and rad, from the newest `frame`; reused. */
  of({ referenceRad, referenceTcp }: GuardFrame): Float64Array {
    this.#first ??= referenceTcp.slice(3);
    for (let i = 0; i < this.#pose.length; i++) {
      const axis = AXES.indexOf(this.#spec.dimensions[i]!.name);
      if (this.#spec.kind === 'joint') this.#pose[i] = referenceRad[this.#joints[i]!]!;
      else this.#pose[i] = axis < 0 ? yawFrom(this.#first, referenceTcp) : referenceTcp[axis]!;
    }
    return this.#pose;
  }
}

/** The turn about the base's z axis from the quaternion `from` to that in `tcp` (7), rad: of a tool whose tilt is held. */
function yawFrom(from: Float64Array, tcp: Float64Array): number {
  const [, , , w, x, y, z] = tcp;
  const [a, b, c, d] = from;
  // Scalar and z part of q·q₀*.
  const scalar = w! * a! + x! * b! + y! * c! + z! * d!;
  const turn = z! * a! - w! * d! - x! * c! + y! * b!;
  return 2 * Math.atan2(turn, scalar);
}
