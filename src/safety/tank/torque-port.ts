/**
 * Torque-commanded joints: a torque τ held from one tick to the next puts in exactly τᵀΔq, which is known only at the next
 * tick. So Σ|τ|·v_max·dt is set aside before it is sent, and what it did not take comes back (`docs/safety-case.md`).
 */
import { allFinite, type RobotModel } from '../../core/index.ts';
import { CONTENT, EnergyLedger, SPARE } from './ledger.ts';
import { noiseOf } from './readings.ts';

/** Places in `#amountsJ`. */
const INJECTED = 0;
const RESERVED = 1;

/** The tank of a robot that is commanded by torques on top of its weight's. Tick-safe after construction. */
export class TorquePort {
  readonly #model: RobotModel;
  readonly #books: EnergyLedger;
  /** [n] in force since the last tick, N·m, and where the joints were then, rad. */
  readonly #torque: Float64Array;
  readonly #position: Float64Array;
  /** [n] most by which a reading is off, rad. */
  readonly #noise: Float64Array;
  /** [2] what the torques put in, and what is set aside for them, J. */
  readonly #amountsJ: Float64Array = new Float64Array(2);
  #hasPosition = false;
  /** Of the last `limit`: share of the wanted torques that was paid for. */
  scale = 1;

  /** Throws `RangeError` for a model without a tank or one whose numbers contradict each other. */
  constructor(model: RobotModel) {
    if (model.tank === undefined) throw new RangeError(`${model.name} has no energy tank`);
    this.#model = model;
    this.#books = new EnergyLedger(model.tank);
    this.#torque = new Float64Array(model.joints.length);
    this.#position = new Float64Array(model.joints.length);
    this.#noise = noiseOf(model);
  }

  /** Content with what is set aside, J. */
  get energyJ(): number {
    return this.#books.accountJ[CONTENT]! + this.#amountsJ[RESERVED]!;
  }

  /** Of the last `settle`: what the torques put in, J; negative where they took out. */
  get injectedJ(): number {
    return this.#amountsJ[INJECTED]!;
  }

  /**
   * The joints are at `positionRad` (n) after the last torques: books what those put in, ΔE = −Σ τ·Δq. Where nobody knows, what
   * was set aside is spent. A joint that went faster than v_max can overdraw the tank by what it did so.
   */
  settle(positionRad: ArrayLike<number>): void {
    const amounts = this.#amountsJ;
    amounts[INJECTED] = amounts[RESERVED]!;
    const isMeasured = positionRad.length === this.#position.length && allFinite(positionRad);
    if (isMeasured && this.#hasPosition) {
      amounts[INJECTED] = 0;
      for (let i = 0; i < this.#torque.length; i++) {
        const torqueNm = this.#torque[i]!;
        // Both readings may be off.
        const mostJ = torqueNm * (positionRad[i]! - this.#position[i]!) + 2 * this.#noise[i]! * Math.abs(torqueNm);
        amounts[INJECTED] = amounts[INJECTED]! + mostJ;
      }
    }
    // What was set aside comes back, and what was taken goes out.
    amounts[RESERVED] = -amounts[RESERVED]!;
    this.#books.debit(amounts, RESERVED);
    amounts[RESERVED] = 0;
    this.#books.debit(amounts, INJECTED);
    if (isMeasured) for (let i = 0; i < this.#position.length; i++) this.#position[i] = positionRad[i]!;
    this.#hasPosition = isMeasured;
  }

  /**
   * Scales `torqueNm` (n, in place) by the largest share that can be set aside for the coming `dtS`, and holds it to be sent.
   * With nothing to spend only what dampers would do is left: per joint, against `velocityRadPerS` and no stronger than
   * d·|q̇|, so that it cannot turn the joint round within a tick. Not finite: no torque. `settle` comes before it.
   */
  limit(torqueNm: Float64Array, velocityRadPerS: ArrayLike<number>, dtS: number): void {
    if (!allFinite(torqueNm) || !this.#hasPosition || !(dtS > 0)) torqueNm.fill(0);
    let needJ = 0;
    for (let i = 0; i < torqueNm.length; i++) {
      const { torqueMaxNm, velocityMaxRadPerS } = this.#model.joints[i]!;
      torqueNm[i] = Math.min(Math.max(torqueNm[i]!, -torqueMaxNm), torqueMaxNm);
      needJ += Math.abs(torqueNm[i]!) * (velocityMaxRadPerS * dtS + 4 * this.#noise[i]!);
    }
    const spareJ = Math.max(0, this.#books.accountJ[SPARE]!);
    this.scale = needJ > spareJ ? spareJ / needJ : 1;
    this.#amountsJ[RESERVED] = Math.min(needJ, spareJ);
    for (let i = 0; i < torqueNm.length; i++) {
      const scaled = this.scale * torqueNm[i]!;
      torqueNm[i] = this.scale === 1 ? scaled : scaled + this.#damping(torqueNm[i]! - scaled, velocityRadPerS[i]!, i);
      this.#torque[i] = torqueNm[i]!;
    }
    this.#books.debit(this.#amountsJ, RESERVED);
  }

  /** As at the start. Only with the robot at rest, and because somebody asked for it. */
  refill(): void {
    this.#books.reset();
    this.#amountsJ.fill(0);
    this.#torque.fill(0);
    this.#hasPosition = false;
  }

  /** What is left of the torque that was scaled away, where it brakes. */
  #damping(restNm: number, velocityRadPerS: number, i: number): number {
    if (!(restNm * velocityRadPerS < 0)) return 0;
    const mostNm = this.#model.joints[i]!.dampingNmSPerRad * Math.abs(velocityRadPerS);
    return Math.sign(restNm) * Math.min(Math.abs(restNm), mostNm);
  }
}
