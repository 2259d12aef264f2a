/** Detects a robot that moves on after a stop, driven by something beyond the guard's control. Tick-safe except `takeNotice`. */
import { positionUnit, type RobotModel, significant } from '../model/index.ts';
import type { GuardNotice } from '../rows/index.ts';
import { isMeasuredAtRest } from '../safety/index.ts';

/** Row of a robot that deviates from its reference. */
const ROW = 43;
/** Time since the reference came to rest, s: lagging servos have long followed. */
const JUDGED_AFTER_S = 1;
/** Motion in that time attributed to encoder noise, rad or m. */
const MOVED_RAD = 0.01;

export class StillMoving {
  readonly #joints: RobotModel['joints'];
  /** [n] joint positions when the reference came to rest, and their distance from there, rad or m. */
  readonly #fromRad: Float64Array;
  readonly #goneRad: Float64Array;
  /** [1] time without a reading at rest, s. */
  readonly #movingS: Float64Array = new Float64Array(1);
  /** Joint that moved farthest; −1: nothing to report. */
  #farthest = -1;
  #isOver = true;

  constructor({ joints }: Pick<RobotModel, 'joints'>) {
    this.#joints = joints;
    this.#fromRad = new Float64Array(joints.length);
    this.#goneRad = new Float64Array(joints.length);
  }

  /** The robot may be commanded to move: the next stop is monitored from when its reference is at rest. */
  restart(): void {
    this.#movingS[0] = 0;
    this.#isOver = false;
  }

  /** Ends monitoring: no stop is in progress. */
  end(): void {
    this.#isOver = true;
  }

  /** Takes a trusted reading, `dtS` after the previous tick, of a stopped robot whose reference is at rest. */
  see(positionRad: ArrayLike<number>, velocityRadPerS: ArrayLike<number>, dtS: number): void {
    if (this.#isOver) return;
    if (this.#movingS[0] === 0) this.#fromRad.set(positionRad);
    this.#isOver = isMeasuredAtRest(velocityRadPerS);
    this.#movingS[0] = this.#movingS[0]! + (dtS > 0 ? dtS : 0);
    if (this.#isOver || this.#movingS[0] < JUDGED_AFTER_S) return;
    this.#isOver = true;
    let most = MOVED_RAD;
    for (let i = 0; i < positionRad.length; i++) {
      const goneRad = Math.abs(positionRad[i]! - this.#fromRad[i]!);
      this.#goneRad[i] = goneRad;
      if (!(goneRad > most)) continue;
      most = goneRad;
      this.#farthest = i;
    }
  }

  /** Returns a notice for the operator, once per stop. */
  takeNotice(): GuardNotice | undefined {
    const joint = this.#joints[this.#farthest];
    if (joint === undefined) return undefined;
    const gone = `${significant(this.#goneRad[this.#farthest]!)} ${positionUnit(joint)}`;
    this.#farthest = -1;
    const message = `The robot moves on after its stop: ${joint.name} went ${gone} in the ${JUDGED_AFTER_S} s in which it was to stand.`;
    const remedy =
      'Stop it by its own emergency stop. Then see what else moves it: another controller, a slope, a hand, or a load that it cannot hold.';
    return { level: 'error', row: ROW, message, remedy };
  }
}
