/** Measures stops: commands end, or turn to NaN, at a random moment, and the robot has to come to rest. */
import type { RobotModel } from '../../model/index.ts';

/** Speed below which a robot stands, rad/s or m/s. */
const REST = 0.01;
/** Longest time to wait for a stop, s. */
const PATIENCE_S = 4;

const FARTHEST = 1e6;

/** One measured stop; times from the moment that commands ended. */
export interface StopSample {
  readonly cause: 'silence' | 'nan';
  readonly reactionS: number;
  readonly reactionBoundS: number;
  readonly timeS: number;
  readonly timeBoundS: number;
  /** Of the joint that used most of its bound, rad or m. */
  readonly distance: number;
  readonly distanceBound: number;
  /** Time until the plant stood; NaN if it did not while waiting. */
  readonly plantTimeS: number;
}

/** Longest time from full speed to rest by the limits, s: the largest v/A. */
export function brakeS({ joints }: Pick<RobotModel, 'joints'>): number {
  return Math.max(...joints.map(({ velocityMaxRadPerS, accelMaxRadPerS2 }) => velocityMaxRadPerS / accelMaxRadPerS2));
}

/**
 * Bound for a stop at any speed up to the joints' limits: detection (the lease, or nothing for NaN) and one tick at
 * full speed, then the brake manoeuvre of max v/A, and one tick in which it ends.
 */
export function stopBound(
  model: RobotModel,
  detectionS: number,
): { readonly timeS: number; readonly distances: number[] } {
  const tickS = 1 / model.controlHz;
  const longestS = brakeS(model);
  const distances = model.joints.map(({ velocityMaxRadPerS: v }) => v * (detectionS + tickS) + (v * longestS) / 2);
  return { timeS: detectionS + longestS + 2 * tickS, distances };
}

type Phase = 'idle' | 'stopping' | 'settling';

/** Stops of one trial, one after the other. Allocates once per stop. */
export class StopWatch {
  readonly samples: StopSample[] = [];
  readonly cause: 'silence' | 'nan';
  readonly #detectionS: number;
  readonly #tickS: number;
  readonly #from: Float64Array;
  readonly #bound: { readonly timeS: number; readonly distances: number[] };
  #phase: Phase = 'idle';
  #sinceS = 0;
  #reactionS = 0;
  #restS = 0;
  #distance = 0;
  #distanceBound = 1;

  /** `leaseS`: the lease of every command. */
  constructor(model: RobotModel, cause: 'silence' | 'nan', leaseS: number) {
    this.cause = cause;
    this.#tickS = 1 / model.controlHz;
    this.#detectionS = cause === 'nan' ? 0 : leaseS;
    this.#bound = stopBound(model, this.#detectionS);
    this.#from = new Float64Array(model.joints.length);
  }

  /** True while commands are withheld, or corrupted. */
  get isOn(): boolean {
    return this.#phase !== 'idle';
  }

  /** Begins a stop: the last valid command was issued at `issuedAtS`, and from `nowS` on there is none. */
  begin(nowS: number, issuedAtS: number, referenceRad: Float64Array): void {
    this.#phase = 'stopping';
    // The lease counts from the creation of the last command; a NaN is detected in the tick in which it arrives.
    this.#sinceS = this.cause === 'nan' ? nowS : issuedAtS;
    this.#reactionS = Number.NaN;
    this.#from.set(referenceRad);
  }

  /**
   * Updates after a tick with the reference and its velocity, whether it followed a command, and the plant's velocity.
   * Returns true if a stop exceeded its bound, with which it ends.
   */
  tick(nowS: number, reference: Float64Array, speed: number, follows: boolean, plantVelocity: Float64Array): boolean {
    if (this.#phase === 'idle') return false;
    if (this.#phase === 'stopping') return this.#watchReference(nowS, reference, speed, follows);
    const isStill = plantVelocity.every((v) => Math.abs(v) <= REST);
    if (isStill || nowS - this.#sinceS > PATIENCE_S) this.#finish(isStill ? nowS - this.#sinceS : Number.NaN);
    return false;
  }

  #watchReference(nowS: number, reference: Float64Array, speed: number, follows: boolean): boolean {
    if (!follows && Number.isNaN(this.#reactionS)) this.#reactionS = nowS - this.#sinceS;
    if (speed > 0 && nowS - this.#sinceS < PATIENCE_S) return false;
    this.#restS = nowS - this.#sinceS;
    // A reference that came to rest before it had to brake has nothing to react to.
    if (speed === 0 && Number.isNaN(this.#reactionS)) this.#reactionS = Math.min(this.#restS, this.#reactionBoundS);
    let share = 0;
    for (let i = 0; i < reference.length; i++) {
      // A non-finite reference, possible only with the chain off, counts as the largest distance.
      const moved = Math.abs(reference[i]! - this.#from[i]!);
      const distance = Number.isFinite(moved) ? Math.min(FARTHEST, moved) : FARTHEST;
      const bound = this.#bound.distances[i]!;
      if (distance / bound < share) continue;
      share = distance / bound;
      this.#distance = distance;
      this.#distanceBound = bound;
    }
    this.#phase = 'settling';
    const isLate = this.#restS > this.#bound.timeS + 1e-9 || !(this.#reactionS <= this.#reactionBoundS + 1e-9);
    return isLate || share > 1 + 1e-9;
  }

  get #reactionBoundS(): number {
    return this.#detectionS + this.#tickS;
  }

  #finish(plantTimeS: number): void {
    this.samples.push({
      cause: this.cause,
      reactionS: Number.isNaN(this.#reactionS) ? PATIENCE_S : this.#reactionS,
      reactionBoundS: this.#reactionBoundS,
      timeS: this.#restS,
      timeBoundS: this.#bound.timeS,
      distance: this.#distance,
      distanceBound: this.#distanceBound,
      plantTimeS,
    });
    this.#phase = 'idle';
  }
}
