/**
 * Deflection of a standing arm: its servos bend under its weight and the heaviest load by torque / stiffness, so that
 * it may be outside its box though its reference is inside. From the robot's file and the masses of its model.
 */
import { Rng, type RobotModel, stictionBandOf } from '../model/index.ts';
import { LARGEST_ERROR_M } from '../safety/index.ts';
import { PlacedPoints } from './witness/witness.ts';

/** An arm that can be placed at any pose [n], rad, and returns its potential energy there, J. */
export interface WeighedArm {
  reset(jointsRad: ArrayLike<number>): void;
  potentialJ(): number;
}

/** Number of climbs from home to the worst pose, and their steps: (1 + 1) evolution, whose steps grow on success and shrink on failure. */
const CLIMBS = 4;
const STEPS = 300;
const FIRST_STEP_RAD = 0.3;
const GROWS = 1.5;
const SHRINKS = 0.88;
const SHORTEST_RAD = 1e-3;
/** Finite difference for the slope of the potential, rad or m. */
const SLOPE_RAD = 1e-3;
/** Margins for a search that finds nearly the worst pose, for dithering readings and for friction that no file states. */
const FOUND_SHARE = 1.1;
const SLACK_M = 1e-3;

/** Returns the limit for the standing arm, m, of a robot simulated by `plant` with its load; `plant` is left at home. */
export function sagMaxM(model: RobotModel, plant: WeighedArm): number {
  const points = new PlacedPoints(model);
  let worstM = 0;
  for (let seed = 1; seed <= CLIMBS; seed++) worstM = Math.max(worstM, climbM(model, plant, points, new Rng(seed)));
  plant.reset(model.homeRad);
  return Math.min(FOUND_SHARE * worstM + SLACK_M, LARGEST_ERROR_M);
}

/** One climb among references inside the box to the largest displacement of a point along any axis: the point may have been at its wall. */
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

/**
 * Returns the static pose for the references `referenceRad`. Servos are assumed to exert the required torque: one that
 * cannot lets the arm sink further.
 */
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
