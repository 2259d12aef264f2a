/**
 * Whether readings are as exact as the file of a robot with an energy tank says (`encoderNoiseRad`): its dampers are credited by them, and
 * more noise fills the tank from nowhere. Seen while the reference stands. Pure; tick-safe but for `takeNotice`.
 */
import { encoderNoiseOf, type GuardNotice, positionUnit, type RobotModel, significant } from '../core/index.ts';

/** Row of the energy tank. */
const ROW = 42;
/** An arm has settled once its reference has stood so long, s. */
const SETTLED_S = 2;
/** Readings are judged over so long, s. */
const WINDOW_S = 1;
/** Noise goes up and down in a window; an arm that is pushed or gives way goes once each way. */
const SWINGS = 6;
/** Rounding: an encoder whose count is twice the noise of the file may flicker between two. */
const ROUNDING = 1e-6;
/** A file should say more than was seen in a second. */
const NOISE_SHARE = 1.5;

export class EncoderNoise {
  readonly #joints: RobotModel['joints'];
  readonly #isUsed: boolean;
  /** [n] widest spread that the file allows, rad. */
  readonly #allowedRad: Float64Array;
  /** [n] the reference that stands, rad. */
  readonly #standsRad: Float64Array;
  /** [2] how long it has stood, and how long readings have been judged, s. */
  readonly #passedS: Float64Array = new Float64Array(2);
  /** [n] least and greatest reading of this window, rad. */
  readonly #leastRad: Float64Array;
  readonly #mostRad: Float64Array;
  /** [n] farthest reading since the last turn, rad; whither it went (1 or −1), and swings of this window. */
  readonly #turnRad: Float64Array;
  readonly #way: Int8Array;
  readonly #swings: Int32Array;
  /** Joint that was seen to be noisier; −1 for none. */
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

  /** A new reading, `dtS` after the one before, of an arm with torque that was asked to be at `sentRad`. */
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

  /** What people should know, once for each time that torque comes on. */
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

  /** Whether the reference has stood long enough. */
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

  /** Counts a swing where `atRad` has come back by more than the file allows. */
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
