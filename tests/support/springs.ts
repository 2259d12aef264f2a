import type { RobotModel } from '../../src/model/index.ts';

/** Energy of all springs, J: the integral of clip(K·e, ±τ_max); another reckoning than the tank's. */
export function springsJ(model: RobotModel, setPointRad: ArrayLike<number>, positionRad: ArrayLike<number>): number {
  let sum = 0;
  for (const [i, { stiffnessNmPerRad: k, torqueMaxNm: most }] of model.joints.entries()) {
    const pullNm = k * Math.abs(setPointRad[i]! - positionRad[i]!);
    sum += pullNm <= most ? pullNm ** 2 / (2 * k) : (most * pullNm) / k - most ** 2 / (2 * k);
  }
  return sum;
}
