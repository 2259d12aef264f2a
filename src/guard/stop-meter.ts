/** Measures each actual stop of an arm: its duration, and the distance that a point of the arm moved meanwhile. */
import { ArmKinematics, monitoredPoints, type RobotModel, type StopFigures } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';

/** Rest: all joints slower than this in so many consecutive frames, rad/s or m/s. */
const REST = 0.01;
const REST_FRAMES = 5;
/** Stops from a lower speed are ignored, m/s. */
const LEAST_M_PER_S = 0.02;
/** Time limit of a stop, s, recorded for longer ones: something keeps the arm moving. */
const PATIENCE_S = 5;

/** Watches every tick's frame, on the guard's main thread. Idle for a mobile base. */
export class StopMeter {
  readonly #arm: ArmKinematics;
  readonly #points: readonly { readonly link: number; readonly atM: readonly number[] }[];
  readonly #place: Float64Array = new Float64Array(3);
  /** [3·P] positions of the points at the last reference, and of the measured arm when the stop began, m. */
  readonly #reference: Float64Array;
  readonly #begin: Float64Array;
  readonly #followedS: number;
  #commandSeq = -1;
  #commandAtS = Number.NaN;
  #lastAtS = Number.NaN;
  #speedMPerS = 0;
  #isFollowed = false;
  #stop:
    | { readonly speedMPerS: number; readonly sinceS: number; distanceM: number; restS: number; rests: number }
    | undefined;

  /** `policyPeriodS`: time for which a command is followed. */
  constructor(model: RobotModel, policyPeriodS: number) {
    this.#followedS = policyPeriodS - 0.5 / model.controlHz;
    const arm = new ArmKinematics(model);
    this.#arm = arm;
    this.#points = monitoredPoints(model).map(({ link, positionM }) => {
      return { link: link === undefined ? arm.topology.toolLink : arm.topology.link(link), atM: positionM };
    });
    this.#reference = new Float64Array(3 * this.#points.length);
    this.#begin = new Float64Array(3 * this.#points.length);
  }

  /** Returns the stop that ended with this frame. Its speed is that of the reference's fastest point when commands ended. */
  see(frame: GuardFrame): StopFigures | undefined {
    const { positionRad, velocityRadPerS, measuredAtS } = frame.robot;
    const isFollowed = frame.decider !== 'hold' && !this.#isOver(frame);
    if (isFollowed) this.#stop = undefined;
    else if (this.#isFollowed && this.#speedMPerS >= LEAST_M_PER_S) {
      this.#moved(this.#begin, positionRad);
      const speedMPerS = this.#speedMPerS;
      this.#stop = { speedMPerS, sinceS: this.#lastAtS, distanceM: 0, restS: Number.NaN, rests: 0 };
    }
    this.#isFollowed = isFollowed;
    this.#clock(frame.referenceRad, measuredAtS);
    const stop = this.#stop;
    if (stop === undefined) return undefined;
    stop.distanceM = Math.max(stop.distanceM, this.#moved(this.#begin, positionRad, 'keep'));
    const rests = velocityRadPerS.every((speed) => Math.abs(speed) <= REST);
    if (rests && stop.rests === 0) stop.restS = this.#lastAtS;
    stop.rests = rests ? stop.rests + 1 : 0;
    const isOver = stop.rests >= REST_FRAMES;
    if (!isOver && this.#lastAtS - stop.sinceS < PATIENCE_S) return undefined;
    this.#stop = undefined;
    const timeS = isOver ? stop.restS - stop.sinceS : PATIENCE_S;
    return { speedMPerS: stop.speedMPerS, timeS, distanceM: stop.distanceM };
  }

  /** True if the newest command has been followed to its end: the arm brakes, although the lease lasts longer. */
  #isOver({ commandSeq, robot: { measuredAtS } }: GuardFrame): boolean {
    const atS = Number.isFinite(measuredAtS) ? measuredAtS : this.#lastAtS;
    if (commandSeq !== this.#commandSeq) {
      this.#commandSeq = commandSeq;
      this.#commandAtS = atS;
    }
    return atS - this.#commandAtS >= this.#followedS;
  }

  /** Updates the speed of the reference. A reading without a new stamp keeps the last one; its motion counts with the next. */
  #clock(referenceRad: ArrayLike<number>, atS: number): void {
    const elapsedS = atS - this.#lastAtS;
    if (elapsedS === 0 || !Number.isFinite(atS)) return;
    const movedM = this.#moved(this.#reference, referenceRad);
    if (elapsedS > 0) this.#speedMPerS = movedM / elapsedS;
    this.#lastAtS = atS;
  }

  /** Largest distance of an arm's points at `jointsRad` from `places`, m; with `take`, `places` are then set to the points. */
  #moved(places: Float64Array, jointsRad: ArrayLike<number>, then: 'take' | 'keep' = 'take'): number {
    this.#arm.forward(jointsRad);
    let farthestM = 0;
    for (const [k, { link, atM }] of this.#points.entries()) {
      this.#arm.pointOf(this.#place, link, atM);
      const was = places.subarray(3 * k, 3 * k + 3);
      farthestM = Math.max(farthestM, Math.hypot(...this.#place.map((value, axis) => value - was[axis]!)));
      if (then === 'take') was.set(this.#place);
    }
    return farthestM;
  }
}
