/** From a path to the actions that lead along it, one after another, and how far the reference is from it. */
import { type ActionSpec, jointActionUnit, type RobotModel } from '../core/index.ts';
import { type JointPath, speedShareOf } from './joint-path.ts';

/** Actions a second, nearly: each lasts for whole ticks. */
const ACTION_HZ = 20;
/** Ticks that one action takes at `controlHz`. */
export function actionTicks({ controlHz }: Pick<RobotModel, 'controlHz'>): number {
  return Math.max(1, Math.round(controlHz / ACTION_HZ));
}

/** The same, s. */
export function actionPeriodS(model: Pick<RobotModel, 'controlHz'>): number {
  return actionTicks(model) / model.controlHz;
}

/** The action of an identification: every joint by itself, from −1 to 1 as far as its speed limit takes it. */
export function identifyAction(model: Pick<RobotModel, 'joints' | 'controlHz'>): ActionSpec {
  const periodS = actionPeriodS(model);
  const dimensions = model.joints.map((joint) => ({
    name: joint.name,
    unit: jointActionUnit(joint),
    scale: joint.velocityMaxRadPerS * periodS,
  }));
  return { kind: 'joint', dimensions };
}

/** One pass along a path. Its time goes on by at most one action at a time: an arm that was held up goes on from where it is. */
export class PathFollower {
  readonly #path: JointPath;
  readonly #periodS: number;
  /** [n] rad. */
  readonly #scale: readonly number[];
  /** No action is more: the announced share of its speed. */
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

  /** How much of the path has passed, s. */
  get atS(): number {
    return this.#atS;
  }

  get isOver(): boolean {
    return this.#atS >= this.#path.durationS;
  }

  /** Writes into `action` ([n]) what leads a reference at `referenceRad` ([n], rad) to where the path is one action later. */
  write(action: Float64Array, referenceRad: ArrayLike<number>): void {
    this.#path.write(this.#target, this.#atS + this.#periodS);
    for (const [i, scale] of this.#scale.entries()) {
      const share = (this.#target[i]! - referenceRad[i]!) / scale;
      action[i] = Math.min(Math.max(share, -this.#share), this.#share);
    }
  }

  /** `sinceS` have passed since the last action was sent. */
  pass(sinceS: number): void {
    this.#atS += Math.min(sinceS, this.#periodS);
  }

  /** The first joint whose reference at `referenceRad` ([n], rad) is more than `mostRad` from where the path is now; −1: none is. */
  left(referenceRad: ArrayLike<number>, mostRad: number): number {
    this.#path.write(this.#target, this.#atS);
    return this.#target.findIndex((rad, i) => !(Math.abs(referenceRad[i]! - rad) <= mostRad));
  }
}
