/**
 * Excitation trajectory of an identification: a sum of sines per joint, all different, about the home pose. Slow and
 * wide ones excite the weight, quick ones the inertia, the stiffness and the delay (Swevers et al. 1997; finite Fourier
 * series).
 */
import { ArmKinematics, encoderNoiseOf, limitMarginOf, Rng, type RobotModel } from '../model/index.ts';
import { ACCEL_SHARE, type JointPath, LOOK_S, SPEED_SHARE } from './joint-path.ts';

/** Frequency range of each sine, Hz. */
const BANDS_HZ: readonly (readonly [number, number])[] = [
  [0.05, 0.1],
  [0.2, 0.4],
  [0.6, 1],
  [1.4, 2.2],
];
/** Largest amplitude of a sine, before all are scaled down together, rad. */
const LARGEST_RAD = 0.5;
/** Displacement below which a motion is too small to identify an arm, rad. */
const LEAST_RAD = 0.02;
/** Distance kept from walls, m: an arm that lags or overshoots must not be braked there. */
const INSET_M = 0.01;
const FADE_S = 2;
const SHRINK = 0.85;
/**
 * Where room is short, a sine keeps this multiple of its joint's encoder noise, up to its full width: smaller ones
 * reveal no damping through coarse counts. Quick ones are this small anyway, and are reduced last.
 */
const CLEAR_NOISES = 40;
/** Overall scale below which those are reduced too. */
const CLEAR_UNTIL = 0.2;

interface Sine {
  /** Amplitude permitted by speed and acceleration. */
  readonly widestRad: number;
  /** Amplitude kept where room is short. */
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

  /** Scales the sines down until joints keep their limits and the tool its workspace. Other obstacles are the chain's to detect. */
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

  /** True if its displacement is large enough for an identification. */
  get isUseful(): boolean {
    return this.largestRad >= LEAST_RAD;
  }

  /** Scales everything down by the same share, except what coarse encoders need. */
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
