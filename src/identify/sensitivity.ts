/**
 * Sensitivity of a torque observer with the arm at home: the least steady push on a link, and the least load unknown to
 * the file, that it detects. A force F at a point p exerts F·∂p/∂q_i on joint i, and is detected if that exceeds the
 * joint's limit.
 */
import { ArmKinematics, GRAVITY_M_PER_S2, type RobotModel } from '../model/index.ts';

type Point = readonly [number, number, number];

/** Least detectable force on one link, at the most sensitive point and in the most sensitive direction. */
export interface LinkSensitivity {
  /** The joint that moves the link. */
  readonly link: string;
  /** N; `undefined` if no push on the link's middle line loads a joint. */
  readonly forceN: number | undefined;
  /** The joint that detects it. */
  readonly joint: string;
  /** Point of application, m, and direction (a unit vector), base frame. */
  readonly pointM: Point;
  readonly direction: Point;
}

export interface Sensitivity {
  readonly links: readonly LinkSensitivity[];
  /** Least load at the tool point, unsupported and not felt by a tool sensor, kg; `undefined` if none is detected. */
  readonly payloadKg: number | undefined;
}

/** Levers below this count as none, m (m/m for a prismatic joint). */
const LEAST_LEVER_M = 1e-6;

/** Returns the sensitivity of an observer with the limits `externalMaxNm` ([n], N·m) for the arm of `model` at its home pose. */
export function sensitivityOf(model: RobotModel, externalMaxNm: readonly number[]): Sensitivity {
  const kinematics = new ArmKinematics(model);
  kinematics.forward(model.homeRad);
  const links = model.joints.map(({ name }, link) => {
    let best: LinkSensitivity = { link: name, forceN: undefined, joint: name, pointM: [0, 0, 0], direction: [0, 0, 0] };
    for (const pointM of pointsOf(model, kinematics, link)) {
      for (const [i, joint] of model.joints.entries()) {
        const motion = motionOf(kinematics, i, link, pointM);
        const leverM = Math.hypot(...motion);
        const forceN = externalMaxNm[i]! / leverM;
        if (leverM < LEAST_LEVER_M || forceN >= (best.forceN ?? Number.POSITIVE_INFINITY)) continue;
        best = {
          link: name,
          forceN,
          joint: joint.name,
          pointM,
          direction: [motion[0] / leverM, motion[1] / leverM, motion[2] / leverM],
        };
      }
    }
    return best;
  });
  return { links, payloadKg: payloadOf(model, kinematics, externalMaxNm) };
}

/** [n] largest lever of a force at the tool, at home, about each joint's axis, m (1 for a prismatic joint). */
export function toolLeversM(model: RobotModel): readonly number[] {
  const kinematics = new ArmKinematics(model);
  kinematics.forward(model.homeRad);
  return model.joints.map((_, i) => Math.hypot(...toolMotionOf(kinematics, i)));
}

function payloadOf(model: RobotModel, kinematics: ArmKinematics, externalMaxNm: readonly number[]): number | undefined {
  const leversM = model.joints.map((_, i) => Math.abs(toolMotionOf(kinematics, i)[2]));
  const leastKg = leversM.map((leverM, i) =>
    leverM < LEAST_LEVER_M ? Number.POSITIVE_INFINITY : externalMaxNm[i]! / (GRAVITY_M_PER_S2 * leverM),
  );
  const payloadKg = Math.min(...leastKg);
  return Number.isFinite(payloadKg) ? payloadKg : undefined;
}

/** Points of the middle line of the link moved by joint `link`: ends of its shapes, monitored points, children. Base frame, m. */
function pointsOf(model: RobotModel, kinematics: ArmKinematics, link: number): readonly Point[] {
  const { name } = model.joints[link]!;
  const capsules = (model.collision?.capsules ?? []).filter((capsule) => capsule.link === name);
  const own = [
    ...capsules.flatMap(({ fromM, toM }) => [fromM, toM]),
    ...(model.points ?? []).filter((point) => point.link === name).map(({ positionM }) => positionM),
    ...(kinematics.topology.toolLink === link ? [model.tool.originXyzM] : []),
    ...model.joints.filter((_, i) => kinematics.topology.parents[i] === link).map(({ originXyzM }) => originXyzM),
  ];
  return own.map((pointM) => {
    const placed = new Float64Array(3);
    kinematics.pointOf(placed, link, pointM);
    return [placed[0]!, placed[1]!, placed[2]!];
  });
}

/** ∂p/∂q of joint `i` for the tool point. */
function toolMotionOf(kinematics: ArmKinematics, i: number): Point {
  return motionOf(kinematics, i, kinematics.topology.toolLink, kinematics.tcpPositionM);
}

/** ∂p/∂q of joint `i` for the point `pointM` (base frame) of the link moved by joint `link`, m. */
function motionOf(
  { axes, originsM, topology }: ArmKinematics,
  i: number,
  link: number,
  pointM: ArrayLike<number>,
): Point {
  if (!topology.moves(i, link)) return [0, 0, 0];
  const x = axes[3 * i]!;
  const y = axes[3 * i + 1]!;
  const z = axes[3 * i + 2]!;
  if (topology.slides(i)) return [x, y, z];
  const dx = pointM[0]! - originsM[3 * i]!;
  const dy = pointM[1]! - originsM[3 * i + 1]!;
  const dz = pointM[2]! - originsM[3 * i + 2]!;
  return [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx];
}
