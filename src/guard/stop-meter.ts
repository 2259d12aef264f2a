/** Measures each stop of an arm as it truly was: how long it took, and how far a point of the arm went meanwhile. */
import { ArmKinematics, type GuardFrame, monitoredPoints, type RobotModel, type StopFigures } from '../core/index.ts';

/** All joints slower than this, in so many frames running: it stands, rad/s or m/s. */
const REST = 0.01;
const REST_FRAMES = 5;
/** What began slower shows nothing, m/s. */
const LEAST_M_PER_S = 0.02;
/** A stop that takes longer counts with this time, s: something holds the arm in motion. */
const PATIENCE_S = 5;

/** Watches frames, every tick's, for the guard's main thread. Nothing of a mobile base. */
export class StopMeter {
  readonly #arm: ArmKinematics;
  readonly #points: readonly { readonly link: number; readonly atM: readonly number[] }[];
  readonly #place: Float64Array = new Float64Array(3);
  /** [3·P] the points of the last reference, and those of the measured arm when the stop began, m. */
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

  /** `policyPeriodS`: a command is followed for so long. */
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

  /** The stop that was over with this frame. The speed is the reference's, of its fastest point, when commands ended. */
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

  /** The newest command has been followed to its end: it brakes, though its lease lasts for longer. */
  #isOver({ commandSeq, robot: { measuredAtS } }: GuardFrame): boolean {
    const atS = Number.isFinite(measuredAtS) ? measuredAtS : this.#lastAtS;
    if (commandSeq !== this.#commandSeq) {
      this.#commandSeq = commandSeq;
      this.#commandAtS = atS;
    }
    return atS - this.#commandAtS >= this.#followedS;
  }

  /** The speed of the reference. A reading without a stamp of its own leaves the last one; its way counts with the next. */
  #clock(referenceRad: ArrayLike<number>, atS: number): void {
    const elapsedS = atS - this.#lastAtS;
    if (elapsedS === 0 || !Number.isFinite(atS)) return;
    const movedM = this.#moved(this.#reference, referenceRad);
    if (elapsedS > 0) this.#speedMPerS = movedM / elapsedS;
    this.#lastAtS = atS;
  }

  /** How far the fastest point of an arm at `jointsRad` is from `places`, m, which become its own where they are to be taken. */
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
