/**
 * A mobile base as the safety chain sees it: axes with speed and acceleration limits in the place of joints. Distances
 * driven and angles turned are free axes; a steering angle has limits like a joint.
 */
import type { BaseModel, JointModel, RobotModel } from './robot-model.ts';

/** Free axes count from where the base stood; no base gets this far, m or rad. */
const FREE_RANGE = 1e9;
/** A base has no tool; its tool point stays in the middle of this box, m. */
const BOX_M = 1;
/** The steering keeps this distance from its stops, rad. */
const STEERING_MARGIN_RAD = 0.005;
/** Longer than any steering goes: what the steering measures does not hold up its reference, rad. */
const LEASH_RAD = 1;

/** The model of a base named `name` whose guard ticks `controlHz` times a second. Joints: `axesOf(base)`. */
export function modelOfBase(name: string, base: BaseModel, controlHz: number): RobotModel {
  const joints = axesOf(base);
  return {
    name,
    base,
    joints,
    tool: { originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0] },
    workspace: { minM: [-BOX_M, -BOX_M, -BOX_M], maxM: [BOX_M, BOX_M, BOX_M] },
    controlHz,
    limitMarginRad: STEERING_MARGIN_RAD,
    leashM: BOX_M,
    leashRad: LEASH_RAD,
    homeRad: joints.map(() => 0),
  };
}

/**
 * Its axes: `x` (ahead, m) and `yaw` (turned to the left, rad); `x`, `y` (to the left, m) and `yaw` for a holonomic one;
 * `x` and `steering` (wheels to the left, rad) for Ackermann steering. Throws `RangeError` where a limit is missing.
 */
export function axesOf(base: BaseModel): readonly JointModel[] {
  const x = axis('x', 'path', base.speedMaxMPerS, base.accelMaxMPerS2);
  if (base.kind === 'ackermann') return [x, steeringOf(base)];
  const yaw = axis('yaw', 'turn', given(base, 'turnMaxRadPerS'), given(base, 'turnAccelMaxRadPerS2'));
  if (base.kind === 'differential') return [x, yaw];
  return [x, axis('y', 'path', base.speedMaxMPerS, base.accelMaxMPerS2), yaw];
}

function steeringOf(base: BaseModel): JointModel {
  const angleRad = given(base, 'steeringMaxRad');
  const rates = [given(base, 'steeringRateMaxRadPerS'), given(base, 'steeringAccelMaxRadPerS2')] as const;
  return { ...axis('steering', 'revolute', ...rates), positionMinRad: -angleRad, positionMaxRad: angleRad };
}

function given(base: BaseModel, key: Exclude<keyof BaseModel, 'kind' | 'fence'>): number {
  const value = base[key];
  if (value === undefined) throw new RangeError(`a base of the kind ${base.kind} needs ${key}`);
  return value;
}

function axis(
  name: string,
  kind: NonNullable<JointModel['kind']>,
  velocityMaxRadPerS: number,
  accelMaxRadPerS2: number,
): JointModel {
  return {
    name,
    kind,
    originXyzM: [0, 0, 0],
    originRpyRad: [0, 0, 0],
    axis: [0, 0, 1],
    positionMinRad: -FREE_RANGE,
    positionMaxRad: FREE_RANGE,
    velocityMaxRadPerS,
    accelMaxRadPerS2,
    torqueMaxNm: 1,
    stiffnessNmPerRad: 1,
    dampingNmSPerRad: 0,
  };
}
