/** A first task for an imported robot: a reach to goals drawn at random around home. */
import { neededSpeed, type RobotConfig } from '../../config/index.ts';
import { ArmKinematics } from '../../model/index.ts';
import { Clearances, START_NEAR_M } from '../../safety/index.ts';

type Triple = readonly [number, number, number];

const POLICY_HZ = 10;
/** Largest half-size of the goal box, m; and as a share of the arm's reach. */
const HALF_M: Triple = [0.12, 0.2, 0.15];
const HALF_SHARE = 0.2;
/** The box shrinks by this factor until the arm reaches all of it, down to this half-size. */
const SHRINK = 0.85;
const HALF_LEAST_M = 0.02;
/** Scale of an action, m: upper and lower bound, and the share of the slowest joint's speed that it may use. */
const SCALE_M = { most: 0.02, least: 0.002, share: 0.8 } as const;
/** Margin of the workspace around the goal box, m. */
const AROUND_M = 0.06;
/** Corners, edge and face centres, and centre of a box, in units of its half-size. */
const GRID = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z): Triple => [x, y, z])));

/** Returns the task file's text for `robot`, which it refers to as `robotFile`; `undefined` for an arm without enough room around home. */
export function firstTaskText(robot: RobotConfig, robotFile: string): string | undefined {
  const box = reachableBox(robot);
  const scale = box === undefined ? 0 : scaleOf(robot);
  if (box === undefined || scale < SCALE_M.least) return undefined;
  const { at, half } = box;
  const withinM = Math.min(0.02, Math.max(0.005, Math.min(...half) / 3));
  const minM = at.map((v, k) => Math.max(robot.workspace.minM[k]!, v - half[k]! - AROUND_M));
  const maxM = at.map((v, k) => Math.min(robot.workspace.maxM[k]!, v + half[k]! + AROUND_M));
  const maxSteps = 20 + Math.ceil((4 * Math.max(...half)) / scale);
  return `# A first task for ${robot.name}, written by rein robot import: bring the tool to a place that is drawn in a box around home, every
# corner of which the arm gets to. docs/your-own-task.md walks through such a file.
name: ${robot.name.slice(0, 58)}-reach
kind: described
robot: ${JSON.stringify(robotFile)}
policyHz: ${POLICY_HZ}
maxSteps: ${maxSteps}
historyFrames: 1
# What an action moves: the tool, so far a step at most. The slowest joint keeps up with it at home.
action:
  kind: cartesian
  dimensions:
${['x', 'y', 'z'].map((name) => `    - { name: ${name}, scale: ${scale}, unit: m }`).join('\n')}
workspace:
  minM: ${list(minM)}
  maxM: ${list(maxM)}
start:
  toolM: ${list(at)}
  spreadM: ${list(half.map((v) => v / 3))}
goal:
  atM: ${list(at)}
  spreadM: ${list(half)}
observation:
  jointPositions: false
  jointVelocities: false
  places:
    - { place: goal, from: tool, scaleM: ${round(Math.max(...half))} }
success:
  all:
    - { rule: near, place: tool, to: goal, withinM: ${round(withinM)} }
  forSteps: 2
demonstrations: 20
demonstrator: { kind: toPlace, to: goal }
training: { steps: 6000, minimumSteps: 1000, stopAtValidation: 0.985 }
validation: { everySteps: 500, episodes: 50 }
evaluation: { episodes: 100 }
target: { successRate: 0.95 }
`;
}

/** Largest box around the tool's home position that the arm reaches, free of self-collision and inside its workspace. */
function reachableBox(
  robot: RobotConfig,
): { readonly at: readonly number[]; readonly half: readonly number[] } | undefined {
  const arm = new ArmKinematics(robot);
  const room = new Room(robot, arm);
  const at = [...arm.tcpPositionM].map(round);
  const most = HALF_SHARE * Math.max(...arm.reachM);
  for (
    let half = HALF_M.map((v) => Math.min(v, most));
    Math.min(...half) >= HALF_LEAST_M;
    half = half.map((v) => SHRINK * v)
  )
    if (GRID.every((corner) => room.has(at.map((v, k) => v + corner[k]! * half[k]!))))
      return { at, half: half.map(round) };
  return undefined;
}

class Room {
  readonly #homeRad: readonly number[];
  readonly #arm: ArmKinematics;
  readonly #clearances: Clearances;
  readonly #turn: readonly number[];
  readonly #joints: Float64Array;

  constructor(robot: RobotConfig, arm: ArmKinematics) {
    this.#homeRad = robot.homeRad;
    this.#arm = arm;
    this.#clearances = new Clearances(robot);
    this.#turn = [...arm.tcpQuaternion];
    this.#joints = new Float64Array(arm.joints);
  }

  /** True if the tool reaches the point with its home orientation, with all clearances kept (links, keep-out boxes, walls). */
  has(toolM: readonly number[]): boolean {
    if (!this.#arm.inverse([...toolM, ...this.#turn], this.#homeRad, this.#joints)) return false;
    this.#arm.forward(this.#joints);
    this.#clearances.measure(this.#arm);
    return this.#clearances.h.every((h) => h >= 0);
  }
}

/** Action scale along each axis, m: three axes together pass the start guard, and no joint is too slow for one. */
function scaleOf(robot: RobotConfig): number {
  const nearM = robot.leashM > START_NEAR_M ? START_NEAR_M / Math.sqrt(3) : SCALE_M.most;
  const ratios = [0, 1, 2].map((axis) => neededSpeed(robot, axis, POLICY_HZ * SCALE_M.most).ratio);
  const kept = Math.min(nearM, (SCALE_M.share * SCALE_M.most) / Math.max(SCALE_M.share, ...ratios));
  return Math.floor(1e4 * kept) / 1e4;
}

function list(values: readonly number[]): string {
  return `[${values.map(round).join(', ')}]`;
}

/** Rounds to a tenth of a millimetre. */
function round(value: number): number {
  return Number(value.toFixed(4));
}
