/** Descriptions of a joint's zero and positive direction, from the geometry of the robot's file: x ahead, y left, z up. */
import { ArmKinematics, type Capsule, type RobotModel } from '../../model/index.ts';

export interface JointWords {
  /** Pose at zero: `the part that it carries points up`; absent if the geometry does not determine it. */
  readonly atZero: string | undefined;
  /** Instruction for a positive motion: `turn it counterclockwise, seen from above`. */
  readonly positive: string;
}

/** With a shorter lever a joint turns about the part's own length, m. */
const LEVER_M = 0.03;
/** Distance from the axis at which a part shows the angle, m. */
const BESIDE_M = 0.01;
const SIDES: Readonly<Record<string, string>> = { up: 'upper', down: 'lower', ahead: 'front' };
/** Component of a unit vector from which it counts as pointing along that axis. */
const POINTS = 0.8;
/** Share of the largest component from which the second one is named as well. */
const ALSO = 0.45;

const NAMES = [
  ['ahead', 'back'],
  ['left', 'right'],
  ['up', 'down'],
] as const;

/** Returns the words of each joint of an arm, in their order, with all joints at zero. */
export function jointWords(robot: RobotModel): readonly JointWords[] {
  const kinematics = new ArmKinematics(robot);
  kinematics.forward(robot.joints.map(() => 0));
  return robot.joints.map((joint, i) => {
    const axis = at(kinematics.axes, i);
    if (joint.kind === 'prismatic') return { atZero: undefined, positive: `slide it ${named(axis)}` };
    const from = at(kinematics.originsM, i);
    const end = endOf(robot, kinematics, i);
    const lever = end === undefined ? [0, 0, 0] : minus(end, from);
    const motion = cross(axis, lever);
    return { atZero: standing(robot, kinematics, i, lever), positive: turning(axis, lever, motion) };
  });
}

/** Describes the part that turns with the joint, except along its axis, where nothing changes. */
function standing(
  robot: RobotModel,
  kinematics: ArmKinematics,
  i: number,
  lever: readonly number[],
): string | undefined {
  const axis = at(kinematics.axes, i);
  const across = acrossAxis(axis, lever);
  if (length(across) >= LEVER_M) return `the part that it carries points ${named(across)}`;
  // A joint that turns about its own length shows its angle by parts beside its axis.
  const from = at(kinematics.originsM, i);
  for (const [k, { name, kind }] of robot.joints.entries()) {
    if (kinematics.topology.parents[k] !== i || kind === 'prismatic') continue;
    const end = endOf(robot, kinematics, k);
    const beside = end === undefined ? [0, 0, 0] : acrossAxis(axis, minus(end, from));
    if (length(beside) >= BESIDE_M)
      return `the part of ${name} is on its ${SIDES[named(beside)] ?? named(beside)} side`;
  }
  return undefined;
}

function acrossAxis(axis: readonly number[], v: readonly number[]): readonly number[] {
  const along = dot(axis, v);
  return v.map((value, k) => value - along * axis[k]!);
}

function turning(axis: readonly number[], lever: readonly number[], motion: readonly number[]): string {
  if (Math.abs(axis[2]!) >= POINTS) {
    return `turn it ${axis[2]! > 0 ? 'counterclockwise' : 'clockwise'}, seen from above`;
  }
  if (length(motion) >= LEVER_M) return `move it so that its end goes ${named(motion)}`;
  // About its own length: seen from the base towards its end, or along the axis if it has none.
  const along = dot(lever, axis);
  const isAlong = Math.abs(along) < 1e-6 || along > 0;
  const seen = Math.abs(along) < 1e-6 ? `looking ${named(axis)}` : 'seen from the base towards its end';
  return `turn it ${isAlong ? 'clockwise' : 'counterclockwise'}, ${seen}`;
}

/** Point that the joint moves: the next joint of the same branch, else the tool, else the shapes of its link. */
function endOf(robot: RobotModel, kinematics: ArmKinematics, i: number): readonly number[] | undefined {
  const { topology } = kinematics;
  const next = robot.joints.findIndex(
    (_, k) => topology.parents[k] === i && (topology.carriesTool(k) || !topology.carriesTool(i)),
  );
  const isLast = next < 0;
  if (!isLast) {
    const end = at(kinematics.originsM, next);
    if (length(minus(end, at(kinematics.originsM, i))) >= LEVER_M) return end;
  }
  if (topology.carriesTool(i)) return [...kinematics.tcpPositionM];
  const name = robot.joints[i]!.name;
  const ends = (robot.collision?.capsules ?? []).filter(({ link }) => link === name).map(({ toM }: Capsule) => toM);
  const farthest = [...ends].sort((a, b) => length(b) - length(a))[0];
  if (farthest === undefined) return undefined;
  const out = new Float64Array(3);
  kinematics.pointOf(out, i, farthest);
  return [...out];
}

/** Direction in words: `up`, or `up and ahead` if it has both components. */
function named(v: readonly number[]): string {
  const order = [0, 1, 2].sort((a, b) => Math.abs(v[b]!) - Math.abs(v[a]!));
  const [first, second] = [order[0]!, order[1]!];
  const word = (k: number): string => NAMES[k]![v[k]! >= 0 ? 0 : 1];
  return Math.abs(v[second]!) >= ALSO * Math.abs(v[first]!) ? `${word(first)} and ${word(second)}` : word(first);
}

function at(numbers: Float64Array, i: number): readonly number[] {
  return [...numbers.subarray(3 * i, 3 * i + 3)];
}

function minus(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, k) => value - b[k]!);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, k) => sum + value * b[k]!, 0);
}

function length(v: readonly number[]): number {
  return Math.hypot(...v);
}

function cross(a: readonly number[], b: readonly number[]): readonly number[] {
  const part = (i: number, j: number): number => a[i]! * b[j]! - a[j]! * b[i]!;
  return [part(1, 2), part(2, 0), part(0, 1)];
}
