/**
 * The action that the robot really executed in a step, in units of the action: critics learn on it.
 *
 * An action requests a set-point; leash and walls are part of its meaning (pressing harder against a wall than the leash allows is the same
 * as pressing as hard as it allows). So the executed action is the requested one, less what the filters kept the reference from reaching.
 * Measuring the path of the reference instead would call every push against a wall "no motion", and critics would have to guess the value
 * of all the pushes that they never see.
 */
import { type ActionSpec, TOOL_AXES, toolAxisOf } from '../model/index.ts';
import type { ActionCommand, GuardFrame } from '../rows/index.ts';

export class ExecutedAction {
  readonly #spec: ActionSpec;
  readonly #startRad: Float64Array;
  /** Joint that each dimension moves; −1 for one that moves the tool. */
  readonly #joints: readonly number[];
  readonly #startTcp: Float64Array = new Float64Array(7);

  /** `jointNames`: joints in the order of the guard's vectors; an action may move a subset of them, in another order. */
  constructor(spec: ActionSpec, joints: number, jointNames: readonly string[] = []) {
    this.#spec = spec;
    this.#startRad = new Float64Array(joints);
    this.#joints = jointsOf(spec, jointNames);
  }

  /** Stores the reference at the beginning of a step. */
  begin(frame: GuardFrame): void {
    this.#startRad.set(frame.referenceRad);
    this.#startTcp.set(frame.referenceTcp);
  }

  /** Writes what was executed of `command` by the end of its step into `out` ([A]), within [−1, 1]. */
  end(frame: GuardFrame, command: ActionCommand, out: Float32Array): void {
    const isFollowed = frame.commandSeq === command.seq;
    for (let i = 0; i < out.length; i++) {
      const executed = isFollowed ? command.action[i]! + frame.shortfall[i]! : this.#way(frame, i);
      out[i] = Math.max(-1, Math.min(1, executed));
    }
  }

  /** Displacement of the reference during the step, for a command that was refused, expired or was halted. */
  #way(frame: GuardFrame, i: number): number {
    const { name, scale } = this.#spec.dimensions[i]!;
    const joint = this.#joints[i]!;
    if (joint >= 0) return (frame.referenceRad[joint]! - this.#startRad[joint]!) / scale;
    const axis = AXES.indexOf(name);
    if (axis < 0) return yawFrom(this.#startTcp.subarray(3), frame.referenceTcp) / scale;
    return (frame.referenceTcp[axis]! - this.#startTcp[axis]!) / scale;
  }
}

const AXES: readonly string[] = TOOL_AXES.slice(0, 3);

/**
 * [A] joint that each dimension of an action moves; −1 for one that moves the tool. `jointNames`: joints in the order of the guard's
 * vectors; empty: a joint action's dimensions are the joints.
 */
function jointsOf({ kind, dimensions }: ActionSpec, jointNames: readonly string[]): readonly number[] {
  return dimensions.map(({ name }, i) => {
    if (toolAxisOf(kind, name) >= 0) return -1;
    return jointNames.length === 0 && kind === 'joint' ? i : jointNames.indexOf(name);
  });
}

/**
 * The guard's reference in the action's dimensions. The guard sets it to the measured arm whenever torque is enabled, at an acknowledgement
 * and with a new scene, and keeps it within the leash of the arm from then on.
 */
export class ReferencePose {
  readonly #spec: ActionSpec;
  readonly #joints: readonly number[];
  readonly #pose: Float64Array;
  /** Yaw is relative to the first orientation seen; only its differences are meaningful. */
  #first: Float64Array | undefined;

  /** `jointNames`: joints in the order of the guard's vectors; empty: the action's dimensions are the joints. */
  constructor(spec: ActionSpec, jointNames: readonly string[] = []) {
    this.#spec = spec;
    this.#joints = jointsOf(spec, jointNames);
    this.#pose = new Float64Array(spec.dimensions.length);
  }

  /** [A] in m and rad, from the newest `frame`; reused. */
  of({ referenceRad, referenceTcp }: GuardFrame): Float64Array {
    this.#first ??= referenceTcp.slice(3);
    for (let i = 0; i < this.#pose.length; i++) {
      const axis = AXES.indexOf(this.#spec.dimensions[i]!.name);
      const joint = this.#joints[i]!;
      if (joint >= 0) this.#pose[i] = referenceRad[joint]!;
      else this.#pose[i] = axis < 0 ? yawFrom(this.#first, referenceTcp) : referenceTcp[axis]!;
    }
    return this.#pose;
  }
}

/** Rotation about the base's z axis from the quaternion `from` to that in `tcp` (7), rad, for a tool of constant tilt. */
function yawFrom(from: Float64Array, tcp: Float64Array): number {
  const [, , , w, x, y, z] = tcp;
  const [a, b, c, d] = from;
  // Scalar and z part of q·q₀*.
  const scalar = w! * a! + x! * b! + y! * c! + z! * d!;
  const turn = z! * a! - w! * d! - x! * c! + y! * b!;
  return 2 * Math.atan2(turn, scalar);
}
