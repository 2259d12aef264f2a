/**
 * Checks that the torque observer (row 54) gets comparable readings: each about a control period after the previous one. With a driver that
 * reads at half that rate it compares nothing, and must not seem to monitor. Pure; tick-safe except `refusal` and `takeNotice`.
 */
import { IDENTIFY_ANEW, type RobotModel } from '../model/index.ts';
import type { GuardNotice } from '../rows/index.ts';
import { COMPARED_TICKS } from '../safety/index.ts';

/** Row of the torque observer. */
const ROW = 54;
/** Time without two comparable readings, s: with jitter and lost readings some remain comparable among a hundred. */
const BLIND_AFTER_S = 1;
/** Largest count of a delayed tick, periods. */
const MOST_TICKS = 2;

export class ObserverSight {
  readonly #isUsed: boolean;
  readonly #periodS: number;
  /** [1] time since the last comparable reading, s. */
  readonly #blindS: Float64Array = new Float64Array(1);
  #isTold = false;

  /** `driver`: one that measures no torque has no observer. */
  constructor(model: RobotModel, { measuresTorque }: { readonly measuresTorque?: boolean | undefined }) {
    this.#isUsed = model.torqueObserver !== undefined && model.base === undefined && measuresTorque !== false;
    this.#periodS = 1 / model.controlHz;
  }

  /** Takes a tick, `dtS` after the previous one. `betweenS`: time between its reading and the previous one; 0 without a new reading. */
  see(dtS: number, betweenS: number): void {
    if (betweenS > 0 && betweenS <= COMPARED_TICKS * this.#periodS) this.#blindS[0] = 0;
    else if (dtS > 0) this.#blindS[0] = this.#blindS[0]! + Math.min(dtS, MOST_TICKS * this.#periodS);
  }

  /** Reason why torque may not come on. */
  refusal(): string | undefined {
    if (!this.#isBlind) return undefined;
    return `${this.#text} Have its driver read each period, or leave torqueObserver out of the robot's file`;
  }

  /** Returns a notice for the operator, once, while `hasTorque`; and one when the condition has ended. */
  takeNotice(hasTorque: boolean): GuardNotice | undefined {
    const isTold = this.#isTold;
    if (this.#isBlind === isTold || !(hasTorque || isTold)) return undefined;
    this.#isTold = !isTold;
    const about = { row: ROW, condition: 'torque observer' };
    if (isTold)
      return { ...about, level: 'info', message: 'The torque observer judges again.', remedy: '', isOver: true };
    const remedy = `Have the robot's driver read each control period, or set controlHz to its rate and ${IDENTIFY_ANEW}. Without torque it is not enabled until then.`;
    return { ...about, level: 'warn', message: this.#text, remedy };
  }

  get #isBlind(): boolean {
    return this.#isUsed && this.#blindS[0]! >= BLIND_AFTER_S;
  }

  get #text(): string {
    const hz = Math.round(1 / this.#periodS);
    return `The torque observer judges nothing: for ${BLIND_AFTER_S} s no two readings came within ${COMPARED_TICKS} periods of ${hz} Hz.`;
  }
}
