/**
 * The motion that an arm is identified by: a sum of sines a joint, no two alike, about the home pose. Slow and wide ones show the
 * weight, quick ones the inertia, the stiffness and the delay (Swevers et al. 1997; finite Fourier series).
 */
import { ArmKinematics, encoderNoiseOf, limitMarginOf, Rng, type RobotModel } from '../core/index.ts';
import { ACCEL_SHARE, type JointPath, LOOK_S, SPEED_SHARE } from './joint-path.ts';

/** Hz, from and to, of one sine each. */
const BANDS_HZ: readonly (readonly [number, number])[] = [
  [0.05, 0.1],
  [0.2, 0.4],
  [0.6, 1],
  [1.4, 2.2],
];
/** Most that a sine takes of a joint's room, before all are made smaller together. */
const LARGEST_RAD = 0.5;
/** Arms that have less room than this cannot show anything, rad. */
const LEAST_RAD = 0.02;
/** Kept from walls, m: an arm that lags or overshoots shall not be braked there. */
const INSET_M = 0.01;
const FADE_S = 2;
const SHRINK = 0.85;
/**
 * Where room is short, a sine keeps so many times the noise of its joint's encoder, if it may be as wide: smaller ones show by coarse counts
 * no damping. Quick ones are this small anyway, and give way last.
 */
const CLEAR_NOISES = 40;
/** All of it has to be so small before they do. */
const CLEAR_UNTIL = 0.2;

interface Sine {
  /** As wide as speed and acceleration let it be. */
  readonly widestRad: number;
  /** What it keeps of that where room is short. */
  readonly clearRad: number;
  readonly radPerS: number;
  readonly phaseRad: number;
}

/** Positions over time, starting and ending at home, at rest. */
export class Excitation implements JointPath {
  readonly #sines: readonly (readonly Sine[])[];
  readonly #homeRad: readonly number[];
  readonly durationS: number;
  #scale = 1;

  /** Made so small that joints keep their limits and the tool its workspace. What else is in the way is the chain's to say. */
  constructor(model: RobotModel, durationS: number, seed: number) {
    const rng = new Rng(seed);
    this.#homeRad = model.homeRad;
    this.durationS = durationS;
    this.#sines = model.joints.map((joint) =>
      BANDS_HZ.map(([low, high]) => {
        const radPerS = 2 * Math.PI * rng.uniformIn(low, high);
        const bySpeed = (SPEED_SHARE * joint.velocityMaxRadPerS) / radPerS;
        const byAccel = (ACCEL_SHARE * joint.accelMaxRadPerS2) / radPerS ** 2;
        const phaseRad = rng.uniformIn(0, 2 * Math.PI);
        const widestRad = Math.min(bySpeed, byAccel, LARGEST_RAD);
        const clearRad = Math.min(widestRad, CLEAR_NOISES * encoderNoiseOf(joint));
        return { widestRad, clearRad, radPerS, phaseRad };
      }),
    );
    const kinematics = new ArmKinematics(model);
    while (this.#scale > 1e-3 && !this.#isInside(model, kinematics)) this.#scale *= SHRINK;
  }

  /** Largest displacement of any joint from home, rad. */
  get largestRad(): number {
    return Math.max(...this.#sines.map((sines) => sines.reduce((sum, sine) => sum + this.#amplitudeRad(sine), 0)));
  }

  /** Whether it has room enough to show anything. */
  get isUseful(): boolean {
    return this.largestRad >= LEAST_RAD;
  }

  /** Makes all of it smaller by the same share, but for what coarse encoders need. */
  shrink(): void {
    this.#scale *= SHRINK;
  }

  /** Writes the positions at `atS` since the start into `out` (n), rad. */
  write(out: Float64Array, atS: number): void {
    const left = Math.min(atS, this.durationS - atS, FADE_S);
    const share = left <= 0 ? 0 : (1 - Math.cos((Math.PI * left) / FADE_S)) / 2;
    for (const [i, sines] of this.#sines.entries()) {
      let sum = 0;
      for (const sine of sines) sum += this.#amplitudeRad(sine) * Math.sin(sine.radPerS * atS + sine.phaseRad);
      out[i] = this.#homeRad[i]! + share * sum;
    }
  }

  #amplitudeRad({ widestRad, clearRad }: Sine): number {
    return Math.max(this.#scale * widestRad, Math.min(1, this.#scale / CLEAR_UNTIL) * clearRad);
  }

  #isInside(model: RobotModel, kinematics: ArmKinematics): boolean {
    const position = new Float64Array(model.joints.length);
    const { minM, maxM } = model.workspace;
    for (let atS = 0; atS < this.durationS; atS += LOOK_S) {
      this.write(position, atS);
      for (const [i, joint] of model.joints.entries()) {
        const kept = 2 * limitMarginOf(joint, model);
        if (position[i]! < joint.positionMinRad + kept) return false;
        if (position[i]! > joint.positionMaxRad - kept) return false;
      }
      kinematics.forward(position);
      for (let k = 0; k < 3; k++) {
        const p = kinematics.tcpPositionM[k]!;
        if (p < minM[k]! + INSET_M || p > maxM[k]! - INSET_M) return false;
      }
    }
    return true;
  }
}
