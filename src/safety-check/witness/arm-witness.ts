/** Judges the simulated arm itself, where the other witnesses judge its reference: loads and lag take it beyond. */
import { ArmKinematics, isFree, type RobotModel, type WorkspaceBox } from '../../core/index.ts';
import { ARM_KINDS, type ArmKind } from '../result.ts';
import type { KindCount } from './witness.ts';

/** Rounding that is no excursion: of positions, rad or m, and of speeds, relative. */
const ROUNDING = 1e-9;

export type ArmCounts = Record<ArmKind, KindCount>;

export function createArmCounts(): ArmCounts {
  return Object.fromEntries(ARM_KINDS.map((kind) => [kind, { count: 0, worst: 0 }])) as ArmCounts;
}

/** Counts ticks after which an arm was measured beyond its limits. A mobile base has none of them. */
export class ArmWitness {
  readonly counts: ArmCounts = createArmCounts();
  readonly #model: RobotModel;
  readonly #arm: ArmKinematics;
  readonly #point: Float64Array = new Float64Array(3);
  readonly #points: readonly { readonly link: number; readonly at: readonly number[]; readonly box: WorkspaceBox }[];

  constructor(model: RobotModel) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#points = (model.points ?? []).map(({ link, positionM, workspace = model.workspace }) => {
      return { link: this.#arm.topology.link(link), at: positionM, box: workspace };
    });
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
    let outside = outsideM(this.#arm.tcpPositionM, this.#model.workspace);
    for (const { link, at, box } of this.#points) {
      this.#arm.pointOf(this.#point, link, at);
      outside = Math.max(outside, outsideM(this.#point, box));
    }
    this.#count('armWorkspace', outside);
  }

  /** MuJoCo's own distance between monitored bodies of the simulated arm, m; negative where they overlap. */
  checkDistance(distanceM: number): void {
    this.#count('armContact', -distanceM);
  }

  #count(kind: ArmKind, amount: number): void {
    if (!(amount > ROUNDING)) return;
    const entry = this.counts[kind];
    entry.count++;
    if (amount > entry.worst) entry.worst = amount;
  }
}

/** How far a point is out of its box, along the axis on which it is farthest out, m; negative inside. */
function outsideM(p: Float64Array, { minM, maxM }: WorkspaceBox): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < 3; k++) most = Math.max(most, minM[k]! - p[k]!, p[k]! - maxM[k]!);
  return most;
}
