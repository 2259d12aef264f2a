/** The box that the tool and other listed points of an arm have to stay in, by the arm's forward kinematics alone. */
import type { ArmKinematics, RobotModel, WorkspaceBox } from '../../core/index.ts';

interface BoxedPoint {
  readonly link: number;
  readonly atM: readonly number[];
  readonly box: WorkspaceBox;
}

export class PointsRoom {
  readonly #arm: ArmKinematics;
  readonly #workspace: WorkspaceBox;
  readonly #points: readonly BoxedPoint[];
  readonly #point: Float64Array = new Float64Array(3);

  constructor({ workspace, points = [] }: RobotModel, arm: ArmKinematics) {
    this.#arm = arm;
    this.#workspace = workspace;
    this.#points = points.map(({ link, positionM, workspace: own }) => {
      return { link: arm.topology.link(link), atM: positionM, box: own ?? workspace };
    });
  }

  /** The smallest distance of any point to the walls of its box at the arm's kept pose, m; negative outside. */
  smallestM(): number {
    let room = roomM(this.#arm.tcpPositionM, this.#workspace);
    for (const { link, atM, box } of this.#points) {
      this.#arm.pointOf(this.#point, link, atM);
      room = Math.min(room, roomM(this.#point, box));
    }
    return room;
  }
}

function roomM(p: Float64Array, { minM, maxM }: WorkspaceBox): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) least = Math.min(least, p[k]! - minM[k]!, maxM[k]! - p[k]!);
  return least;
}
