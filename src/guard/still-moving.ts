/** Whether a stop brings the robot to rest: what is not ours to hold may move on, and must not look like a robot that stands. Tick-safe but for `takeNotice`. */
import { type GuardNotice, positionUnit, type RobotModel, significant } from '../core/index.ts';
import { isMeasuredAtRest } from '../safety/index.ts';

/** Row of a robot that is not where it is asked to be. */
const ROW = 43;
/** Since its reference stands, s: servos that lag have long followed. */
const JUDGED_AFTER_S = 1;
/** Less in that time is noise of encoders, rad or m. */
const MOVED_RAD = 0.01;

export class StillMoving {
  readonly #joints: RobotModel['joints'];
  /** [n] where the joints were when the reference came to stand, and how far they are from there, rad or m. */
  readonly #fromRad: Float64Array;
  readonly #goneRad: Float64Array;
  /** [1] for how long no reading has shown rest, s. */
  readonly #movingS: Float64Array = new Float64Array(1);
  /** The joint that went farthest; −1: there is nothing to tell. */
  #farthest = -1;
  #isOver = true;

  constructor({ joints }: Pick<RobotModel, 'joints'>) {
    this.#joints = joints;
    this.#fromRad = new Float64Array(joints.length);
    this.#goneRad = new Float64Array(joints.length);
  }

  /** The robot may be asked to move: the next stop is watched from when its reference stands. */
  restart(): void {
    this.#movingS[0] = 0;
    this.#isOver = false;
  }

  /** Nothing was stopped here. */
  end(): void {
    this.#isOver = true;
  }

  /** A believed reading, `dtS` after the tick before, of a robot that is stopped and whose reference stands. */
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

  /** What people should know, once a stop. */
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
