/** Chooses an arm's home pose if none is given: bent and clear, so that its tool can move in any direction from there. */
import {
  ArmKinematics,
  type Capsule,
  clamp,
  DampedLeastSquares,
  limitMarginOf,
  Rng,
  type RobotModel,
} from '../model/index.ts';
import { Clearances } from '../safety/index.ts';
import { seeingPairs } from './choose-pairs.ts';

const POSES = 2000;
/** Share of the joints that leave their middles, so that people recognise the pose. */
const MOVED_SHARE = 0.6;
/** Largest distance tried from a joint's middle, rad, or m for a prismatic joint; and step size `STEP`. */
const AWAY = 1.6;
const STEP = { rad: 0.05, m: 0.005 } as const;
/** A joint nearer to an end than this share of its range has too little travel left. */
const END_SHARE = 0.15;
/** A tool higher above the base plane than this share of its reach has room below it. */
const HEIGHT_SHARE = 0.2;
/** Two links nearer than this, beyond the clearance, are in each other's way, m. */
const CLEAR_M = 0.03;
/** Penalty of a pose far from the middles, and of a tool that does not point down. */
const AWAY_COST = 0.2;
const POINTING_COST = 0.3;
/** More than the speed of the fastest tool, m/s. */
const TOUCH_COST = 1000;
/** z of a unit axis that counts as vertical. */
const UPRIGHT = 0.999;
/** Length that a rotation by 1 rad counts as, m. */
const LEVER_M = 0.15;
/** Share of a requested motion that the joints may miss. */
const MISS = 0.05;

/**
 * Returns the best of random poses around `middleRad`: fewest links that overlap or are below the base plane, then the
 * highest tool speed along its worst axis that the slowest joint permits. Deterministic.
 */
export function chooseHome(
  model: RobotModel,
  middleRad: readonly number[],
  capsules: readonly Capsule[],
  clearanceM: number,
): readonly number[] {
  const judge = new HomeJudge(model, middleRad, capsules, clearanceM);
  const rng = new Rng(1);
  let best = middleRad;
  let bestMark = judge.mark(middleRad);
  for (let pose = 0; pose < POSES; pose++) {
    const joints = judge.drawn(rng);
    const mark = judge.mark(joints);
    if (!(mark > bestMark)) continue;
    best = joints;
    bestMark = mark;
  }
  return best;
}

class HomeJudge {
  readonly #model: RobotModel;
  readonly #middleRad: readonly number[];
  readonly #arm: ArmKinematics;
  readonly #solver: DampedLeastSquares;
  readonly #clearances: Clearances | undefined;
  readonly #capsules: readonly Capsule[];
  readonly #speeds: Float64Array;
  readonly #point: Float64Array = new Float64Array(3);
  readonly #reachM: number;
  /** Least room of a pair in the pose last scored, m. */
  #leastM = 0;

  constructor(model: RobotModel, middleRad: readonly number[], capsules: readonly Capsule[], clearanceM: number) {
    const pairs = seeingPairs(model, capsules, clearanceM);
    const whole: RobotModel = { ...model, homeRad: middleRad, points: [], collision: { capsules, pairs, clearanceM } };
    this.#model = whole;
    this.#middleRad = middleRad;
    this.#capsules = capsules;
    this.#arm = new ArmKinematics(whole);
    this.#solver = new DampedLeastSquares(this.#arm.joints, this.#arm.taskRows);
    this.#clearances = pairs.length === 0 ? undefined : new Clearances(whole);
    this.#speeds = new Float64Array(this.#arm.joints);
    this.#reachM = Math.max(...this.#arm.reachM);
  }

  /** Draws a pose of the joints that carry the tool; fingers, and joints that only turn the whole arm, stay in their middles. */
  drawn(rng: Rng): number[] {
    const { joints } = this.#model;
    const { topology } = this.#arm;
    return joints.map((joint, i) => {
      const middle = this.#middleRad[i]!;
      if (!topology.carriesTool(i) || this.#turnsTheWhole(i)) return middle;
      const step = topology.slides(i) ? STEP.m : STEP.rad;
      const isMoved = rng.uniform() < MOVED_SHARE;
      const drawn = middle + AWAY * (2 * rng.uniform() - 1);
      if (!isMoved) return middle;
      const margin = limitMarginOf(joint, this.#model);
      const low = joint.positionMinRad + margin;
      const high = joint.positionMaxRad - margin;
      return clamp(Number((step * Math.round(drawn / step)).toFixed(3)), low, high);
    });
  }

  /** Returns a score, higher is better; links that are not clear of each other, or below the base plane, outweigh all else. */
  mark(jointsRad: readonly number[]): number {
    this.#arm.forward(jointsRad);
    const touching = this.#touching();
    return this.#dexterity() * this.#room(jointsRad) - TOUCH_COST * touching;
  }

  #turnsTheWhole(i: number): boolean {
    const { topology, axes } = this.#arm;
    return topology.parents[i]! < 0 && !topology.slides(i) && Math.abs(axes[3 * i + 2]!) > UPRIGHT;
  }

  /** Returns the number of pairs of links that are not clear, and of links below the base plane. */
  #touching(): number {
    let count = 0;
    this.#leastM = Number.POSITIVE_INFINITY;
    this.#clearances?.measure(this.#arm);
    for (const [k, { kind }] of this.#clearances?.rows.entries() ?? []) {
      if (kind !== 'pair') continue;
      const roomM = this.#clearances!.h[k]!;
      this.#leastM = Math.min(this.#leastM, roomM);
      if (roomM < 0) count++;
    }
    for (const { link, fromM, toM, radiusM } of this.#capsules) {
      const at = this.#arm.topology.link(link);
      if (at >= 0 && Math.min(this.#heightM(at, fromM), this.#heightM(at, toM)) < radiusM) count++;
    }
    return count;
  }

  #heightM(link: number, pointM: readonly number[]): number {
    this.#arm.pointOf(this.#point, link, pointM);
    return this.#point[2]!;
  }

  /** Returns the tool's speed in its worst direction of motion or rotation when a joint is at its limit, m/s; 0 if it cannot move so. */
  #dexterity(): number {
    const { taskRows } = this.#arm;
    const jacobian = this.#arm.jacobian();
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < 6; row++) {
      if (taskRows[row] === 0) continue;
      const lengthM = row < 3 ? 1 : LEVER_M;
      least = Math.min(least, lengthM * this.#speedAlong(row, jacobian));
    }
    return least;
  }

  /** Returns the tool's speed along row `row` of a twist with a joint at its limit, m/s or rad/s. */
  #speedAlong(row: number, jacobian: Float64Array): number {
    const twist = [0, 0, 0, 0, 0, 0];
    twist[row] = 1;
    this.#solver.solve(this.#speeds, jacobian, twist, 0);
    let got = 0;
    let most = 0;
    for (const [i, { velocityMaxRadPerS }] of this.#model.joints.entries()) {
      got += jacobian[row * this.#arm.joints + i]! * this.#speeds[i]!;
      most = Math.max(most, Math.abs(this.#speeds[i]!) / velocityMaxRadPerS);
    }
    return Math.abs(got - 1) > MISS ? 0 : 1 / most;
  }

  /** Returns 0 to 1: less for links near each other, joints near their ends or far from the middles, a low tool, or one pointing up. */
  #room(jointsRad: readonly number[]): number {
    const { joints } = this.#model;
    let room = clamp(this.#leastM / CLEAR_M, 0, 1);
    let awayRad = 0;
    for (const [i, { positionMinRad: low, positionMaxRad: high }] of joints.entries()) {
      if (!this.#arm.topology.carriesTool(i)) continue;
      const toEnd = Math.min(jointsRad[i]! - low, high - jointsRad[i]!) / (high - low);
      room = Math.min(room, toEnd / END_SHARE);
      awayRad += Math.abs(jointsRad[i]! - this.#middleRad[i]!) / joints.length;
    }
    const heightM = this.#arm.tcpPositionM[2]!;
    room *= clamp(heightM / (HEIGHT_SHARE * this.#reachM), 0, 1);
    const pointing = POINTING_COST * (1 + this.#arm.tcpRotation[8]!) * 0.5;
    return Math.max(0, room) * (1 - (AWAY_COST * awayRad) / AWAY) * (1 - pointing);
  }
}
