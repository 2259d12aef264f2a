/** Judges the simulated arm itself, where the other witnesses judge its reference: loads and lag take it beyond. */
import { ArmKinematics, isFree, type RobotModel } from '../../core/index.ts';
import { ARM_KINDS, type ArmKind } from '../result.ts';
import { type Counts, countOne, createCounts } from '../tally.ts';
import { PointsRoom } from './points-room.ts';

/** Rounding that is no excursion: of positions, rad or m, and of speeds, relative. */
const ROUNDING = 1e-9;

/** Counts ticks after which an arm was measured beyond its limits. A mobile base has none of them. */
export class ArmWitness {
  readonly counts: Counts<ArmKind> = createCounts(ARM_KINDS);
  readonly #model: RobotModel;
  readonly #arm: ArmKinematics;
  readonly #points: PointsRoom;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#points = new PointsRoom(model, this.#arm);
  }

  /** Where the arm truly is, [n] rad, and how fast, [n] rad/s. */
  check(positionRad: ArrayLike<number>, velocityRadPerS: ArrayLike<number>): void {
    const { joints, base } = this.#model;
    if (base !== undefined) return;
    let beyond = 0;
    let fast = 0;
    for (let i = 0; i < joints.length; i++) {
      const joint = joints[i]!;
      // As a share: slow and fast joints lie side by side.
      fast = Math.max(fast, Math.abs(velocityRadPerS[i]!) / joint.velocityMaxRadPerS - 1);
      if (isFree(joint)) continue;
      beyond = Math.max(beyond, joint.positionMinRad - positionRad[i]!, positionRad[i]! - joint.positionMaxRad);
    }
    this.#count('armPosition', beyond);
    this.#count('armSpeed', fast);
    this.#arm.forward(positionRad);
    this.#count('armWorkspace', -this.#points.smallestM());
  }

  /** MuJoCo's own distance between monitored bodies of the simulated arm, m; negative where they overlap. */
  checkDistance(distanceM: number): void {
    this.#count('armContact', -distanceM);
  }

  #count(kind: ArmKind, amount: number): void {
    if (amount > ROUNDING) countOne(this.counts[kind], amount);
  }
}
