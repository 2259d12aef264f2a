/**
 * Checks that readings of a robot with an energy tank are as exact as `encoderNoiseRad` in its file: the tank is credited by them, and
 * more noise would fill it for nothing. Measured while the reference is at rest. Pure; tick-safe except `takeNotice`.
 */
import { encoderNoiseOf, positionUnit, type RobotModel, significant } from '../model/index.ts';
import type { GuardNotice } from '../rows/index.ts';

/** Row of the energy tank. */
const ROW = 42;
/** Time at rest of the reference after which an arm counts as settled, s. */
const SETTLED_S = 2;
/** Window over which readings are judged, s. */
const WINDOW_S = 1;
/** Reversals per window that indicate noise; an arm that is pushed or gives way moves once each way. */
const SWINGS = 6;
/** Rounding tolerance: an encoder whose count is twice the stated noise may flicker between two values. */
const ROUNDING = 1e-6;
/** Factor from the noise seen in one window to the value suggested for the file. */
const NOISE_SHARE = 1.5;

export class EncoderNoise {
  readonly #joints: RobotModel['joints'];
  readonly #isUsed: boolean;
  /** [n] largest peak-to-peak spread allowed by the file, rad. */
  readonly #allowedRad: Float64Array;
  /** [n] the reference at rest, rad. */
  readonly #standsRad: Float64Array;
  /** [2] time the reference has been at rest, and time in the present window, s. */
  readonly #passedS: Float64Array = new Float64Array(2);
  /** [n] minimum and maximum reading of this window, rad. */
  readonly #leastRad: Float64Array;
  readonly #mostRad: Float64Array;
  /** [n] extreme reading since the last reversal, rad; direction (1 or −1), and reversals in this window. */
  readonly #turnRad: Float64Array;
  readonly #way: Int8Array;
  readonly #swings: Int32Array;
  /** Joint found noisier than stated; −1 for none. */
  #noisy = -1;
  readonly #spreadRad: Float64Array = new Float64Array(1);
  #isTold = false;

  constructor(model: RobotModel) {
    const n = model.joints.length;
    this.#joints = model.joints;
    this.#isUsed = model.tank !== undefined && model.base === undefined;
    this.#allowedRad = Float64Array.from(model.joints, (joint) => 2 * encoderNoiseOf(joint) * (1 + ROUNDING));
    this.#standsRad = new Float64Array(n).fill(Number.NaN);
    this.#leastRad = new Float64Array(n);
    this.#mostRad = new Float64Array(n);
    this.#turnRad = new Float64Array(n);
    this.#way = new Int8Array(n);
    this.#swings = new Int32Array(n);
  }

  /** Takes a new reading, `dtS` after the previous one, of an arm with torque that was commanded to `sentRad`. */
  see(dtS: number, sentRad: ArrayLike<number>, positionRad: ArrayLike<number>): void {
    if (!this.#isUsed || this.#noisy >= 0 || !this.#stands(dtS, sentRad)) return;
    const passedS = this.#passedS;
    if (passedS[1] === 0) this.#begin(positionRad);
    passedS[1] = passedS[1]! + dtS;
    for (let i = 0; i < positionRad.length; i++) this.#judge(i, positionRad[i]!);
    if (passedS[1] < WINDOW_S) return;
    passedS[1] = 0;
    for (let i = 0; i < positionRad.length; i++) if (this.#swings[i]! >= SWINGS) this.#noisy = i;
    if (this.#noisy >= 0) this.#spreadRad[0] = this.#mostRad[this.#noisy]! - this.#leastRad[this.#noisy]!;
  }

  /** Returns a notice for the operator, once per torque-on. */
  takeNotice(hasTorque: boolean): GuardNotice | undefined {
    if (!hasTorque) {
      this.#restart();
      return undefined;
    }
    if (this.#noisy < 0 || this.#isTold) return undefined;
    this.#isTold = true;
    return this.#notice(this.#joints[this.#noisy]!);
  }

  #notice(joint: RobotModel['joints'][number]): GuardNotice {
    const unit = positionUnit(joint);
    const noise = encoderNoiseOf(joint);
    const spread = this.#spreadRad[0]!;
    const message = `Readings of ${joint.name} spread by ${significant(spread)} ${unit} while its reference stands; the robot's file says ±${noise} (encoderNoiseRad), so the energy tank may fill from noise.`;
    const remedy = `If the arm does not shake, look at the encoder's cable, or write encoderNoiseRad: ${significant((NOISE_SHARE * spread) / 2)}`;
    return { level: 'warn', row: ROW, message, remedy };
  }

  #restart(): void {
    this.#passedS.fill(0);
    this.#noisy = -1;
    this.#isTold = false;
  }

  /** True if the reference has been at rest long enough. */
  #stands(dtS: number, sentRad: ArrayLike<number>): boolean {
    const passedS = this.#passedS;
    for (let i = 0; i < sentRad.length; i++) {
      if (this.#standsRad[i] === sentRad[i]) continue;
      this.#standsRad.set(sentRad);
      passedS.fill(0);
      return false;
    }
    passedS[0] = passedS[0]! + dtS;
    return passedS[0] >= SETTLED_S;
  }

  #begin(positionRad: ArrayLike<number>): void {
    this.#leastRad.set(positionRad);
    this.#mostRad.set(positionRad);
    this.#turnRad.set(positionRad);
    this.#way.fill(1);
    this.#swings.fill(0);
  }

  /** Counts a reversal if `atRad` has come back by more than the file allows. */
  #judge(i: number, atRad: number): void {
    if (atRad < this.#leastRad[i]!) this.#leastRad[i] = atRad;
    if (atRad > this.#mostRad[i]!) this.#mostRad[i] = atRad;
    const backRad = this.#way[i]! * (this.#turnRad[i]! - atRad);
    if (backRad > 0 && backRad <= this.#allowedRad[i]!) return;
    if (backRad > 0) {
      this.#way[i] = -this.#way[i]!;
      this.#swings[i] = this.#swings[i]! + 1;
    }
    this.#turnRad[i] = atRad;
  }
}
