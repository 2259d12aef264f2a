/**
 * Checks that a robot file and the model that it is simulated from describe the same arm. The safety chain computes
 * from the file: if that contradicts the model, every limit of the workspace is in the wrong place.
 */
import { ArmKinematics, ReinError, type RobotModel } from '../model/index.ts';
import { cross, dot } from './frames.ts';
import { jointsOf } from './links.ts';
import type { Simulation } from './mujoco-module.ts';

/** Tolerances for numbers that are rounded in files; larger differences mean another arm. */
const FAR_MM = 2;
const ASKEW_RAD = 0.005;

/** Difference of a joint in the file from the model's. */
interface Difference {
  readonly name: string;
  /** Distance between anchors, and between axes: an anchor may be anywhere along a revolute axis. */
  readonly anchorMm: number;
  readonly lineMm: number;
  readonly askewRad: number;
}

/** Throws `ReinError('config')` if an arm at home, in a simulation after `forward`, is not the one of `robot`. */
export function checkAgreement(simulation: Simulation, robot: RobotModel): void {
  const arm = new ArmKinematics(robot);
  const joints = differences(simulation, robot, arm);
  const toolMm = toolDifferenceMm(simulation, robot, arm);
  if (toolMm <= FAR_MM && joints.every(({ lineMm, askewRad }) => lineMm <= FAR_MM && askewRad <= ASKEW_RAD)) return;
  const first = joints.find(({ anchorMm, askewRad }) => anchorMm > FAR_MM || askewRad > ASKEW_RAD);
  const passes = `(up to ${FAR_MM} mm and ${ASKEW_RAD} rad pass)`;
  const what =
    first === undefined
      ? `the tool point is ${toolMm.toFixed(1)} mm from where the model's link carries it`
      : `joint "${first.name}" is ${apart(first)}`;
  throw new ReinError(
    'config',
    `robot "${robot.name}" is another arm than its model (driver.model): at home ${what} ${passes}`,
    {
      remedy:
        'Write originXyzM, originRpyRad and axis of the joints, and tool, as the bodies and joints of the model are.',
    },
  );
}

function apart({ anchorMm, askewRad }: Difference): string {
  const away = anchorMm > FAR_MM ? [`${anchorMm.toFixed(1)} mm from the model's`] : [];
  return [...away, ...(askewRad > ASKEW_RAD ? [`${askewRad.toFixed(3)} rad askew`] : [])].join(', and ');
}

function differences(simulation: Simulation, robot: RobotModel, arm: ArmKinematics): Difference[] {
  const anchors = simulation.data.xanchor as Float64Array;
  const axes = simulation.data.xaxis as Float64Array;
  return jointsOf(simulation, robot).map(({ joint }, i) => {
    const { name, kind } = robot.joints[i]!;
    const own = arm.axes.subarray(3 * i, 3 * i + 3);
    const model = axes.subarray(3 * joint, 3 * joint + 3);
    const way = arm.originsM.subarray(3 * i, 3 * i + 3).map((at, k) => 1e3 * (at - anchors[3 * joint + k]!));
    return {
      name,
      anchorMm: Math.hypot(...way),
      lineMm: kind === 'prismatic' ? 0 : Math.hypot(...cross(way, model)),
      askewRad: Math.atan2(Math.hypot(...cross(own, model)), dot(own, model)),
    };
  });
}

/** Distance of the tool points, computed from the frame of the model's body, in which the file gives the tool. */
function toolDifferenceMm(simulation: Simulation, robot: RobotModel, arm: ArmKinematics): number {
  const { joint, body } = jointsOf(simulation, robot)[arm.topology.toolLink]!;
  const { bodyPosition, bodyRotation } = simulation.views;
  const slides = robot.joints[arm.topology.toolLink]!.kind === 'prismatic';
  const anchors = simulation.data.xanchor as Float64Array;
  const way = [0, 1, 2].map((k) => {
    const origin = slides ? bodyPosition[3 * body + k]! : anchors[3 * joint + k]!;
    const row = bodyRotation.subarray(9 * body + 3 * k, 9 * body + 3 * k + 3);
    return 1e3 * (origin + dot(row, robot.tool.originXyzM) - arm.tcpPositionM[k]!);
  });
  return Math.hypot(...way);
}
