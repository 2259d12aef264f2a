/** Converts a path into consecutive actions, and measures the reference's distance from it. */
import { type ActionSpec, jointActionUnit, type RobotModel } from '../model/index.ts';
import { type JointPath, speedShareOf } from './joint-path.ts';

/** Approximate rate of actions: each lasts for whole ticks. */
const ACTION_HZ = 20;
/** Returns the ticks per action at `controlHz`. */
export function actionTicks({ controlHz }: Pick<RobotModel, 'controlHz'>): number {
  return Math.max(1, Math.round(controlHz / ACTION_HZ));
}

/** The same, s. */
export function actionPeriodS(model: Pick<RobotModel, 'controlHz'>): number {
  return actionTicks(model) / model.controlHz;
}

/** Action space of an identification: every joint separately, −1 to 1 for its full speed. */
export function identifyAction(model: Pick<RobotModel, 'joints' | 'controlHz'>): ActionSpec {
  const periodS = actionPeriodS(model);
  const dimensions = model.joints.map((joint) => ({
    name: joint.name,
    unit: jointActionUnit(joint),
    scale: joint.velocityMaxRadPerS * periodS,
  }));
  return { kind: 'joint', dimensions };
}

/** One pass along a path. Its time advances by at most one action at a time: a delayed arm continues from where it is. */
export class PathFollower {
  readonly #path: JointPath;
  readonly #periodS: number;
  /** [n] rad per action. */
  readonly #scale: readonly number[];
  /** Largest action: the announced share of its speed. */
  readonly #share: number;
  readonly #target: Float64Array;
  #atS = 0;

  constructor(model: Pick<RobotModel, 'joints' | 'controlHz'>, path: JointPath) {
    this.#path = path;
    this.#periodS = actionPeriodS(model);
    this.#scale = identifyAction(model).dimensions.map(({ scale }) => scale);
    this.#share = speedShareOf(model, path);
    this.#target = new Float64Array(model.joints.length);
  }

  /** Elapsed time on the path, s. */
  get atS(): number {
    return this.#atS;
  }

  get isOver(): boolean {
    return this.#atS >= this.#path.durationS;
  }

  /** Writes into `action` ([n]) the action that leads a reference at `referenceRad` ([n], rad) to the path's position one action later. */
  write(action: Float64Array, referenceRad: ArrayLike<number>): void {
    this.#path.write(this.#target, this.#atS + this.#periodS);
    for (const [i, scale] of this.#scale.entries()) {
      const share = (this.#target[i]! - referenceRad[i]!) / scale;
      action[i] = Math.min(Math.max(share, -this.#share), this.#share);
    }
  }

  /** Advances by `sinceS`, the time since the last action was sent. */
  pass(sinceS: number): void {
    this.#atS += Math.min(sinceS, this.#periodS);
  }

  /**
   * Returns the first joint whose reference at `referenceRad` ([n], rad) is more than `mostRad` from the path's present
   * position; −1 for none.
   */
  left(referenceRad: ArrayLike<number>, mostRad: number): number {
    this.#path.write(this.#target, this.#atS);
    return this.#target.findIndex((rad, i) => !(Math.abs(referenceRad[i]! - rad) <= mostRad));
  }
}
