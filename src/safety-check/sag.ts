/**
 * By how much an arm that stands may be outside its box though its reference is inside: its servos bend under its weight and the heaviest
 * load, by torque / stiffness. From the robot's file and the masses of its model.
 */
import { Rng, type RobotModel, stictionBandOf } from '../core/index.ts';
import { LARGEST_ERROR_M } from '../safety/index.ts';
import { PlacedPoints } from './witness/witness.ts';

/** An arm that can be put to any pose [n], rad, and says its potential there, J. */
export interface WeighedArm {
  reset(jointsRad: ArrayLike<number>): void;
  potentialJ(): number;
}

/** Climbs from home that look for the worst pose, and their steps: (1 + 1) evolution, whose steps grow where they lead on and shrink where not. */
const CLIMBS = 4;
const STEPS = 300;
const FIRST_STEP_RAD = 0.3;
const GROWS = 1.5;
const SHRINKS = 0.88;
const SHORTEST_RAD = 1e-3;
/** A potential's slope is taken over so much, rad or m. */
const SLOPE_RAD = 1e-3;
/** What is found is nearly the worst; readings that dither and friction that no file has add to it. */
const FOUND_SHARE = 1.1;
const SLACK_M = 1e-3;

/** The limit for the standing arm, m, of a robot simulated by `plant`, whose load hangs on it and which is left somewhere. */
export function sagMaxM(model: RobotModel, plant: WeighedArm): number {
  const points = new PlacedPoints(model);
  let worstM = 0;
  for (let seed = 1; seed <= CLIMBS; seed++) worstM = Math.max(worstM, climbM(model, plant, points, new Rng(seed)));
  plant.reset(model.homeRad);
  return Math.min(FOUND_SHARE * worstM + SLACK_M, LARGEST_ERROR_M);
}

/** The farthest along any axis that one climb among references inside the box finds a point to sink: it may have stood at its wall. */
function climbM(model: RobotModel, plant: WeighedArm, points: PlacedPoints, rng: Rng): number {
  const n = model.joints.length;
  let best = Float64Array.from(model.homeRad);
  let bestM = sunkM(model, plant, points, best);
  const next = new Float64Array(n);
  let stepRad = FIRST_STEP_RAD;
  for (let step = 0; step < STEPS; step++) {
    for (const [i, { positionMinRad, positionMaxRad }] of model.joints.entries())
      next[i] = Math.min(Math.max(best[i]! + rng.uniformIn(-stepRad, stepRad), positionMinRad), positionMaxRad);
    const outM = points.outsideM(next) > 0 ? Number.NEGATIVE_INFINITY : sunkM(model, plant, points, next);
    if (outM > bestM) [best, bestM, stepRad] = [next.slice(), outM, GROWS * stepRad];
    else stepRad = Math.max(SHRINKS * stepRad, SHORTEST_RAD);
  }
  return bestM;
}

function sunkM(model: RobotModel, plant: WeighedArm, points: PlacedPoints, referenceRad: Float64Array): number {
  const asked = points.placesM(referenceRad);
  return points
    .placesM(bent(model, plant, referenceRad))
    .reduce((m, at, k) => Math.max(m, Math.abs(at - asked[k]!)), 0);
}

/** Where the arm stands whose references are `referenceRad`. A servo is taken to give what it has to: one that cannot lets the arm sink further. */
function bent(model: RobotModel, plant: WeighedArm, referenceRad: Float64Array): Float64Array {
  const at = referenceRad.slice();
  return referenceRad.map((rad, i) => {
    const energyJ = [-SLOPE_RAD, SLOPE_RAD].map((off) => {
      at[i] = rad + off;
      plant.reset(at);
      return plant.potentialJ();
    });
    at[i] = rad;
    const weightNm = (energyJ[1]! - energyJ[0]!) / (2 * SLOPE_RAD);
    const joint = model.joints[i]!;
    return rad - weightNm / joint.stiffnessNmPerRad - (Math.sign(weightNm) * stictionBandOf(joint)) / 2;
  });
}
