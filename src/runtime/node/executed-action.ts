/** What the robot was really made to do in a step, in the units that actions have. */
import type { ActionSpec, GuardFrame } from '../../core/index.ts';

/** Measures the way of the reference between two moments, after every filter. */
export class ExecutedAction {
  readonly #spec: ActionSpec;
  readonly #start: Float64Array;
  readonly #startTcp: Float64Array = new Float64Array(7);

  constructor(spec: ActionSpec, joints: number) {
    this.#spec = spec;
    this.#start = new Float64Array(joints);
  }

  /** Remembers where the reference is now. */
  begin(frame: GuardFrame): void {
    this.#start.set(frame.referenceRad);
    this.#startTcp.set(frame.referenceTcp);
  }

  /** Writes into `out` ([A]) the action that leads from `begin` to now, clipped to [−1, 1] against rounding. */
  end(frame: GuardFrame, out: Float32Array): void {
    const { dimensions, kind } = this.#spec;
    for (let i = 0; i < dimensions.length; i++) {
      const { name, scale } = dimensions[i]!;
      const moved =
        kind === 'joint'
          ? frame.referenceRad[i]! - this.#start[i]!
          : cartesianChange(name, this.#startTcp, frame.referenceTcp);
      out[i] = Math.max(-1, Math.min(1, moved / scale));
    }
  }
}

function cartesianChange(name: string, from: Float64Array, to: Float64Array): number {
  if (name === 'x') return to[0]! - from[0]!;
  if (name === 'y') return to[1]! - from[1]!;
  if (name === 'z') return to[2]! - from[2]!;
  return turnAboutZ(from, to);
}

/** Turn about the base's z axis from one pose's orientation to another's, rad: the z part of the rotation vector. */
function turnAboutZ(from: Float64Array, to: Float64Array): number {
  // q = to · from⁻¹ (w, x, y, z); only w and z are needed, and the vector's length for exactness.
  const [fw, fx, fy, fz] = [from[3]!, -from[4]!, -from[5]!, -from[6]!];
  const [tw, tx, ty, tz] = [to[3]!, to[4]!, to[5]!, to[6]!];
  const w = tw * fw - tx * fx - ty * fy - tz * fz;
  const x = tw * fx + tx * fw + ty * fz - tz * fy;
  const y = tw * fy - tx * fz + ty * fw + tz * fx;
  const z = tw * fz + tx * fy - ty * fx + tz * fw;
  const sine = Math.hypot(x, y, z);
  if (sine < 1e-12) return 0;
  const angle = 2 * Math.atan2(sine, Math.abs(w));
  return (Math.sign(w) || 1) * (z / sine) * angle;
}
