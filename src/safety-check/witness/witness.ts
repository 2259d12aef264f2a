/**
 * Counts violations in a trial. It reads references and measurements, the robot's description and forward kinematics,
 * and shares nothing else with the chain under test. It changes nothing.
 */
import { ArmKinematics, boxOf, isFree, limitMarginsOf, type RobotModel, type WorkspaceBox } from '../../model/index.ts';
import {
  BROKEN_ACCEL,
  BROKEN_COLLISION,
  BROKEN_NOT_FINITE,
  BROKEN_POSITION,
  BROKEN_TOOL_SPEED,
  BROKEN_VELOCITY,
  BROKEN_WORKSPACE,
  LimitMonitor,
} from '../../safety/index.ts';
import { type ArmKind, VIOLATION_KINDS, type ViolationKind } from '../result.ts';
import {
  type ArmCount,
  type Counts,
  countOne,
  createArmCounts,
  createCounts,
  createDistances,
  type Distances,
} from '../tally.ts';
import { ShapeDistances } from './distances.ts';
import { FenceTrack } from './fence-track.ts';
import { PointSpeeds } from './point-speeds.ts';

/** Tolerance of violations for rounding: of distances, m, and of speeds, relative. */
const ROUNDING_M = 1e-9;
const ROUNDING_SPEED = 1e-9;
/** The same for speeds that are differences of positions, m/s. */
const ROUNDING_TOOL_SPEED = 1e-8;
/** Difference between two integrations of one base's path, m. */
const FENCE_ROUNDING_M = 1e-5;
/** Tolerance of excursions for rounding: of positions, rad or m, and of speeds, relative. */
const ROUNDING_ARM = 1e-9;

/**
 * Distance of the reference's shapes beyond which MuJoCo is queried in every tenth tick only, m: contacts of arms that
 * stray farther are undercounted.
 */
const NEAR_M = 0.1;

/** Monitors one trial. */
export class Witness {
  readonly counts: Counts<ViolationKind> = createCounts(VIOLATION_KINDS);
  readonly least: Distances = createDistances();
  /** Smallest margin of this tick as a share: 1 in the middle or far away, 0 at a limit. */
  margin = 1;

  readonly #model: RobotModel;
  /** [n] margins to the position limits, rad. */
  readonly #limitMargins: Float64Array;
  readonly #monitor: LimitMonitor;
  readonly #arm: ArmKinematics;
  readonly #shapes: ShapeDistances | undefined;
  readonly #fence: FenceTrack | undefined;
  readonly #last: Float64Array;
  readonly #velocity: Float64Array;
  readonly #lastVelocity: Float64Array;
  readonly #points: PointsRoom;
  /** Undefined where nothing limits them. */
  readonly #speeds: PointSpeeds | undefined;
  readonly #from: Float64Array;
  /** Never tighter than at the begin of the trial. */
  #selfLimitM = 0;
  #nearM = 0;
  #boxLimitM = 0;

  constructor(model: RobotModel) {
    const n = model.joints.length;
    this.#model = model;
    this.#limitMargins = limitMarginsOf(model);
    this.#monitor = new LimitMonitor(model);
    this.#arm = new ArmKinematics(model);
    this.#shapes = model.collision === undefined ? undefined : new ShapeDistances(model.collision, this.#arm);
    this.#fence = model.base?.fence === undefined ? undefined : new FenceTrack(model.base, n);
    this.#last = new Float64Array(n);
    this.#velocity = new Float64Array(n);
    this.#lastVelocity = new Float64Array(n);
    this.#points = new PointsRoom(model, this.#arm);
    this.#speeds = model.toolSpeedMaxMPerS === undefined ? undefined : new PointSpeeds(model);
    this.#from = new Float64Array(n);
  }

  /** Restarts at rest at `referenceRad`. */
  restart(referenceRad: ArrayLike<number>): void {
    this.#monitor.restart(referenceRad);
    this.#last.set(referenceRad);
    this.#velocity.fill(0);
    this.#lastVelocity.fill(0);
    this.#fence?.restart(referenceRad);
    this.#arm.forward(referenceRad);
    this.#shapes?.place(this.#arm);
    const clearanceM = this.#shapes?.clearanceM ?? 0;
    this.#selfLimitM = Math.min(clearanceM, this.#shapes?.smallestPairM() ?? 0);
    this.#boxLimitM = Math.min(clearanceM, this.#shapes?.smallestBoxM() ?? 0);
  }

  /** True if a robot at `jointsRad` keeps all distances of its description. */
  isClear(jointsRad: ArrayLike<number>): boolean {
    if (this.#shapes === undefined) return true;
    this.#arm.forward(jointsRad);
    this.#shapes.place(this.#arm);
    const { clearanceM } = this.#shapes;
    return this.#shapes.smallestPairM() >= clearanceM && this.#shapes.smallestBoxM() >= clearanceM;
  }

  /** True if all its points are inside the workspace. */
  isInside(jointsRad: ArrayLike<number>): boolean {
    if (this.#model.base !== undefined) return true;
    this.#arm.forward(jointsRad);
    return this.#points.smallestM() >= -ROUNDING_M;
  }

  /**
   * Checks this tick's reference (n, rad), `dtS` after the last. `mayMove`: there was a valid command to follow.
   * Returns true if anything was violated.
   */
  check(referenceRad: ArrayLike<number>, measuredRad: ArrayLike<number>, dtS: number, mayMove: boolean): boolean {
    const tickS = this.tickS(dtS);
    const broken = this.#monitor.check(referenceRad, dtS, measuredRad);
    this.#from.set(this.#last);
    for (let i = 0; i < this.#last.length; i++) {
      this.#lastVelocity[i] = this.#velocity[i]!;
      this.#velocity[i] = (referenceRad[i]! - this.#last[i]!) / tickS;
      this.#last[i] = referenceRad[i]!;
    }
    this.margin = 1;
    if (broken & BROKEN_NOT_FINITE) {
      this.#count('notFinite', 1);
      return true;
    }
    this.#checkJoints(broken, tickS);
    const isFast = this.#checkToolSpeed(broken, tickS);
    this.#arm.forward(referenceRad);
    const isOut = this.#checkWorkspace() | this.#checkFence(referenceRad, measuredRad) | this.#checkShapes(broken);
    const disobeys = !mayMove && this.#checkObedience();
    return (broken & ~BROKEN_WORKSPACE) !== 0 || isOut !== 0 || isFast || disobeys;
  }

  /** True if the reference's shapes were so near in this tick that MuJoCo's, or the arm's, may touch. */
  get isNear(): boolean {
    return this.#nearM < NEAR_M;
  }

  /** Takes MuJoCo's own distance between monitored bodies at this tick's reference, m. Returns true if they touch. */
  checkContact(distanceM: number): boolean {
    this.least.shapesM = Math.min(this.least.shapesM, distanceM);
    if (!(distanceM < 0)) return false;
    this.#count('contact', -distanceM);
    return true;
  }

  /** Largest joint speed of the reference in the last tick, as a share of its limit. */
  get speedShare(): number {
    let share = 0;
    for (let i = 0; i < this.#velocity.length; i++) {
      share = Math.max(share, Math.abs(this.#velocity[i]!) / this.#model.joints[i]!.velocityMaxRadPerS);
    }
    return share;
  }

  /** Counts a violation detected elsewhere. */
  add(kind: ViolationKind, amount: number): void {
    this.#count(kind, amount);
  }

  #checkJoints(broken: number, tickS: number): void {
    const { joints } = this.#model;
    let beyond = 0;
    let fast = 0;
    let hard = 0;
    for (let i = 0; i < joints.length; i++) {
      const joint = joints[i]!;
      const speed = Math.abs(this.#velocity[i]!);
      fast = Math.max(fast, speed - joint.velocityMaxRadPerS);
      hard = Math.max(hard, Math.abs(this.#velocity[i]! - this.#lastVelocity[i]!) / tickS - joint.accelMaxRadPerS2);
      if (isFree(joint)) continue;
      const room = Math.min(this.#last[i]! - joint.positionMinRad, joint.positionMaxRad - this.#last[i]!);
      beyond = Math.max(beyond, -room);
      this.least.jointRad = Math.min(this.least.jointRad, room);
      const half = (joint.positionMaxRad - joint.positionMinRad) / 2 - this.#limitMargins[i]!;
      this.#margin((room - this.#limitMargins[i]!) / half);
    }
    if (broken & BROKEN_POSITION) this.#count('position', beyond);
    if (broken & BROKEN_VELOCITY) this.#count('velocity', fast);
    if (broken & BROKEN_ACCEL) this.#count('acceleration', hard);
  }

  #checkToolSpeed(seen: number, tickS: number): boolean {
    const speed = this.#speeds?.alongMPerS(this.#from, this.#last, tickS) ?? 0;
    const beyond = speed - (this.#model.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY);
    // The guard's own monitor counts, too.
    if (!(beyond > ROUNDING_TOOL_SPEED) && (seen & BROKEN_TOOL_SPEED) === 0) return false;
    this.#count('toolSpeed', Math.max(0, beyond));
    return true;
  }

  #checkWorkspace(): number {
    if (this.#model.base !== undefined) return 0;
    const room = this.#points.smallestM();
    this.least.workspaceM = Math.min(this.least.workspaceM, room);
    const { minM, maxM } = this.#model.workspace;
    this.#margin((2 * room) / Math.min(maxM[0] - minM[0], maxM[1] - minM[1], maxM[2] - minM[2]));
    if (room >= -ROUNDING_M) return 0;
    this.#count('workspace', -room);
    return 1;
  }

  #checkFence(axes: ArrayLike<number>, measured: ArrayLike<number>): number {
    if (this.#fence === undefined) return 0;
    const room = this.#fence.moveTo(axes, measured);
    this.least.fenceM = Math.min(this.least.fenceM, room);
    const { minM, maxM } = this.#model.base!.fence!;
    this.#margin((2 * room) / Math.min(maxM[0] - minM[0], maxM[1] - minM[1]));
    if (room >= -FENCE_ROUNDING_M) return 0;
    this.#count('fence', -room);
    return 1;
  }

  #checkShapes(seen: number): number {
    if (this.#shapes === undefined) return 0;
    this.#shapes.place(this.#arm);
    const pairM = this.#shapes.smallestPairM();
    const boxM = this.#shapes.smallestBoxM();
    this.#nearM = Math.min(pairM, boxM);
    this.least.selfM = Math.min(this.least.selfM, pairM);
    this.least.keepOutM = Math.min(this.least.keepOutM, boxM);
    // Half a metre counts as far.
    this.#margin((2 * (Math.min(pairM, boxM) - this.#shapes.clearanceM)) / 1);
    let broken = 0;
    if (pairM < this.#selfLimitM - ROUNDING_M) {
      this.#count('selfCollision', this.#selfLimitM - pairM);
      broken = 1;
    }
    if (boxM < this.#boxLimitM - ROUNDING_M) {
      this.#count('keepOut', this.#boxLimitM - boxM);
      broken = 1;
    }
    // The guard's own monitor counts, too.
    if (broken === 0 && (seen & BROKEN_COLLISION) !== 0) this.#count('selfCollision', 0);
    return broken;
  }

  /** Without a valid command no joint may speed up or reverse. */
  #checkObedience(): boolean {
    let gained = 0;
    for (let i = 0; i < this.#velocity.length; i++) {
      const now = this.#velocity[i]!;
      const before = this.#lastVelocity[i]!;
      const slack = ROUNDING_SPEED * this.#model.joints[i]!.velocityMaxRadPerS + 1e-9 * Math.abs(this.#last[i]!);
      if (Math.abs(now) > Math.abs(before) + slack || (now * before < 0 && Math.abs(now) > slack)) {
        gained = Math.max(gained, Math.abs(now - before));
      }
    }
    if (gained > 0) this.#count('disobedience', gained);
    return gained > 0;
  }

  #margin(share: number): void {
    if (share < this.margin) this.margin = share;
  }

  #count(kind: ViolationKind, amount: number): void {
    countOne(this.counts[kind], amount);
  }

  /** Clamps `dtS` as the chain does for a tick: [T/2, 2T]. */
  tickS(dtS: number): number {
    const periodS = 1 / this.#model.controlHz;
    return Number.isNaN(dtS) ? periodS : Math.min(Math.max(dtS, periodS / 2), 2 * periodS);
  }
}

/**
 * Checks the simulated arm itself, as loads and lag take it beyond: counts ticks after which it was measured beyond its
 * limits. A mobile base has none of them.
 */
export class ArmWitness {
  readonly counts: Readonly<Record<ArmKind, ArmCount>> = createArmCounts();
  /** Tick of the trial, from 1. */
  tick = 0;
  readonly #model: RobotModel;
  readonly #arm: ArmKinematics;
  /** Distance of the tool, or another listed point, outside its box at the last check, m; negative inside. */
  outsideM = Number.NEGATIVE_INFINITY;
  readonly #points: PointsRoom;
  readonly #speeds: PointSpeeds;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#points = new PointsRoom(model, this.#arm);
    this.#speeds = new PointSpeeds(model);
  }

  /** Checks the arm's true positions, [n] rad, and velocities, [n] rad/s. */
  check(positionRad: ArrayLike<number>, velocityRadPerS: ArrayLike<number>): void {
    const { joints, base } = this.#model;
    if (base !== undefined) return;
    let beyond = 0;
    let fast = 0;
    let [beyondAt, fastAt] = [-1, -1];
    for (let i = 0; i < joints.length; i++) {
      const joint = joints[i]!;
      // As a share: fast and slow joints are compared.
      const over = Math.abs(velocityRadPerS[i]!) / joint.velocityMaxRadPerS - 1;
      if (over > fast) [fast, fastAt] = [over, i];
      if (isFree(joint)) continue;
      const out = Math.max(joint.positionMinRad - positionRad[i]!, positionRad[i]! - joint.positionMaxRad);
      if (out > beyond) [beyond, beyondAt] = [out, i];
    }
    this.#count('armPosition', beyond, beyondAt);
    this.#count('armSpeed', fast, fastAt);
    const { toolSpeedMaxMPerS } = this.#model;
    if (toolSpeedMaxMPerS !== undefined)
      this.#count('armToolSpeed', this.#speeds.atMPerS(positionRad, velocityRadPerS) / toolSpeedMaxMPerS - 1);
    this.#arm.forward(positionRad);
    this.outsideM = -this.#points.smallestM();
    this.#count('armWorkspace', this.outsideM);
  }

  /** Takes MuJoCo's own distance between monitored bodies of the simulated arm, m; negative where they overlap. */
  checkDistance(distanceM: number): void {
    this.#count('armContact', -distanceM);
  }

  #count(kind: ArmKind, amount: number, joint = -1): void {
    if (!(amount > ROUNDING_ARM)) return;
    const counted = this.counts[kind];
    if (amount > counted.worst) {
      counted.worstTick = this.tick;
      counted.worstJoint = joint;
    }
    countOne(counted, amount);
  }
}

interface BoxedPoint {
  readonly link: number;
  readonly atM: readonly number[];
  readonly box: WorkspaceBox;
}

/** Boxes that the tool and other listed points of an arm have to stay in, by the arm's forward kinematics alone. */
class PointsRoom {
  readonly #arm: ArmKinematics;
  readonly #workspace: WorkspaceBox;
  readonly #points: readonly BoxedPoint[];
  readonly #point: Float64Array = new Float64Array(3);

  constructor({ workspace, points = [] }: RobotModel, arm: ArmKinematics) {
    this.#arm = arm;
    this.#workspace = workspace;
    this.#points = points.map((point) => {
      const { link, positionM } = point;
      return { link: arm.topology.link(link), atM: positionM, box: boxOf(point, { workspace }) };
    });
  }

  /** Returns the smallest distance of any point to the walls of its box at the pose in `arm`, m; negative outside. */
  smallestM(): number {
    let room = roomM(this.#arm.tcpPositionM, this.#workspace);
    for (const { link, atM, box } of this.#points) {
      this.#arm.pointOf(this.#point, link, atM);
      room = Math.min(room, roomM(this.#point, box));
    }
    return room;
  }

  /** Returns the positions of all points, x y z of each, m. */
  placesM(): readonly number[] {
    const others = this.#points.flatMap(({ link, atM }) => {
      this.#arm.pointOf(this.#point, link, atM);
      return [...this.#point];
    });
    return [...this.#arm.tcpPositionM, ...others];
  }
}

/** The points of an arm at any pose. */
export class PlacedPoints {
  readonly #arm: ArmKinematics;
  readonly #room: PointsRoom;

  constructor(model: RobotModel) {
    this.#arm = new ArmKinematics(model);
    this.#room = new PointsRoom(model, this.#arm);
  }

  /** Returns the largest distance of any point outside its box with joints at `jointsRad` ([n], rad), m; negative inside. */
  outsideM(jointsRad: ArrayLike<number>): number {
    this.#arm.forward(jointsRad);
    return -this.#room.smallestM();
  }

  /** Returns the positions of the points with joints at `jointsRad` ([n], rad), x y z of each, base frame, m. */
  placesM(jointsRad: ArrayLike<number>): readonly number[] {
    this.#arm.forward(jointsRad);
    return this.#room.placesM();
  }
}

function roomM(p: Float64Array, { minM, maxM }: WorkspaceBox): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) least = Math.min(least, p[k]! - minM[k]!, maxM[k]! - p[k]!);
  return least;
}
